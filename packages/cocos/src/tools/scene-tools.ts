import type { CocosBackend } from '#cocos/backend';
import { tool, type Tool } from 'mcp-kit/tools';
import type { Context } from 'mcp-kit/server';
import { readTool } from './define-tools.ts';
import { telling } from './failures.ts';
import { openedIn, openIn } from './open-scenes.ts';
import { pageOf } from './page.ts';
import {
  closedObject,
  count,
  findingCounts,
  flag,
  gameScene,
  limit,
  menuScene,
  nodeUuid,
  noScene,
  object,
  offset,
  scenePath,
  text,
} from './schemas.ts';
import { countFindings } from './scene-checks.ts';
import { countsText, goesOn, howMany, lines } from './show.ts';
import { treeText } from './tree-text.ts';

const category = 'scene';

function executeSceneOpen(backend: CocosBackend): Tool {
  return tool({
    name: 'execute_scene_open',
    description:
      'Makes a scene, or prefab, the open one: what this conversation means when scenePath is left out.',
    layer: 'core',
    category,
    safety: 'mutating',
    idempotent: true,
    errors: {
      E_NOT_FOUND: 'There is no such scene.',
    },
    examples: [
      { input: { scenePath: menuScene } },
      { title: 'A prefab', input: { scenePath: 'db://assets/prefabs/dialog.prefab' } },
      {
        title: 'By its uuid',
        input: { scenePath: 'fbe013ab-f9aa-4a96-8338-f990bc10445c' },
      },
      { input: { scenePath: 'assets/scenes/shop.scene' }, fails: 'E_NOT_FOUND' },
    ],
    input: closedObject(['scenePath'], {
      scenePath: { ...scenePath, description: 'A scene or prefab: path, db:// URL or uuid.' },
    }),
    output: object(['scenePath', 'assetUuid', 'kind', 'name', 'nodes', 'staysOpen'], {
      scenePath: text,
      assetUuid: text,
      kind: { enum: ['scene', 'prefab'] },
      name: text,
      nodes: count,
      staysOpen: {
        ...flag,
        description: 'False: name scenePath in each call.',
      },
    }),
    show: ({ scenePath: scene, assetUuid, kind, nodes, staysOpen }) =>
      lines(
        `${scene} (${assetUuid}), ${kind}, ${howMany(nodes, 'node')}`,
        staysOpen ? undefined : 'It does not stay open: name scenePath in each call.',
      ),
    plan: (args, context) =>
      telling(async () => {
        const { path } = await backend.document(args.scenePath);
        const from = (await shownIn(backend, context)) ?? null;
        const change = { type: 'update', target: 'open scene', from, to: path };
        return { changes: from === path ? [] : [change], state: from, path };
      }),
    apply: ({ path }, context) =>
      telling(async () => {
        if (backend.kind === 'editor') await backend.openDocument(path);
        const { path: opened, ...rest } = await backend.document(path);
        const staysOpen = openIn(backend, context, rest.assetUuid || opened);
        return { scenePath: opened, ...rest, staysOpen };
      }),
  });
}

/** What is open before another is: in the editor, what it shows. */
export function shownIn(
  backend: CocosBackend,
  context: Pick<Context, 'conversation'>,
): Promise<string | undefined> {
  return backend.kind === 'editor' ? backend.currentDocument() : openedIn(backend, context);
}

