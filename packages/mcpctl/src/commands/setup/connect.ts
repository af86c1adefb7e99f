import { existsSync } from 'node:fs';
import path from 'node:path';
import { adHocEntry, type ServerEntry } from '@mcp-kit/host';
import {
  applyConnection,
  connectable,
  hostFile,
  isInstalled,
  planConnection,
  readConnections,
  type ConnectionPlan,
  type Host,
  type HostFile,
  type Level,
} from '@mcp-kit/host/internal';
import { usageError, type Options, type OptionValues } from '../../args.ts';
import { defineCommand } from '../../command.ts';
import { noServers, readConfig, shownFile, unknownServer } from '../../config.ts';
import { exitCodes } from '../../exit-code.ts';
import type { Globals } from '../../globals.ts';
import { count, print, printJson, tell, warn } from '../../output.ts';
import { agreedTo, changeOptions, secretsOf } from '../../setup/change.ts';
import { checkName } from '../../setup/given.ts';
import { allFrom, hostsNamed, listHosts, surroundingsOf } from '../../setup/hosts.ts';
import { plainField } from '../../terminal/plain-text.ts';

const options = {
  all: { type: 'boolean', help: 'Every host that is there.' },
  list: { type: 'boolean', help: 'List the hosts, their files, and which are there.' },
  user: { type: 'boolean', help: "Your own files, for every project. Default: the project's." },
  server: {
    type: 'string',
    multiple: true,
    value: 'NAME',
    help: 'Only this server of the configuration. May be repeated.',
  },
  gateway: {
    type: 'string',
    value: 'URL',
    help: 'One entry that leads to this gateway, instead of the servers.',
  },
  name: { type: 'string', value: 'NAME', help: 'What the gateway is called. Default: mcp-kit.' },
  ...changeOptions,
} as const satisfies Options;

type Values = OptionValues<typeof options>;

export const connect = defineCommand({
  scope: 'config',
  positionals: [
    {
      name: 'HOSTS',
      help: 'The hosts to write for; --list names them.',
      optional: true,
      many: true,
    },
  ],
  options,
  examples: [
    { command: 'mcpctl connect --list', about: 'Which hosts are known, and which are there.' },
    {
      command: 'mcpctl connect cursor vscode',
      about: "The project's servers, into the project's files of two hosts.",
    },
    {
      command: 'mcpctl connect --all --user --gateway http://127.0.0.1:7420/mcp',
      about: 'One gateway, for every host and project.',
    },
  ],
  notes: [
    'Into the files of a project go the servers of the project; into your own files your own, and those of the project that --server names. Comments, order and everything else stay.',
    'A server of the same name that is there already is left alone, unless it was written by this command and nobody has changed it since.',
    'The text from before is kept: mcpctl disconnect puts back the same bytes.',
  ],
  async run({ args: { HOSTS: names }, values, globals, stop }) {
    if (values.list === true) return listHosts(globals);
    const level = values.user === true ? 'user' : 'project';
    const files = await filesFor(names, { all: values.all ?? false, level, globals });
    const entries = await entriesFor(values, { level, globals });
    const connections = await readConnections(process.env);
    const plans: ConnectionPlan[] = [];
    for (const file of files) {
      plans.push(await planConnection(file, entries, { root: globals.root, connections }));
    }
    for (const plan of plans) remarkOn(plan, globals);
    const open = plans.filter(({ before, text }) => before.text !== text);
    const secrets = secretsOf(entries);
    const changes = open.map(({ before, text }) => ({
      file: before.file,
      before: before.text,
      after: text,
      secrets,
    }));
    const asking = { yes: values.yes, dryRun: values['dry-run'], globals, stop };
    const agreed = open.length > 0 && (await agreedTo(changes, asking));
    if (agreed) for (const plan of open) await applyConnection(plan, process.env);
    report(plans, { written: agreed ? open : [], globals });
    return plans.some(({ kept }) => kept.length > 0) ? exitCodes.failed : exitCodes.ok;
  },
});

interface Wanted {
  readonly all: boolean;
  readonly level: Level;
  readonly globals: Globals;
}

async function filesFor(
  names: readonly string[],
  { all, level, globals }: Wanted,
): Promise<readonly HostFile[]> {
  const surroundings = surroundingsOf(globals);
  if (allFrom(names, all)) {
    const there: HostFile[] = [];
    for (const host of connectable) {
      const file = await hostFile(host, level, surroundings);
      if (file !== undefined && (await isInstalled(host, surroundings))) there.push(file);
    }
    if (there.length > 0) return there;
    throw usageError(
      'no host is there',
      'Name one: mcpctl connect --list shows all that are known.',
    );
  }
  return Promise.all(
    hostsNamed(names).map(async (host) => {
      const file = await hostFile(host, level, surroundings);
      if (file !== undefined) return file;
      throw noFile(host, level);
    }),
  );
}

