import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import {
  type FindingCode,
  findingRules,
  repairDocument,
  validateDocument,
  validateProject,
} from '@mcp-kit/cocos/validate';
import { openDocument, openWorkspace, readComponent, type Workspace } from '@mcp-kit/cocos/edit';
import type { Project } from '@mcp-kit/cocos/project';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { broken, button, defects, dialog, menu } from '../../support/cocos/defects.ts';
import { ProjectCopy, sampleFolder } from '../../support/cocos/sample-project.ts';

const codesIn = (findings: readonly { readonly code: FindingCode }[]): FindingCode[] =>
  findings.map(({ code }) => code);

test('There is nothing to say of the sample', async () => {
  using copy = new ProjectCopy();
  const { files, findings } = validateProject(await copy.open());
  expect({ files, findings }).toEqual({ files: 5, findings: [] });
});

let shared: ProjectCopy;
let project: Project;

beforeAll(async () => {
  shared = new ProjectCopy();
  ({ project } = await shared.open());
});

afterAll(() => {
  shared[Symbol.dispose]();
});

/** The sample with one file written anew, on nothing but a draft. */
async function withFile(file: string, text: string): Promise<Workspace> {
  const draft = project.draft();
  draft.write(file, text);
  return openWorkspace(project, draft);
}

describe('One change, one finding', () => {
  defects.forEach((defect, index) => {
    const { code, file, count = 1 } = defect;
    test(`${code} in ${path.basename(file)} (${index})`, async () => {
      const text = broken(shared.read(file), defect);
      const findings = validateDocument(await withFile(file, text), file, { lines: true });
      expect(codesIn(findings)).toEqual(Array<FindingCode>(count).fill(code));
      for (const finding of findings) {
        expect(finding.severity).toBe(findingRules[code].severity);
        expect(finding.file).toBe(file);
        expect(finding.message).toMatch(/^\S.*\.$/);
        expect(finding.suggestion).toMatch(/[.?]$/);
        expect(leads(text, finding.pointer)).toBe(true);
        expect(finding.line).toBeGreaterThan(0);
      }
    });
  });
});

/** Whether a JSON pointer leads to something. */
function leads(text: string, pointer: string): boolean {
  let value: unknown = JSON.parse(text);
  for (const step of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return false;
    value = (value as Record<string, unknown>)[step];
  }
  return true;
}

describe('Files that are no scenes', () => {
  const original = readFileSync(path.join(sampleFolder, menu), 'utf8');
  const conflict = `<<<<<<< ours\n${original}`;
  for (const [code, text] of [
    ['parse', original.slice(0, -2)],
    ['parse', conflict],
    ['notArray', '{}'],
    ['notArray', '[1]'],
    [
      'notArray',
      original.replace(
        '{\n    "__type__": "cc.SceneGlobals"',
        '{ "__id__": 1 },\n  {\n    "__type__": "cc.SceneGlobals"',
      ),
    ],
    ['badHead', '[]'],
    ['badHead', original.replace('"cc.Scene"', '"cc.Node"')],
    ['badHead', '[{ "__type__": "cc.Material" }]'],
    ['badHead', '[{ "__type__": "cc.SceneAsset", "scene": { "__id__": 7 } }]'],
  ] as const) {
    test(`${code}: ${text.slice(0, 60).replaceAll('\n', ' ')}`, async () => {
      const workspace = await withFile(menu, text);
      expect(codesIn(validateDocument(workspace, menu))).toEqual([code]);
      expect(repairDocument(workspace, menu).changes).toEqual([]);
    });
  }

  test('a merge conflict is called that', async () => {
    using copy = new ProjectCopy();
    copy.write(menu, conflict);
    const [finding] = validateDocument(await copy.open(), menu);
    expect(finding?.suggestion).toContain('merge conflict');
  });
});

test('A layer that no camera shows is said with one that some camera does', async () => {
  using copy = new ProjectCopy();
  copy.write(menu, copy.read(menu).replace(/"_visibility": \d+/, '"_visibility": 1073741824'));
  const [finding] = validateDocument(await copy.open(), menu);
  expect(finding).toMatchObject({
    code: 'layerNotSeen',
    message: expect.stringContaining('layer UI_2D'),
    suggestion: expect.stringContaining('Set its layer to DEFAULT,'),
  });
});

test('A prefab that contains itself is said to', async () => {
  using copy = new ProjectCopy();
  const { uuid } = JSON.parse(copy.read(`${dialog}.meta`)) as { uuid: string };
  const own = JSON.parse(copy.read(`${button}.meta`)) as { uuid: string };
  copy.write(dialog, copy.read(dialog).replaceAll(own.uuid, uuid));
  expect(codesIn(validateDocument(await copy.open(), dialog))).toContain('prefabCycle');
});