function getSceneTree(backend: CocosBackend): Tool {
  return readTool({
    name: 'get_scene_tree',
    description:
      'Shows the nodes of a scene or prefab as an indented tree: name (uuid) [components] <prefab>. ' +
      'The 8 characters of a uuid, or the path of names, name a node in all other tools.',
    category,
    errors: {
      E_NOT_FOUND: 'There is no such scene or node.',
      E_PRECONDITION_FAILED: noScene,
    },
    examples: [
      { input: { scenePath: menuScene } },
      {
        title: 'Part of a scene',
        input: { scenePath: gameScene, nodeUuid: 'Canvas/TopBar', depth: 1 },
      },
      {
        title: 'A prefab, with what is in the instances in it',
        input: { scenePath: 'assets/prefabs/dialog.prefab', expandInstances: true },
      },
      { input: { scenePath: menuScene, nodeUuid: 'Canvas/Shop' }, fails: 'E_NOT_FOUND' },
      { title: 'Before a scene is opened', input: {}, fails: 'E_PRECONDITION_FAILED' },
    ],
    input: closedObject([], {
      scenePath,
      nodeUuid: {
        ...nodeUuid,
        description: 'Only this node and what is below it: uuid or path.',
      },
      depth: { ...count, description: 'How many levels below the node. Absent: all.' },
      expandInstances: {
        ...flag,
        description: 'Shows what is in prefab instances. Default false.',
      },
      offset: { ...offset, description: 'How many lines to leave out: nextOffset of before.' },
      limit: { ...limit, maximum: 5000, description: 'How many lines at most. Default 500.' },
    }),
    output: object(['scenePath', 'kind', 'tree', 'total'], {
      scenePath: text,
      kind: { enum: ['scene', 'prefab'] },
      tree: { type: 'string', description: 'A line for each node.' },
      total: count,
      nextOffset: count,
    }),
    show: ({ scenePath: scene, kind, tree, ...page }) =>
      lines(`${scene}, ${kind}, ${howMany(page.total, 'line')}`, tree, goesOn(page)),
    async run({ nodeUuid: node, depth, expandInstances = false, limit: most = 500, ...args }) {
      const { path, kind } = await backend.document(args.scenePath);
      const tree = await backend.tree(path, { node, depth });
      const all = treeText(tree, { expandInstances }).split('\n');
      const { items, ...page } = pageOf(all, { offset: args.offset ?? 0, limit: most });
      return { scenePath: path, kind, tree: items.join('\n'), ...page };
    },
  });
}

function executeSceneSave(backend: CocosBackend): Tool {
  return tool({
    name: 'execute_scene_save',
    description:
      'Sees to it that a scene or prefab is on the disk, reads it back and says whether it is sound. ' +
      'Without the editor every write is saved at once, and this only checks.',
    layer: 'core',
    category,
    safety: 'mutating',
    idempotent: true,
    errors: { E_NOT_FOUND: 'There is no such scene.', E_PRECONDITION_FAILED: noScene },
    examples: [
      { input: { scenePath: menuScene } },
      { input: { scenePath: 'assets/scenes/shop.scene' }, fails: 'E_NOT_FOUND' },
      { title: 'Before a scene is opened', input: {}, fails: 'E_PRECONDITION_FAILED' },
    ],
    input: closedObject([], { scenePath }),
    output: object(['scenePath', 'assetUuid', 'nodes', 'findings'], {
      scenePath: text,
      assetUuid: text,
      nodes: count,
      findings: findingCounts,
    }),
    show: ({ scenePath: scene, nodes, findings }) =>
      `${scene}: ${howMany(nodes, 'node')}, ${countsText(findings)}`,
    plan: (args) =>
      telling(async () => {
        const { path } = await backend.document(args.scenePath);
        const isDirty = await backend.isDirty(path);
        const changes = isDirty ? [{ type: 'update', target: path }] : [];
        return { changes, state: isDirty, path };
      }),
    apply: ({ path }) =>
      telling(async () => {
        const { path: saved, assetUuid, nodes } = await backend.save(path);
        const findings = countFindings(await backend.validate(saved));
        return { scenePath: saved, assetUuid, nodes, findings };
      }),
  });
}

/** Tools about scenes and prefabs as a whole. */
export function sceneTools(backend: CocosBackend): readonly Tool[] {
  return [executeSceneOpen(backend), getSceneTree(backend), executeSceneSave(backend)];
}
