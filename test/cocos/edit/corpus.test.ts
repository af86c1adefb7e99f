import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Change, CocosError, printTable } from '@mcp-kit/cocos/document';
import {
  addComponent,
  createNode,
  deleteNode,
  instantiatePrefab,
  openDocument,
  openWorkspace,
  readComponent,
  readComponents,
  type SceneDocument,
  setProperties,
  type Workspace,
} from '@mcp-kit/cocos/edit';
import { openProject } from '@mcp-kit/cocos/project';
import { expect, test } from 'vitest';
import {
  type CorpusProject,
  corpusFolder,
  hasCorpus,
  needsCorpus,
} from '../../support/cocos/corpus.ts';
import { inMemory } from '../../support/cocos/project.ts';

/** A copy of a real project to edit. */
async function withProject(
  name: CorpusProject,
  use: (workspace: Workspace) => void,
): Promise<void> {
  const folder = mkdtempSync(path.join(inMemory, 'cocos-corpus-'));
  try {
    cpSync(corpusFolder(name), folder, { recursive: true, mode: 0 });
    using project = await openProject(folder);
    use(await openWorkspace(project));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function* documents(workspace: Workspace): Generator<SceneDocument> {
  for (const { path: file, exists } of workspace.draft.assets()) {
    if (exists && /^assets\/.*\.(scene|prefab)$/.test(file)) yield openDocument(workspace, file);
  }
}

/** Sets every property to what is read from it; answers what that changed, and what was refused. */
function setToItself(document: SceneDocument): { changes: Change[]; refused: string[] } {
  const changes: Change[] = [];
  const refused: string[] = [];
  const nodes = [...document.view.items()].filter(({ kind }) => kind === 'node');
  for (const node of nodes) {
    for (const { handle, type, properties } of readComponents(document, node)) {
      for (const [name, value] of Object.entries(properties)) {
        try {
          const stored = document.view.at(document.view.get(handle).index);
          // Old files lack some fields, which are shown with what the engine begins with.
          const isThere = name in stored || `_${name}` in stored;
          const done = setProperties(document, handle, { [name]: value });
          if (isThere) changes.push(...done.changes);
        } catch (error) {
          if (!(error instanceof CocosError)) throw error;
          refused.push(`${type}.${name}: ${error.message}`);
        }
      }
    }
  }
  return { changes, refused };
}

const missingFont = '49c3e593-2e79-4556-b74b-05e0fc532619';

test.skipIf(!hasCorpus).each([
  ['xforge-3.8.3', []],
  ['customsnake-3.8.6', [`cc.Label.font: There is no asset "${missingFont}".`]],
  ['airplane-3.3', []],
] as const)(
  `What is read from the components of %s can be set, and changes nothing ${needsCorpus}`,
  async (name, missing) => {
    await withProject(name, (workspace) => {
      const refused: string[] = [];
      const changed: unknown[] = [];
      for (const document of documents(workspace)) {
        const result = setToItself(document);
        refused.push(...result.refused.filter((text) => !/object of its own/.test(text)));
        changed.push(...result.changes.map((change) => ({ file: document.path, ...change })));
      }
      expect({ refused, changed }).toEqual({ refused: missing, changed: [] });
    });
  },
);

test.skipIf(!hasCorpus)(`One value of a real scene is one line ${needsCorpus}`, async () => {
  await withProject('customsnake-3.8.6', (workspace) => {
    const document = openDocument(workspace, 'assets/scenes/main.scene');
    const before = printTable(document.view.table).split('\n');
    const label = [...document.view.items()].find(
      ({ index }) => document.view.at(index)['__type__'] === 'cc.Label',
    );
    setProperties(document, label?.handle ?? '', { string: 'Score' });
    const after = printTable(document.view.table).split('\n');
    expect(after.filter((line, index) => line !== before[index])).toHaveLength(1);
  });
});

test.skipIf(!hasCorpus)(
  `What is added to a real scene and removed leaves no trace ${needsCorpus}`,
  async () => {
    await withProject('xforge-3.8.3', (workspace) => {
      const document = openDocument(workspace, 'assets/app-scene/main.scene');
      const before = printTable(document.view.table);
      const { node } = createNode(document, { element: 'ScrollView', parent: 'Canvas' });
      addComponent(document, node, {
        type: 'cc.Widget',
        properties: { alignFlags: ['TOP', 'LEFT'] },
      });
      const placed = instantiatePrefab(document, {
        prefab: 'assets/app-appinit/view/AppInit.prefab',
        parent: node,
      });
      expect(readComponent(document, `${placed.node}:cc.UITransform`).type).toBe('cc.UITransform');
      deleteNode(document, node);
      expect(printTable(document.view.table)).toBe(before);
    });
  },
);
