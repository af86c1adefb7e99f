import type { CocosBackend, FindingReading } from '#cocos/backend';
import { maxPixels, pngOf } from '#cocos/render';
import { tool, type Tool, withContent } from 'mcp-kit/tools';
import { readTool } from './define-tools.ts';
import { telling } from './failures.ts';
import { pageOf } from './page.ts';
import {
  closedObject,
  count,
  finding,
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
  texts,
} from './schemas.ts';
import { countsText, findingLine, goesOn, howMany, lines } from './show.ts';

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
      { input: { scenePath: menuScene } },
      {
        title: 'A prefab, without what is less serious',
        input: { scenePath: 'assets/prefabs/dialog.prefab', minSeverity: 'error' },
      },
      { input: { scenePath: 'assets/scenes/shop.scene' }, fails: 'E_NOT_FOUND' },
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

/** What white and black letters are seen on, where nothing says what is behind them. */
const behindPrefabs = '#6b7280';

/** The longer side of a picture, unless told otherwise, in pixels. */
const usualPixels = 800;

/** The app that shows pictures of scenes. */
export const pictureApp = 'ui://cocos/scene-picture';

export function getScenePicture(backend: CocosBackend): Tool {
  return tool({
    name: 'get_scene_picture',
    description:
      'Draws the UI of a scene or prefab as the game starts: a picture of what was built.',
    layer: 'core',
    safety: 'readonly',
    idempotent: true,
    app: { resourceUri: pictureApp },
    // Each is a thread with tens of megabytes.
    limit: { concurrent: 4 },
    category,
    errors: {
      E_NOT_FOUND: 'There is no such scene or node.',
      E_PRECONDITION_FAILED: noScene,
    },
    examples: [
      { input: { scenePath: menuScene } },
      {
        title: 'A part of a scene, small',
        input: { scenePath: gameScene, nodeUuid: 'Canvas/TopBar', pixels: 400 },
      },
      {
        title: 'A prefab, as markup',
        input: { scenePath: 'assets/prefabs/dialog.prefab', format: 'svg' },
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
      format: { enum: ['png', 'svg'], description: 'Default png: an image; svg: its markup.' },
      pixels: {
        type: 'integer',
        minimum: 16,
        maximum: maxPixels,
        description: 'The longer side of the PNG. Default 800.',
      },
      includeImages: {
        ...flag,
        description: 'With the pixels of sprites, else boxes. Default: in PNG.',
      },
    }),
    output: object(['scenePath', 'width', 'height', 'nodes', 'notes'], {
      scenePath: text,
      svg: text,
      width: { type: 'number' },
      height: { type: 'number' },
      nodes: count,
      notes: texts,
    }),
    run: (args, { signal }) =>
      telling(async () => {
        const { format = 'png', pixels = usualPixels, nodeUuid: node } = args;
        const { includeImages: images = format === 'png' } = args;
        const { path, kind } = await backend.document(args.scenePath);
        const background = kind === 'scene' ? 'camera' : behindPrefabs;
        const picture = await backend.render(path, { node, images, background });
        const { svg, width, height, nodes, notes } = picture;
        const about = { scenePath: path, width, height, nodes, notes: [...notes] };
        const told = `${path}: ${howMany(nodes, 'node')}, ${width} × ${height}`;
        if (format === 'svg') {
          return withContent({ ...about, svg }, [{ type: 'text', text: lines(told, svg) }]);
        }
        const png = Buffer.from(await pngOf(picture, { pixels, signal }));
        return withContent(about, [
          { type: 'text', text: lines(told, notes) },
          { type: 'image', mimeType: 'image/png', data: png.toString('base64') },
        ]);
      }),
  });
}
