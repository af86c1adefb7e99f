import { realpathSync } from 'node:fs';
import type { Globals } from '../globals.ts';
import { withManager } from '../open.ts';
import { byReceipts, userName } from '../commands/trust/view.ts';
import { offerApproval } from '../commands/trust/offer.ts';
import { isAttended } from './change.ts';

/** Approves servers that were just written, if the user says so; gives back which. They are not started. */
export async function approveAdded(
  { file, servers }: { readonly file: string; readonly servers: readonly string[] },
  {
    globals,
    stop,
    approve,
  }: { readonly globals: Globals; readonly stop: AbortSignal; readonly approve: boolean },
): Promise<readonly string[]> {
  if (!approve && (!isAttended() || globals.json)) return [];
  const from = { ...byReceipts(globals), target: undefined };
  return withManager({ globals: from, stop }, async ({ manager, entries }) => {
    const approved: string[] = [];
    for (const name of servers) {
      const entry = entries.find((one) => one.name === name && isSame(one.provenance.file, file));
      if (entry === undefined || (await manager.trustOf(name)).verdict === 'trusted') continue;
      if (!approve && !(await offerApproval(entry, { globals, stop }))) continue;
      await manager.approve(name, { by: userName(), pin: false });
      approved.push(name);
    }
    return approved;
  });
}

/** Whether two paths lead to one file; links may be in either. */
function isSame(one: string, other: string): boolean {
  return realpathSync(one) === realpathSync(other);
}