test('An instance of a prefab that cannot be read is a finding of the scene, and what is wrong one of the prefab', async () => {
  using copy = new ProjectCopy();
  copy.write(button, '[');
  const { findings } = validateProject(await copy.open());
  expect(findings.find(({ file }) => file === button)?.code).toBe('parse');
  const inMenu = findings.filter(({ file }) => file === menu);
  expect(new Set(codesIn(inMenu))).toEqual(new Set(['prefabAssetMissing']));
  expect(inMenu[0]?.message).toContain('button.prefab');
});

test('A prefab of which only the meta is left is missing', async () => {
  using copy = new ProjectCopy();
  rmSync(path.join(copy.folder, button));
  const findings = validateDocument(await copy.open(), dialog);
  expect(codesIn(findings)).toEqual(['prefabAssetMissing']);
});

test('Metas that cannot be read, and those of which another has the uuid, are findings of the project', async () => {
  using copy = new ProjectCopy();
  copy.write('assets/textures/star.png.meta', copy.read('assets/textures/sky.png.meta'));
  copy.write('assets/textures/heart.png.meta', '{');
  const { findings } = validateProject(await copy.open());
  const metas = findings.filter(({ code }) => code === 'badMeta').map(({ file }) => file);
  expect(metas.length).toBeGreaterThanOrEqual(2);
  expect(metas.join(' ')).toContain('heart.png');
});

test('Every rule is broken by some test', () => {
  const elsewhere: FindingCode[] = ['parse', 'notArray', 'badHead', 'prefabCycle', 'badMeta'];
  const all = new Set([...defects.map(({ code }) => code), ...elsewhere]);
  expect([...all].sort()).toEqual(Object.keys(findingRules).sort());
});

describe('Repair', () => {
  const repairable = defects.filter(({ repair }) => repair !== undefined);
  repairable.forEach((defect, index) => {
    const { code, file, repair } = defect;
    const what = repair === 'exact' ? 'gives back the file' : 'puts it right';
    test(`${code} (${index}): ${what}`, async () => {
      const original = shared.read(file);
      const workspace = await withFile(file, broken(original, defect));
      const { changes, repaired, remaining } = repairDocument(workspace, file);
      expect(codesIn(repaired)).toContain(code);
      expect(changes.length).toBeGreaterThan(0);
      expect(remaining).toEqual([]);
      const after = workspace.draft.text(file);
      const again = await withFile(file, after);
      expect(validateDocument(again, file)).toEqual([]);
      expect(repairDocument(again, file).changes).toEqual([]);
      expect(after === original).toBe(repair === 'exact');
    });
  });

  const others = defects.filter(({ repair }) => repair === undefined);
  others.forEach((defect, index) => {
    const { code, file } = defect;
    test(`${code} (${index}): changes nothing`, async () => {
      const text = broken(shared.read(file), defect);
      const workspace = await withFile(file, text);
      const { changes, remaining } = repairDocument(workspace, file);
      expect(changes).toEqual([]);
      expect(codesIn(remaining)).toContain(code);
      expect(workspace.draft.text(file)).toBe(text);
    });
  });

  test('of several defects at once, all or only some; on the disk when it is committed', async () => {
    using copy = new ProjectCopy();
    const original = copy.read(menu);
    const alone: FindingCode[] = ['childParentMismatch', 'nestedRootsMismatch'];
    copy.change(menu, (objects) => {
      for (const { code, file, repair, change } of defects) {
        if (file === menu && repair === 'exact' && !alone.includes(code)) change(objects);
      }
    });
    const before = copy.read(menu);
    const workspace = await copy.open();
    const some = repairDocument(workspace, menu, { codes: ['assetName'] });
    expect(codesIn(some.repaired)).toEqual(['assetName']);
    expect(some.remaining.length).toBeGreaterThan(3);
    expect(repairDocument(workspace, menu).remaining).toEqual([]);
    expect(copy.read(menu)).toBe(before);
    await workspace.project.commit(workspace.draft, 'repair');
    expect(copy.read(menu)).toBe(original);
  });

  test('shows in documents that are open', async () => {
    const [defect] = defects.filter(({ code }) => code === 'canvasWithoutCamera');
    if (defect === undefined) throw new Error('no such defect');
    const workspace = await withFile(menu, broken(shared.read(menu), defect));
    const document = openDocument(workspace, menu);
    const camera = () => readComponent(document, 'Canvas:cc.Canvas').properties['cameraComponent'];
    expect(camera()).toBeNull();
    repairDocument(workspace, menu);
    expect(camera()).not.toBeNull();
  });
});
