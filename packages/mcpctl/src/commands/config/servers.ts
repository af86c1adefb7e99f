import type { ClientSettings } from '@mcp-kit/host';
import { defineCommand } from '../../command.ts';
import { readConfig, shownFile, shownTarget } from '../../config.ts';
import { exitCodes } from '../../exit-code.ts';
import type { Globals } from '../../globals.ts';
import { withManager } from '../../open.ts';
import { count, print, printJson, sumUp, warn } from '../../output.ts';
import { namedTable } from '../../show/item.ts';
import { describeServer, type ServerRow } from '../../show/server.ts';

export const servers = defineCommand({
  scope: 'config',
  examples: [
    { command: 'mcpctl servers', about: 'Which servers there are, and which are trusted.' },
    { command: 'mcpctl servers --json --show-argv', about: 'All that is known, for a script.' },
    { command: 'mcpctl servers --config mcp.json', about: 'Only those of one file.' },
  ],
  notes: ['Values of variables, headers and queries of URLs are never shown.'],
  async run({ globals, stop }) {
    const startedMs = performance.now();
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
