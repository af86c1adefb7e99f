import type { CocosBackend, FindingReading } from '#cocos/backend';
import type { Tool } from 'mcp-kit/tools';
import { readTool } from './define-tools.ts';
import { pageOf } from './page.ts';
import {
  closedObject,
  count,
  finding,
  findingCounts,
  flag,
  limit,
  nodeUuid,
  noScene,
  object,
  offset,
  scenePath,
  text,
  texts,
} from './schemas.ts';
import { countsText, findingLine, goesOn, lines } from './show.ts';

const category = 'scene';

/** How many findings there are of each severity. */
export function countFindings(findings: readonly FindingReading[]): {
  error: number;
  warning: number;
  info: number;
} {
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity } of findings) counts[severity]++;
  return counts;
}

async function pathOf(backend: CocosBackend, document: string | undefined): Promise<string> {
  const current = document ?? (await backend.currentDocument()) ?? '';
  const { path, url } = await backend.asset(current);
  return path ?? url;
}

const severities = ['error', 'warning', 'info'] as const;

export function validateSceneDocument(backend: CocosBackend): Tool {
  return readTool({
    name: 'validate_scene_document',
    description:
      'Checks a scene or prefab: missing assets and scripts, broken structure, UI that cannot be seen, and more. ' +
      'What is fixable can be put right with execute_scene_repair.',
    category,
    errors: { E_NOT_FOUND: 'There is no such scene.', E_PRECONDITION_FAILED: noScene },
    examples: [
      { input: { scenePath: 'assets/scenes/main.scene' } },
      { input: { scenePath: 'assets/scenes/broken.scene', minSeverity: 'error' } },
      { input: { scenePath: 'assets/scenes/none.scene' }, fails: 'E_NOT_FOUND' },
      { title: 'Before a scene is opened', input: {}, fails: 'E_PRECONDITION_FAILED' },
    ],
    input: closedObject([], {
      scenePath,
      minSeverity: {
        enum: ['error', 'warning', 'info'],
        description: 'Leaves out what is less serious. Default info: all.',
      },
      offset,
      limit,
    }),
    output: object(['scenePath', 'counts', 'findings', 'total'], {
      scenePath: text,
      counts: findingCounts,
      findings: { type: 'array', items: finding },
      total: count,
      nextOffset: count,
    }),
    show: ({ scenePath: scene, counts, findings, ...page }) =>
      lines(`${scene}: ${countsText(counts)}`, findings.map(findingLine), goesOn(page)),
    async run({ minSeverity = 'info', ...args }) {
      // A file that cannot be opened is a finding as well.
      const all = await backend.validate(args.scenePath);
      const path = await pathOf(backend, args.scenePath);
      const least = severities.indexOf(minSeverity);
      const shown = all.filter(({ severity }) => severities.indexOf(severity) <= least);
      const { items, ...page } = pageOf(shown, args);
      return { scenePath: path, counts: countFindings(all), findings: items, ...page };
    },
  });
}

export function getScenePicture(backend: CocosBackend): Tool {
  return readTool({
    name: 'get_scene_picture',
    description:
      'Draws the layout of the UI of a scene or prefab as SVG: rectangles, sprites, labels, names. To look at what was built.',
    category,
    errors: {
      E_NOT_FOUND: 'There is no such scene or node.',
      E_PRECONDITION_FAILED: noScene,
    },
    examples: [
      { input: { scenePath: 'assets/scenes/main.scene' } },
      { input: { nodeUuid: 'Canvas/Nowhere' }, fails: 'E_NOT_FOUND' },
      { title: 'Before a scene is opened', input: {}, fails: 'E_PRECONDITION_FAILED' },
    ],
    input: closedObject([], {
      scenePath,
      nodeUuid: {
        ...nodeUuid,
        description: 'Only this node and what is below it: uuid or path.',
      },
      includeImages: {
        ...flag,
        description: 'With the pixels of sprites, which makes it large; else boxes. Default false.',
      },
    }),
    output: object(['scenePath', 'svg', 'width', 'height', 'nodes', 'notes'], {
      scenePath: text,
      svg: text,
      width: { type: 'number' },
      height: { type: 'number' },
      nodes: count,
      notes: texts,
    }),
    async run({ includeImages: images = false, nodeUuid: node, ...args }) {
      const { path } = await backend.document(args.scenePath);
      const { svg, width, height, nodes, notes } = await backend.render(path, { node, images });
      return { scenePath: path, svg, width, height, nodes, notes: [...notes] };
    },
  });
}
