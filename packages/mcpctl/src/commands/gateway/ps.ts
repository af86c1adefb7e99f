import { defineCommand } from '../../command.ts';
import {
  describe,
  findRunning,
  gatewayOption,
  noneRuns,
  withRunning,
} from '../../control/client.ts';
import type { RunningServer, RunningStatus } from '../../control/protocol.ts';
import { ago } from '../../control/show.ts';
import { exitCodes } from '../../exit-code.ts';
import type { Globals } from '../../globals.ts';
import { print, printJson } from '../../output.ts';
import { plainLine } from '../../terminal/plain-text.ts';
import { columnsOf, createStyle } from '../../terminal/style.ts';
import { table } from '../../terminal/table.ts';

export const ps = defineCommand({
  scope: 'config',
  options: gatewayOption,
  examples: [
    { command: 'mcpctl ps', about: 'How the servers of every running gateway are.' },
    { command: "mcpctl ps --json | jq '.gateways[].servers[].state'", about: 'In a script.' },
  ],
  notes: [
    'CALLS: under way, then answered in all, then how many of these were errors. RESTARTS: how often it was restarted, or a conversation with it was lost.',
    'It ends with 4 when no gateway runs.',
  ],
  async run({ values, globals }) {
    const { gateway } = values;
    const shown =
      gateway === undefined
        ? await statuses()
        : [await withRunning({ ...globals, gateway }, async ({ status }) => status)];
    if (globals.json) printJson({ gateways: shown });
    else print(shown.map((status) => show(status, globals)).join('\n\n'));
    return exitCodes.ok;
  },
});

async function statuses(): Promise<readonly RunningStatus[]> {
  const found = await findRunning();
  await Promise.all(found.map((running) => running.close()));
  if (found.length === 0) throw noneRuns();
  return found.map(({ status }) => status);
}

const head = ['SERVER', 'STATE', 'PID', 'ERA', 'SESSIONS', 'CALLS', 'RESTARTS', 'SINCE'];

function show({ gateway, servers }: RunningStatus, globals: Globals): string {
  const { bold, dim } = createStyle(globals);
  const rows = servers.map((server) => [
    server.name,
    server.state,
    String(server.pid ?? '-'),
    server.version ?? '-',
    String(server.conversations),
    callsOf(server),
    String(server.restarts),
    ago(server.since),
  ]);
  const lines = [bold(plainLine(describe(gateway))) + dim(`  up ${ago(gateway.startedAt)}`)];
  lines.push(table(rows, { head, columns: columnsOf(process.stdout), paint: { head: dim } }));
  for (const { name, reason, next = '', logins = 0 } of servers) {
    if (reason !== undefined) lines.push(plainLine(`${name}: ${reason}. ${next}`));
    if (logins > 0) lines.push(plainLine(`${name}: logins that are waited for: ${logins}`));
  }
  return lines.join('\n');
}

function callsOf({ calls: { underWay, outcomes } }: RunningServer): string {
  const { ok, failed, refused, broken } = outcomes;
  const errors = failed + refused + broken;
  return `${underWay}/${ok + errors}/${errors}`;
}
