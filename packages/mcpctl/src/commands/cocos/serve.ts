import { statSync } from 'node:fs';
import path from 'node:path';
import { usageError, type Options, type OptionValues } from '../../args.ts';
import type { ServedProject } from '../../cocos/open-server.ts';
import { defineCommand } from '../../command.ts';
import { exitCodes } from '../../exit-code.ts';
import type { Offer } from '../../serve/announce.ts';
import { httpOnly, serveGroups } from '../../serve/options.ts';
import { loggerOf, serveUntilStopped } from '../../serve/serving.ts';
import { readSettings, refuseWorkers, type ServeSettings } from '../../serve/settings.ts';
import { keysFor, openState, statePlace } from '../../serve/state.ts';

const what = {
  project: {
    type: 'string',
    value: 'DIR',
    help: 'The folder of the project, or one in it. Default: this folder.',
  },
  sample: {
    type: 'boolean',
    help: 'Serve a copy of the sample project: in DIR, or in a folder that goes when this ends.',
  },
  layer: {
    type: 'string',
    multiple: true,
    choices: ['core', 'advanced', 'internal'],
    value: 'NAME',
    help: 'Which tools are there: core, advanced or internal. Default: core. May be repeated.',
  },
  'image-folder': {
    type: 'string',
    multiple: true,
    value: 'DIR',
    help: 'Images may be imported from there, besides the project. May be repeated.',
  },
} as const satisfies Options;

const { governed: _, stdio: __, ...place } = serveGroups.Where;
const { 'new-api-key': ___, ...authorization } = serveGroups.Authorization;
const where = {
  stdio: { type: 'boolean', help: 'Serve on standard input and output, as by default.' },
  http: { type: 'boolean', help: 'Serve over HTTP, which every option about HTTP means, too.' },
  ...place,
} as const satisfies Options;
const { Where, Authorization, ...others } = serveGroups;
const groups = { What: what, Where: where, Authorization: authorization, ...others } as const;

const options = {
  ...what,
  ...where,
  ...authorization,
  ...serveGroups['Who can reach it'],
  ...serveGroups.Limits,
  ...serveGroups.Operation,
  ...serveGroups.Output,
} as const satisfies Options;

type Values = OptionValues<typeof options>;

export const cocosServe = defineCommand({
  scope: 'own',
  options,
  groups,
  examples: [
    { command: 'mcpctl cocos serve --project my-game', about: 'Over stdio, for a host to start.' },
    { command: 'mcpctl cocos serve --project my-game --port 7420', about: 'Over HTTP.' },
    {
      command: 'mcpctl cocos serve --project my-game --image-folder ~/art',
      about: 'With pictures from elsewhere.',
    },
    { command: 'mcpctl cocos serve --sample --http', about: 'To look around.' },
    { command: 'mcpctl tools -- mcpctl cocos serve --sample', about: 'What there is.' },
  ],
  notes: ['The full story: docs/cocos.md'],
  endsItself: true,
  async run({ values, stop }) {
    const settings = await settingsOf(values);
    const logger = await loggerOf(settings);
    const { openProjectServer } = await import('../../cocos/open-server.ts');
    const given = values.project === undefined ? undefined : path.resolve(values.project);
    await using sample = values.sample
      ? await (await import('../../cocos/sample.ts')).copySample(given)
      : undefined;
    const folder = sample?.folder ?? given ?? process.cwd();
    const layers = values.layer ?? ['core'];
    const imageFolders = foldersOf(values['image-folder'] ?? []);
    await using state = await openState(statePlace(settings.place), (text) => logger.warn(text));
    const plans = keysFor(state, 'plan');
    await using opened = await openProjectServer(folder, { logger, layers, imageFolders, plans });
    const offer = offerOf(opened, sample?.isTemporary ?? false);
    const quiet = values.quiet === true;
    const { server } = opened;
    await serveUntilStopped({ server, offer, settings, logger, stop, quiet, state });
    return exitCodes.ok;
  },
});

function foldersOf(typed: readonly string[]): string[] {
  return typed.map((each) => {
    const folder = path.resolve(each);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
    throw usageError(`--image-folder: there is no folder ${each}`, 'Name one that is there.');
  });
}

function offerOf({ name, root }: ServedProject, isTemporary: boolean): Offer {
  const kept = isTemporary ? ' (a copy that goes when this ends; --project DIR keeps one)' : '';
  return {
    what: `the Cocos Creator project ${name}`,
    name: 'cocos',
    firstTool: 'get_project_info',
    more: [`Project: ${root}${kept}`],
    facts: { project: root },
  };
}

/** Over stdio, unless something is said that means something else. */
function settingsOf(values: Values): Promise<ServeSettings> {
  const { http, stdio, unix } = values;
  if (http && (stdio || unix !== undefined)) {
    const other = stdio ? '--stdio' : '--unix';
    throw usageError(`--http and ${other} exclude each other`, 'Leave out one of them.');
  }
  refuseWorkers(values, 'one process has the project open, and what can be undone of it');
  const given: Readonly<Record<string, unknown>> = values;
  const isHttp = http || values.json || httpOnly.some((name) => given[name] !== undefined);
  return readSettings(isHttp || unix !== undefined ? values : { ...values, stdio: true });
}
