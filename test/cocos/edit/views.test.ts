import {
  handOverViews,
  openDocument,
  openWorkspace,
  readDocument,
  updateNode,
} from '@mcp-kit/cocos/edit';
import { openProject } from '@mcp-kit/cocos/project';
import { expect, test } from 'vitest';
import { menu } from '../../support/cocos/defects.ts';
import { ProjectCopy } from '../../support/cocos/sample-project.ts';

test('a file that is looked at has one view for all, until it changes', async () => {
  using copy = new ProjectCopy();
  using project = await openProject(copy.folder);
  const read = async () => readDocument(await openWorkspace(project), menu).view;
  const first = await read();
  expect(await read()).toBe(first);
  copy.change(menu, () => {});
  await project.refresh();
  expect(await read()).not.toBe(first);
});

test('what is edited is seen by nobody else before it is written, and by all who look afterwards', async () => {
  using copy = new ProjectCopy();
  using project = await openProject(copy.folder);
  const nameOf = async (handle: string) => {
    const { view } = readDocument(await openWorkspace(project), menu);
    return view.name(view.get(handle).index);
  };
  const workspace = await openWorkspace(project);
  const looked = readDocument(workspace, menu).view;
  const own = looked.get('Canvas/Title').handle;
  const [inner] = [...looked.items()].filter(({ inside, kind }) => inside && kind === 'node');
  const before = [await nameOf(own), await nameOf(inner?.handle ?? '')];
  const document = openDocument(workspace, menu);
  for (const handle of [own, inner?.handle ?? '']) updateNode(document, handle, { name: 'Other' });
  expect(
    [own, inner?.handle ?? ''].map((handle) => document.view.name(document.view.get(handle).index)),
  ).toEqual(['Other', 'Other']);
  expect([await nameOf(own), await nameOf(inner?.handle ?? '')]).toEqual(before);
  expect(looked.name(looked.get(own).index)).toBe(before[0]);
  await project.commit(workspace.draft, 'test');
  handOverViews(workspace, project.draft());
  expect([await nameOf(own), await nameOf(inner?.handle ?? '')]).toEqual(['Other', 'Other']);
});

test('a prefab that has changed is seen in what has an instance of it', async () => {
  using copy = new ProjectCopy();
  using project = await openProject(copy.folder);
  const insides = async (): Promise<string[]> => {
    const { view } = readDocument(await openWorkspace(project), menu);
    return [...view.items()]
      .filter(({ inside, kind }) => inside && kind === 'node')
      .map(({ index }) => view.name(index));
  };
  const workspace = await openWorkspace(project);
  const before = await insides();
  expect(before.length).toBeGreaterThan(0);
  const asset =
    [...readDocument(workspace, menu).view.items()].find(({ inside }) => inside)?.asset ?? '';
  const prefab = openDocument(workspace, asset);
  const [changed] = [...prefab.view.items()].filter(
    ({ kind, index }) => kind === 'node' && index !== prefab.view.root,
  );
  updateNode(prefab, changed?.handle ?? '', { name: 'Renamed' });
  expect(await insides()).toEqual(before);
  await project.commit(workspace.draft, 'test');
  expect(await insides()).toContain('Renamed');
});