function noFile({ title, id }: Host, level: Level): Error {
  return level === 'project'
    ? usageError(
        `${title} has no file in a project`,
        `Write into yours: mcpctl connect ${id} --user`,
      )
    : usageError(`${title} has no file of the user`, `Leave out --user: mcpctl connect ${id}`);
}

/** What to write: the gateway, or servers of the configuration. */
async function entriesFor(
  values: Values,
  { level, globals }: Pick<Wanted, 'level' | 'globals'>,
): Promise<readonly ServerEntry[]> {
  const { gateway, name = 'mcp-kit', server: names } = values;
  if (gateway !== undefined) {
    if (names !== undefined) {
      throw usageError('--gateway and --server exclude each other', 'Leave out one of them.');
    }
    if (!URL.canParse(gateway) || !/^https?:$/.test(new URL(gateway).protocol)) {
      throw usageError(
        '--gateway is not an http or https URL',
        'Write it in full: http://127.0.0.1:7420/mcp',
      );
    }
    checkName(name);
    return [adHocEntry({ url: gateway, flavour: 'http' }, name)];
  }
  if (values.name !== undefined) {
    throw usageError('--name needs --gateway', 'It is what the gateway is called: --gateway URL');
  }
  const config = await readConfig(globals);
  if (config.entries.length === 0) throw noServers(globals, config);
  // What a repository brought along is not put into the files of its user, unless they name it.
  const scopes: readonly string[] =
    level === 'user' ? ['user', 'explicit'] : ['project', 'explicit'];
  const usable = config.entries.filter(({ provenance }) => scopes.includes(provenance.scope));
  const unknown = names?.find((one) => config.entries.every((entry) => entry.name !== one));
  if (unknown !== undefined) throw unknownServer(unknown, config.entries);
  const chosen =
    names === undefined ? usable : config.entries.filter((entry) => names.includes(entry.name));
  if (chosen.length > 0) return chosen.map((entry) => standing(entry, { level, globals }));
  throw level === 'project'
    ? usageError(
        'the project has no servers',
        'Add one: mcpctl add NAME URL. Your own servers go into your own files: mcpctl connect HOST --user',
      )
    : usageError(
        'you have no servers of your own',
        'Add one: mcpctl add NAME URL --user. Name those of the project that you mean: --server NAME',
      );
}

/** In a file of the user, files of the project have to be named in full. */
function standing(
  entry: ServerEntry,
  { level, globals }: Pick<Wanted, 'level' | 'globals'>,
): ServerEntry {
  const { transport, provenance } = entry;
  if (level !== 'user' || provenance.scope !== 'project' || transport.kind !== 'stdio')
    return entry;
  const inFull = (word: string): string => {
    const file = path.resolve(globals.root, word);
    return /[/.]/.test(word) && existsSync(file) ? file : word;
  };
  const { command, args } = transport;
  return {
    ...entry,
    transport: { ...transport, command: inFull(command), args: args.map(inFull) },
  };
}

function remarkOn({ host, file, kept, lost }: ConnectionPlan, globals: Globals): void {
  for (const { server, field, why } of lost) {
    warn(globals, plainField(`${host.title}: ${server}: lost: ${field}: ${why}`));
  }
  for (const name of kept) {
    tell(
      plainField(`${file} already has ${name}, which was not written by mcpctl: it is left alone`),
    );
  }
}

interface Outcome {
  readonly written: readonly ConnectionPlan[];
  readonly globals: Globals;
}

function report(plans: readonly ConnectionPlan[], { written, globals }: Outcome): void {
  if (globals.json) {
    printJson({
      hosts: plans.map((plan) => ({
        host: plan.host.id,
        file: plan.file,
        servers: plan.servers,
        written: written.includes(plan),
        kept: plan.kept,
        lost: plan.lost,
      })),
    });
    return;
  }
  for (const plan of plans) {
    const { host, file, servers, before, text } = plan;
    const place = shownFile(file, globals);
    const names = plainField(servers.join(', '));
    if (written.includes(plan)) print(`${host.title}: ${place} has ${names}`);
    else if (before.text === text) {
      print(`${host.title}: ${place}: nothing to write`);
    }
  }
  if (written.length > 0) {
    warn(globals, `${count(written.length, 'file')} written. Undo: mcpctl disconnect --all`);
  } else print('nothing was written');
}
