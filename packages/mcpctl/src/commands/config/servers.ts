import type { ClientSettings } from '@mcp-kit/host';
import { defineCommand, type Invocation } from '../../command.ts';
import { noServers, readConfig, shownFile, shownTarget } from '../../config.ts';
import { checkAll, checkSum, checkTable, isWell } from '../../doctor/check.ts';
import { exitCodes } from '../../exit-code.ts';
import type { Globals } from '../../globals.ts';
import { withManager } from '../../open.ts';
import { count, describeFailure, print, printJson, sumUp, warn } from '../../output.ts';
import { namedTable } from '../../show/item.ts';
import { describeServer, type ServerRow } from '../../show/server.ts';

export const servers = defineCommand({
  scope: 'config',
  options: {
    check: { type: 'boolean', help: 'Open each, all at the same time, and say which work.' },
  },
  examples: [
    { command: 'mcpctl servers', about: 'Which servers there are, and which are trusted.' },
    { command: 'mcpctl servers --json --show-argv', about: 'All that is known, for a script.' },
    { command: 'mcpctl servers --config mcp.json', about: 'Only those of one file.' },
    { command: 'mcpctl servers --check', about: 'Which work, and what to do about the others.' },
  ],
  notes: [
    'Values of variables, headers and queries of URLs are never shown.',
    'With --check, exit code 1 when one that is switched on does not work. mcpctl doctor NAME says why, step by step.',
    'With --check --json, errors has what is wrong with entries and files that cannot be read.',
  ],
  async run({ values, globals, stop }) {
    const startedMs = performance.now();
    if (values.check) return checkServers({ globals, stop, startedMs });
    const config = await readConfig(globals);
    const rows = await withManager({ globals, stop, config }, ({ manager, entries }) =>
      Promise.all(
        entries.map(async (entry) => {
          const { verdict } = await manager.trustOf(entry.name);
          return { entry, trust: verdict, state: manager.status(entry.name).state };
        }),
      ),
    );
    const isWrong = config.errors.length > 0;
    if (globals.json) {
      const file = config.sources.find(({ scope }) => scope === 'explicit' || scope === 'project');
      printJson({
        config_path: file?.file ?? null,
        client: describeClient(config.client),
        servers: rows.map((row) => describeServer(row, globals)),
      });
    } else {
      show(rows, globals);
      sumUp(globals, count(rows.length, 'server'), startedMs);
    }
    return isWrong ? exitCodes.failed : exitCodes.ok;
  },
});

/** Opens every server, and says of each in a line whether it works. */
export async function checkServers({
  globals,
  stop,
  startedMs,
}: Pick<Invocation, 'globals' | 'stop'> & { readonly startedMs: number }): Promise<number> {
  const config = await readConfig(globals);
  if (config.entries.length === 0) throw noServers(globals, config);
  // The checks have a line of their own for what is waited for.
  const run = { globals, stop, config, tells: true, more: { onChange: undefined } };
  const checks = await withManager(run, (opened) => checkAll(opened, { globals, stop }));
  const works = isWell(checks) && config.errors.length === 0;
  const errors = config.errors.map(describeFailure);
  if (globals.json) printJson({ ok: works, servers: checks, errors });
  else print(checkTable(checks, globals));
  sumUp(globals, checkSum(checks), startedMs);
  return works ? exitCodes.ok : exitCodes.failed;
}

function describeClient({ protocolVersion, capabilities }: ClientSettings): object {
  return { protocol_version: protocolVersion ?? null, capabilities: capabilities ?? null };
}

function show(rows: readonly ServerRow[], globals: Globals): void {
  const cells = rows.map(({ entry, trust, state }) => [
    entry.name,
    entry.transport.kind,
    state === 'disabled' ? 'switched off' : trust,
    shownTarget(entry, globals),
    shownFile(entry.provenance.file, globals),
  ]);
  if (cells.length > 0) {
    print(namedTable(['NAME', 'KIND', 'TRUST', 'TARGET', 'FROM'], cells, globals));
  }
  if (rows.length === 0) {
    warn(
      globals,
      'mcpctl config files lists where they are looked for. Without a file: mcpctl tools --url URL',
    );
  }
  const isUnknown = rows.some(({ trust, state }) => trust !== 'trusted' && state !== 'disabled');
  if (isUnknown) {
    warn(globals, 'Not trusted: look with mcpctl trust show NAME, then mcpctl trust approve NAME.');
  }
}
