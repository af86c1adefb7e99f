import { showChange, type Change, type Receipt, type ServerEntry } from '@mcp-kit/host';
import { defineCommand } from '../../command.ts';
import { withManager } from '../../open.ts';
import { print, printJson } from '../../output.ts';
import { plainField } from '../../terminal/plain-text.ts';
import { createStyle } from '../../terminal/style.ts';
import { aligned, byReceipts, proposalLines, proposalOf, receiptLines, verdicts } from './view.ts';

export const trustShow = defineCommand({
  scope: 'config',
  positionals: [{ name: 'SERVER', help: 'the server to look at' }],
  examples: [
    { command: 'mcpctl trust show github', about: 'What it would run, and what was approved.' },
  ],
  async run({ args: { SERVER: server }, globals, stop }) {
    const run = { globals: byReceipts(globals), stop, server };
    const { standing, entry } = await withManager(run, async ({ manager, entries }) => ({
      standing: await manager.trustOf(server),
      entry: entries.find(({ name }) => name === server),
    }));
    if (entry === undefined) return;
    const { verdict, changes, receipt } = standing;
    if (globals.json) {
      printJson({ server, trust: verdict, changes, proposal: proposalOf(entry), receipt });
      return;
    }
    const { bold } = createStyle(globals);
    print(`${bold(plainField(server))}: ${verdicts[verdict]}`);
    print(describe(entry, receipt, changes));
  },
});

function describe(
  entry: ServerEntry,
  receipt: Receipt | undefined,
  changes: readonly Change[],
): string {
  const parts = [aligned(proposalLines(entry))];
  if (receipt !== undefined) parts.push('receipt:', aligned(receiptLines(receipt)));
  if (changes.length > 0) parts.push('changes:', ...changes.flatMap(indented));
  return parts.join('\n');
}

function indented(change: Change): readonly string[] {
  return showChange(change).map((line) => `  ${line}`);
}
