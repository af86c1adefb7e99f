import { all, type CocosBackend } from '#cocos/backend';
import type { Json } from '#cocos/document';
import type { Tool } from 'mcp-kit/tools';
import { editTool, readTool } from './define-tools.ts';
import { pageOf } from './page.ts';
import { executePrefabUnpack } from './prefab-tools.ts';
import { count, finding, findingCounts, limit, offset, scenePath, text, texts } from './schemas.ts';
import { countFindings } from './scene-checks.ts';

const layer = 'advanced';

function updateAssetReferences(backend: CocosBackend): Tool {
  return editTool(backend, {
    name: 'update_asset_references',
    description:
      'Searches scenes, prefabs and other files for references to one asset, and lets them refer to another.',
    layer,
    category: 'asset',
    riskLevel: 'high',
    prerequisites: ['Both assets are of one class; the old one may be missing if named by uuid.'],
    errors: {
      E_NOT_FOUND: 'There is no such asset.',
      E_INVALID_ARGUMENT: 'The assets are of different classes.',
    },
    examples: [
      { input: { assetPath: 'assets/images/logo.png', targetPath: 'assets/images/spare.png' } },
      {
        input: { assetPath: 'assets/images/logo.png', targetPath: 'assets/none.png' },
        fails: 'E_NOT_FOUND',
      },
      {
        input: { assetPath: 'assets/scripts/menu.ts', targetPath: 'assets/images/spare.png' },
        fails: 'E_INVALID_ARGUMENT',
      },
    ],
    input: {
      type: 'object',
      properties: {
        assetPath: {
          ...text,
          minLength: 1,
          description: 'The old asset: path, db:// URL or uuid.',
        },
        targetPath: {
          ...text,
          minLength: 1,
          description: 'The new asset: path, db:// URL or uuid.',
        },
        files: { ...texts, description: 'Only in these files. Absent: in all.' },
      },
      required: ['assetPath', 'targetPath'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: {
        count,
        files: {
          type: 'array',
          items: { type: 'object', properties: { path: text, count }, required: ['path', 'count'] },
        },
      },
      required: ['count', 'files'],
    },
    edits: ({ assetPath, targetPath, files }) =>
      [{ op: 'replace_references', from: assetPath, to: targetPath, paths: files }] as const,
    answer: ([result]) => ({ count: result.count, files: [...result.files] }),
  });
}

function setSceneValue(backend: CocosBackend): Tool {
  return editTool(backend, {
    name: 'set_scene_value',
    description:
      'Sets a value of a node or component by its stored path; only its kind is checked: for what no other tool can set.',
    layer,
    category: 'scene',
    idempotent: true,
    riskLevel: 'high',
    prerequisites: ['You know how the engine stores the value.'],
    errors: {
      E_NOT_FOUND: 'There is no such node or component.',
      E_INVALID_ARGUMENT:
        'The path does not exist, is part of the structure, or has another kind of value.',
    },
    examples: [
      { input: { targetUuid: 'Canvas/Menu', path: ['_lpos', 'x'], value: 12 } },
      {
        input: { targetUuid: 'Canvas/Nowhere', path: ['_name'], value: 'a' },
        fails: 'E_NOT_FOUND',
      },
      {
        input: { targetUuid: 'Canvas/Menu', path: ['_parent'], value: null },
        fails: 'E_INVALID_ARGUMENT',
      },
    ],
    input: {
      type: 'object',
      properties: {
        scenePath,
        targetUuid: {
          ...text,
          minLength: 1,
          description: 'A node or component: uuid; of nodes also the path.',
        },
        path: { ...texts, minItems: 1, description: 'As it is stored: ["_contentSize","width"].' },
        value: { description: 'Any JSON, with __type__ where the engine stores it.' },
      },
      required: ['targetUuid', 'path', 'value'],
      additionalProperties: false,
    },
    output: { type: 'object', properties: { targetUuid: text }, required: ['targetUuid'] },
    edits: ({ targetUuid, path, value }) =>
      [{ op: 'set_raw_value', target: targetUuid, path, value: value as Json }] as const,
    answer: ([result]) => ({ targetUuid: result.targetUuid }),
  });
}

function createAssetFolder(backend: CocosBackend): Tool {
  return editTool(backend, {
    name: 'create_asset_folder',
    description:
      'Creates a folder for assets, with its meta. Other tools create the folders they need themselves.',
    layer,
    category: 'asset',
    riskLevel: 'low',
    prerequisites: ['Nothing is at the path.'],
    errors: { E_CONFLICT: 'Something is at the path.' },
    examples: [
      { input: { assetPath: 'assets/levels' } },
      { input: { assetPath: 'assets/scenes' }, fails: 'E_CONFLICT' },
    ],
    input: {
      type: 'object',
      properties: {
        assetPath: { ...text, minLength: 1, description: 'The folder: assets/levels.' },
      },
      required: ['assetPath'],
      additionalProperties: false,
    },
    output: { type: 'object', properties: { assetPath: text }, required: ['assetPath'] },
    edits: ({ assetPath }) => [{ op: 'create_folder', path: assetPath }] as const,
    answer: ([result]) => ({ assetPath: result.path }),
  });
}

function validateProjectAssets(backend: CocosBackend): Tool {
  return readTool({
    name: 'validate_project_assets',
    description: 'Checks all scenes, prefabs and metas of the project.',
    layer,
    category: 'project',
    riskLevel: 'low',
    prerequisites: ['It may take seconds in large projects.'],
    examples: [{ input: {} }],
    input: { type: 'object', properties: { offset, limit }, additionalProperties: false },
    output: {
      type: 'object',
      properties: {
        counts: findingCounts,
        findings: { type: 'array', items: finding },
        total: count,
        nextOffset: count,
      },
      required: ['counts', 'findings', 'total'],
    },
    async run(args) {
      const found = await backend.validate(all);
      const { items, ...page } = pageOf(found, args);
      return { counts: countFindings(found), findings: items, ...page };
    },
  });
}

function listProjectHistory(backend: CocosBackend): Tool {
  return readTool({
    name: 'list_project_history',
    description: 'Lists the writes of these tools that can be undone, the last first.',
    layer,
    category: 'project',
    riskLevel: 'low',
    prerequisites: ['None.'],
    examples: [{ input: {} }],
    input: { type: 'object', properties: { offset, limit }, additionalProperties: false },
    output: {
      type: 'object',
      properties: {
        transactions: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              transactionId: text,
              label: text,
              at: text,
              files: {
                type: 'array',
                items: {
                  type: 'object',
                  properties: { path: text, change: text },
                  required: ['path', 'change'],
                },
              },
            },
            required: ['transactionId', 'label', 'at', 'files'],
          },
        },
        total: count,
        nextOffset: count,
      },
      required: ['transactions', 'total'],
    },
    async run(args) {
      const { items, ...page } = pageOf(await backend.history(), args);
      return { transactions: items.map((each) => ({ ...each, files: [...each.files] })), ...page };
    },
  });
}

function getProjectDiagnostics(backend: CocosBackend): Tool {
  return readTool({
    name: 'get_project_diagnostics',
    description:
      'Tells those who run the server how it sees the project: folders, editor, problems, undo.',
    layer: 'internal',
    category: 'diagnostics',
    examples: [{ input: {} }],
    input: { type: 'object', properties: {}, additionalProperties: false },
    output: { type: 'object' },
    async run() {
      const usage = process.memoryUsage();
      return {
        ...(await backend.diagnostics()),
        process: { pid: process.pid, node: process.version, heapUsed: usage.heapUsed },
      };
    },
  });
}

/** Tools for those who know what they do, and for those who run the server. */
export function advancedTools(backend: CocosBackend): readonly Tool[] {
  return [
    updateAssetReferences(backend),
    setSceneValue(backend),
    executePrefabUnpack(backend),
    createAssetFolder(backend),
    validateProjectAssets(backend),
    listProjectHistory(backend),
    getProjectDiagnostics(backend),
  ];
}
