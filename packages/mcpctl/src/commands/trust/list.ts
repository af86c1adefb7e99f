import { defineCommand } from '../../command.ts';
import { withManager } from '../../open.ts';
import { count, print, printJson, sumUp } from '../../output.ts';
import { columnsOf, createStyle, type Paint } from '../../terminal/style.ts';
import { table } from '../../terminal/table.ts';
import { readApprovals } from './gone.ts';
import { byReceipts } from './view.ts';

export const trustList = defineCommand({
  scope: 'config',
  examples: [{ command: 'mcpctl trust list', about: 'Which servers may be used as they are now.' }],
  notes: [
    'trusted: approved, and still what was approved. changed: it was approved, and is something else now.',
    'gone: it was approved, and is no longer in its file; it would be trusted if it came back as it was.',
    'Servers that are not approved are started never, and reached only at public https addresses.',
  ],
  async run({ globals, stop }) {
    const startedMs = performance.now();
    const { config, gone } = await readApprovals(globals);
    const left = gone.map(({ name, file, receipt: { approvedAt, by } }) => {
      return { name, since: approvedAt, by, file };
    });
    const run = { globals: byReceipts(globals), stop, config };
    const servers = await withManager(run, ({ manager, entries }) =>
      Promise.all(
        entries.map(async ({ name, enabled, provenance: { file, pointer, dialect, scope } }) => {
          const { verdict, receipt } = await manager.trustOf(name);
          const approval = receipt && { since: receipt.approvedAt, by: receipt.by };
          return { name, trust: verdict, ...approval, file, pointer, dialect, scope, enabled };
        }),
      ),
    );
    if (globals.json) {
      printJson({ servers, gone: left });
      return;
    }
    const { bold, green, yellow } = createStyle(globals);
    const all = [...servers, ...left.map((one) => ({ ...one, trust: 'gone' }))];
    const rows = all.map(({ name, trust, since, file }) => [
      name,
      trust,
      since?.slice(0, 10) ?? '',
      file,
    ]);
    const verdict: Paint = (word) =>
      word === 'trusted' ? green(word) : word === 'untrusted' ? word : yellow(word);
    print(
      table(rows, {
        head: ['SERVER', 'TRUST', 'SINCE', 'FILE'],
        columns: columnsOf(process.stdout),
        paint: { head: bold, cells: [undefined, verdict] },
      }),
    );
    const open = servers.filter(({ trust, enabled }) => trust !== 'trusted' && enabled);
    const rest = left.length === 0 ? '' : `, ${left.length} gone`;
    const sum = `${count(servers.length, 'server')}, ${open.length} not trusted${rest}`;
    sumUp(globals, sum, startedMs);
  },
});
