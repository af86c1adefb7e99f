import {
  receiptsPath,
  updateReceipts,
  withoutReceipt,
  type GoneApproval,
} from '@mcp-kit/host/internal';
import { defineCommand } from '../../command.ts';
import { unknownServer } from '../../config.ts';
import { withManager } from '../../open.ts';
import { print, printJson } from '../../output.ts';
import { plainField } from '../../terminal/plain-text.ts';
import { readApprovals, type Approvals } from './gone.ts';
import { byReceipts } from './view.ts';

export const trustRevoke = defineCommand({
  scope: 'config',
  positionals: [{ name: 'SERVERS', help: 'the servers not to trust any more', many: true }],
  examples: [{ command: 'mcpctl trust revoke github', about: 'Take the approval back.' }],
  notes: ['Also those that are no longer in any file: mcpctl trust list shows them as gone.'],
  async run({ args: { SERVERS: names }, globals, stop }) {
    const approvals = await readApprovals(globals);
    // All names are looked at before anything is done.
    for (const name of names) requireKnown(name, approvals);
    const { config, gone } = approvals;
    const run = { globals: byReceipts(globals), stop, config };
    const revoked = await withManager(run, async ({ manager, entries }) => {
      const outcomes: { name: string; wasApproved: boolean }[] = [];
      for (const name of names) {
        const isHere = entries.some((entry) => entry.name === name);
        const wasHere = isHere && (await manager.revoke(name));
        const wasElsewhere = await forget(gone.filter((one) => one.name === name));
        outcomes.push({ name, wasApproved: wasHere || wasElsewhere });
      }
      return outcomes;
    });
    if (globals.json) {
      printJson({ revoked });
      return;
    }
    for (const { name, wasApproved } of revoked) {
      print(plainField(wasApproved ? `${name} is no longer approved` : `${name} was not approved`));
    }
  },
});

function requireKnown(name: string, { config, gone }: Approvals): void {
  const known = [...config.entries, ...gone];
  if (!known.some((one) => one.name === name)) throw unknownServer(name, known);
}

/** Takes back what is left of servers that are gone; whether there was anything. */
async function forget(gone: readonly GoneApproval[]): Promise<boolean> {
  if (gone.length === 0) return false;
  await updateReceipts(receiptsPath(process.env), (all) =>
    gone.reduce((rest, { file, name }) => withoutReceipt(rest, file, name), all),
  );
  return true;
}
