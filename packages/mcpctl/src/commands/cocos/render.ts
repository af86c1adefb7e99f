import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readDocument } from '@mcp-kit/cocos/edit';
import { maxPixels, pngOf, renderDocument, type RenderOptions } from '@mcp-kit/cocos/render';
import { usageError, type Options } from '../../args.ts';
import { lookAtProject, placeOf } from '../../cocos/on-project.ts';
import { defineCommand } from '../../command.ts';
import { exitCodes } from '../../exit-code.ts';
import { count, print, tell } from '../../output.ts';

const options = {
  out: {
    type: 'string',
    value: 'FILE',
    help: 'Write the picture here, as PNG or SVG by its ending. Default: SVG to standard output.',
  },
  pixels: { type: 'string', value: 'COUNT', help: 'The longer side of a PNG. Default: 800.' },
  project: {
    type: 'string',
    value: 'DIR',
    help: 'The project, where SCENE is a db:// address, a uuid, or a path in it.',
  },
  node: { type: 'string', value: 'NODE', help: 'Draw only this node: its path, or its uuid.' },
  background: {
    type: 'string',
    value: 'WHAT',
    help: 'checker, camera, none, or a colour as #204060. Default: checker.',
  },
  names: { type: 'boolean', help: 'Write the names of nodes beside them.' },
  inactive: { type: 'boolean', help: 'Draw nodes that are not active, too.' },
  'no-outlines': { type: 'boolean', help: 'Leave out the outlines of nodes.' },
  quiet: { type: 'boolean', help: 'Say nothing but errors.' },
} as const satisfies Options;

export const cocosRender = defineCommand({
  scope: 'own',
  positionals: [{ name: 'SCENE', help: 'A scene or prefab of a project.', files: true }],
  options,
  examples: [
    { command: 'mcpctl cocos render assets/scenes/menu.scene --out menu.png', about: 'A picture.' },
    {
      command:
        'mcpctl cocos render db://assets/dialog.prefab --project my-game --names > dialog.svg',
      about: 'Of a prefab, with names.',
    },
  ],
  notes: ['What looks other than in the game is said on standard error.'],
  async run({ args, values }) {
    const { out, project, node, background, names = false, inactive = false } = values;
    const { folder, file = args.SCENE } =
      project === undefined ? placeOfFile(args.SCENE) : { folder: path.resolve(project) };
    const how: RenderOptions = {
      names,
      inactive,
      outlines: !values['no-outlines'],
      node,
      background: readBackground(background),
    };
    const pixels = readPixels(values.pixels);
    const isPng = out !== undefined && /\.png$/i.test(out);
    const { picture, png } = await lookAtProject(folder, async (workspace) => {
      const drawn = renderDocument(readDocument(workspace, file), how);
      return { picture: drawn, png: isPng ? await pngOf(drawn, { pixels }) : undefined };
    });
    const { svg, width, height, nodes, notes } = picture;
    if (out === undefined || out === '-') print(svg.trimEnd());
    else await writeFile(out, png ?? svg);
    if (values.quiet) return exitCodes.ok;
    for (const note of notes) tell(note);
    if (out !== undefined) tell(`drew ${count(nodes, 'node')}, ${width} × ${height}, to ${out}`);
    return exitCodes.ok;
  },
});

function placeOfFile(typed: string): {
  readonly folder: string;
  readonly file?: string | undefined;
} {
  const place = placeOf(typed);
  if (place.file !== undefined) return place;
  const next = 'Name a scene or prefab; with --project DIR also by its db:// address or uuid.';
  throw usageError(`there is no file ${typed}`, next);
}

function readPixels(text = '800'): number {
  const pixels = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (pixels >= 16 && pixels <= maxPixels) return pixels;
  throw usageError(`--pixels cannot be "${text}"`, `Use a number from 16 to ${maxPixels}.`);
}

function readBackground(text: string | undefined): RenderOptions['background'] {
  if (text === undefined || text === 'checker' || text === 'camera' || text === 'none') return text;
  const [, digits] = /^#((?:[0-9a-f]{3}){1,2})$/i.exec(text) ?? [];
  if (digits !== undefined) return `#${digits}`;
  throw usageError(`--background cannot be "${text}"`, 'Use checker, camera, none or #204060.');
}
