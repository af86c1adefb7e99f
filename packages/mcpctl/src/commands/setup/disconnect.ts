import {
  applyDisconnection,
  planDisconnection,
  readConnections,
  type Connection,
  type DisconnectionPlan,
} from '@mcp-kit/host/internal';
import { usageError } from '../../args.ts';
import { defineCommand } from '../../command.ts';
import { shownFile } from '../../config.ts';
import type { Globals } from '../../globals.ts';
import { print, printJson, tell } from '../../output.ts';
import { agreedTo, changeOptions } from '../../setup/change.ts';
import { allFrom, hostsNamed } from '../../setup/hosts.ts';
import { plainField } from '../../terminal/plain-text.ts';

export const disconnect = defineCommand({
  scope: 'config',
  positionals: [
    { name: 'HOSTS', help: 'The hosts whose files to put back.', optional: true, many: true },
  ],
  options: {
    all: { type: 'boolean', help: 'Everything that connect has written, in every project.' },
    ...changeOptions,
  },
  examples: [
    { command: 'mcpctl disconnect cursor', about: 'Put its files back as they were.' },
    { command: 'mcpctl disconnect --all --yes', about: 'Undo everything, without asking.' },
  ],
  notes: [
    'A file that nobody has changed since gets the bytes that it had. Of one that was changed, only the entries that connect wrote are removed, unless somebody has changed these, too.',
  ],
  async run({ args: { HOSTS: names }, values, globals, stop }) {
    const isAll = allFrom(names, values.all ?? false);
    const named = hostsNamed(names);
    const connections = [...(await readConnections(process.env)).values()];
    const chosen = connections.filter(({ host }) => isAll || named.some(({ id }) => id === host));
    if (chosen.length === 0) throw nothingConnected(connections);
    const plans: DisconnectionPlan[] = [];
    for (const connection of chosen) plans.push(await planDisconnection(connection, process.env));
    const changes = plans
      .filter(({ how }) => how !== 'gone')
      .map(({ now, text, connection }) => ({
        file: now.file,
        before: now.text,
        after: text,
        secrets: textsIn(connection.servers),
      }));
    const asking = { yes: values.yes, dryRun: values['dry-run'], globals, stop };
    const agreed = changes.length === 0 || (await agreedTo(changes, asking));
    if (agreed) for (const plan of plans) await applyDisconnection(plan, process.env);
    report(plans, { agreed, globals });
  },
});

function nothingConnected(connections: readonly Connection[]): Error {
  const hosts = [...new Set(connections.map(({ host }) => host))].join(', ');
  return usageError(
    'nothing to undo: connect has written nothing there',
    hosts === '' ? 'mcpctl connect --list shows the hosts.' : `Connected are: ${hosts}.`,
  );
}

/** The values of variables and headers in what was written. */
function textsIn(servers: Connection['servers']): readonly string[] {
  return Object.values(servers).flatMap((server) =>
    Object.values(Object(server) as Record<string, unknown>)
      .filter((part) => typeof part === 'object' && !Array.isArray(part))
      .flatMap((part) => Object.values(Object(part) as Record<string, unknown>))
      .filter((value): value is string => typeof value === 'string' && value.length >= 4)
      .filter((value) => !/\$|\{env:/.test(value)),
  );
}

const outcomes = {
  restored: 'is as it was, to the byte',
  removed: 'was changed by others since: only what connect wrote is removed',
  gone: 'has nothing of it any more',
} as const;

function report(
  plans: readonly DisconnectionPlan[],
  { agreed, globals }: { readonly agreed: boolean; readonly globals: Globals },
): void {
  for (const { left, connection } of plans) {
    for (const name of left) {
      tell(plainField(`${connection.file}: somebody has changed ${name} since: it is left alone`));
    }
  }
  if (globals.json) {
    const files = plans.map(({ connection, how, left }) => ({
      host: connection.host,
      file: connection.file,
      how,
      left,
    }));
    printJson({ undone: agreed, files });
    return;
  }
  if (!agreed) print('nothing was written');
  else {
    for (const { connection, how } of plans) {
      print(`${plainField(shownFile(connection.file, globals))} ${outcomes[how]}`);
    }
  }
}
