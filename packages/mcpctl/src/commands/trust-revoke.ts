import { defineCommand } from '../command.ts';
import { withManager } from '../open.ts';
import { print, printJson } from '../output.ts';
import { plainText } from '../terminal/plain-text.ts';
import { byReceipts } from './trust-view.ts';

export const trustRevoke = defineCommand({
  scope: 'config',
  positionals: [{ name: 'SERVERS', help: 'the servers not to trust any more', many: true }],
  examples: [{ command: 'mcpctl trust revoke github', about: 'Take the approval back.' }],
  async run({ args: { SERVERS: names }, globals, stop }) {
    const run = { globals: byReceipts(globals), stop };
    const revoked = await withManager(run, async ({ manager }) => {
      // All names are looked at before anything is done.
      for (const name of names) manager.status(name);
      const outcomes: { name: string; wasApproved: boolean }[] = [];
      for (const name of names) {
        outcomes.push({ name, wasApproved: await manager.revoke(name) });
      }
      return outcomes;
    });
    if (globals.json) {
      printJson({ revoked });
      return;
    }
    for (const { name, wasApproved } of revoked) {
      print(plainText(wasApproved ? `${name} is no longer approved` : `${name} was not approved`));
    }
  },
});
