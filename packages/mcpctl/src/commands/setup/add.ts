import path from 'node:path';
import type { ServerEntry } from '@mcp-kit/host';
import { changeServerFile, writeEntries } from '@mcp-kit/host/internal';
import { usageError, type Options, type OptionValues } from '../../args.ts';
import { defineCommand } from '../../command.ts';
import { shownFile } from '../../config.ts';
import type { Globals } from '../../globals.ts';
import { print, printJson, warn } from '../../output.ts';
import { agreedTo, changeOptions, secretsOf } from '../../setup/change.ts';
import { destinationOf, type Destination } from '../../setup/destination.ts';
import { checkName, readGiven } from '../../setup/given.ts';
import { settingOptions, type Settings } from '../../setup/settings.ts';
import { approveAdded } from '../../setup/approve-added.ts';
import { readHeader, readVariable } from '../../target.ts';
import { plainField } from '../../terminal/plain-text.ts';

const options = {
  ...changeOptions,
  user: {
    type: 'boolean',
    help: "Into your own file, for every project. Default: the project's.",
  },
  replace: { type: 'boolean', help: 'Replace a server of the same name.' },
  approve: {
    type: 'boolean',
    help: 'Approve what is written as well, so that it can be used at once.',
  },
  env: {
    type: 'string',
    multiple: true,
    value: 'NAME=VALUE',
    help: 'A variable for the command. Never printed. May be repeated.',
  },
  header: {
    type: 'string',
    multiple: true,
    value: "'NAME: VALUE'",
    help: 'A header for the URL. Never printed. May be repeated.',
  },
  cwd: { type: 'string', value: 'DIR', help: 'Start the command in this folder.' },
  type: {
    type: 'string',
    choices: ['http', 'sse'],
    value: 'TYPE',
    help: 'How the URL is spoken to: http or sse. Default: http.',
  },
  set: {
    type: 'string',
    multiple: true,
    value: 'NAME=VALUE',
    help: 'Answers what a server of the registry needs, instead of asking. May be repeated.',
  },
  from: {
    type: 'string',
    choices: ['remote', 'package'],
    value: 'WAY',
    help: 'Of a server of the registry: at its URL (remote) or run here (package). Default: at its URL, if it has one.',
  },
  registry: {
    type: 'string',
    value: 'URL',
    help: 'The registry to look names up in. Default: the official one.',
  },
  'server-version': {
    type: 'string',
    value: 'VERSION',
    help: 'The version in the registry. Default: latest.',
  },
} as const satisfies Options;

type Values = OptionValues<typeof options>;

export const add = defineCommand({
  positionals: [
    { name: 'NAME', help: 'What to call the server.', optional: true },
    {
      name: 'WHAT',
      help: 'A URL, JSON or TOML that has it, or its name in the registry; - reads standard input.',
      optional: true,
      many: true,
    },
  ],
  options,
  examples: [
    { command: 'mcpctl add linear https://mcp.linear.app/mcp', about: 'A server at a URL.' },
    {
      command: 'mcpctl add files -- npx -y some-server@1.2.0 .',
      about: 'A server that is a command.',
    },
    {
      command: `mcpctl add '{"mcpServers":{"files":{"command":"npx","args":["some-server"]}}}'`,
      about: 'What the page of a server says to paste, whichever host it is for.',
    },
    {
      command: 'mcpctl add --user - < config.toml',
      about: 'From standard input, for every project.',
    },
    { command: 'mcpctl add io.github.someone/server', about: 'By its name in the registry.' },
  ],
  notes: [
    'The project has .mcp.json or else mcp.json, you have mcp-kit/mcp.json in $XDG_CONFIG_HOME; --config FILE names another.',
    'Comments, order and everything else in the file stay. The difference is shown first; a terminal is asked, a script says --yes.',
  ],
  async run({ args, values, globals, stop }) {
    const words = args.NAME === undefined ? [] : [args.NAME, ...args.WHAT];
    const entries = await readGiven(words, { globals, stop, settings: settingsOf(values) });
    for (const { name } of entries) checkName(name);
    const destination = await destinationOf(globals, { user: values.user ?? false });
    const { text, servers, lost } = await written(destination, entries, values.replace ?? false);
    const { file, text: before } = destination;
    for (const { server, field, why } of lost) {
      warn(globals, plainField(`lost: ${server}: ${field}: ${why}`));
    }
    const isNew = text !== before;
    const change = { file, before, after: text, secrets: secretsOf(entries) };
    const asking = { yes: values.yes, dryRun: values['dry-run'], globals, stop };
    const agreed = !isNew || (await agreedTo([change], asking));
    if (agreed && isNew) await changeServerFile(destination, text, { mode: modeFor(values) });
    const place = { file, servers, written: agreed && isNew };
    // Before the approval: whatever becomes of that, this is done.
    if (!globals.json) say(place, globals);
    const approval = { globals, stop, approve: values.approve ?? false };
    const approved = agreed ? await approveAdded(place, approval) : [];
    if (globals.json) printJson({ ...place, lost, approved });
    else if (place.written) sayNext(servers, approved, globals);
  },
});

function settingsOf(values: Values): Settings {
  return {
    given: settingOptions.filter((option) => values[option] !== undefined),
    env: Object.fromEntries((values.env ?? []).map(readVariable)),
    headers: Object.fromEntries((values.header ?? []).map(readHeader)),
    cwd: values.cwd === undefined ? undefined : path.resolve(values.cwd),
    type: values.type,
    answers: Object.fromEntries((values.set ?? []).map(readVariable)),
    from: values.from,
    registry: values.registry,
    version: values['server-version'],
  };
}

/** What is in the file of a user is for them alone. */
function modeFor({ user }: Values): number {
  return user === true ? 0o600 : 0o644;
}

async function written(
  { file, text, dialect }: Destination,
  entries: readonly ServerEntry[],
  replace: boolean,
): ReturnType<typeof writeEntries> {
  const result = await writeEntries(entries, dialect, {
    into: text,
    file,
    mayReplace: () => replace,
  });
  const [taken] = result.kept;
  if (taken !== undefined) {
    throw usageError(
      `${file} already has a server named ${taken}`,
      'Choose another name, or add --replace; mcpctl remove NAME takes it out.',
    );
  }
  const refused = result.lost.find(({ field }) => field === 'transport');
  if (result.servers.length === 0 && refused !== undefined) {
    throw usageError(
      `${file} cannot have ${refused.server}: ${refused.why}`,
      'Name another file with --config FILE.',
    );
  }
  return result;
}

interface Place {
  readonly file: string;
  readonly servers: readonly string[];
  readonly written: boolean;
}

function say({ file, servers, written: isWritten }: Place, globals: Globals): void {
  const names = plainField(servers.join(', '));
  const place = shownFile(file, globals);
  print(isWritten ? `${place}: added ${names}` : `${place}: nothing was written`);
}

function sayNext(servers: readonly string[], approved: readonly string[], globals: Globals): void {
  const [first = 'NAME'] = servers;
  const next = approved.includes(first) ? 'tools' : 'trust approve';
  warn(globals, `Next: mcpctl ${next} ${plainField(first)}`);
}
