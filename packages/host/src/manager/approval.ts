import { KitError } from 'mcp-kit/internal';
import type { ServerEntry } from './config/entry.ts';
import { trustSystem, type AdmissionRules } from './connect/admission.ts';
import { approve } from './trust/assess.ts';
import type { Receipt } from './trust/receipt.ts';
import { receiptFor, updateReceipts, withReceipt } from './trust/receipts-file.ts';

/** An approval as it was recorded. */
export interface Approval {
  readonly receipt: Receipt;
  /** Why the tools are not part of it: they are recorded when they are first seen. */
  readonly unpinned?: Error | undefined;
}

export async function recordApproval(
  entry: ServerEntry,
  admission: AdmissionRules,
  { by }: { readonly by: string },
): Promise<Receipt> {
  const receipt = await approve(entry, trustSystem(admission.context), { by });
  await updateReceipts(fileOf(admission), (all) => withReceipt(all, entry, receipt));
  return receipt;
}

/** Whether there was one. What others say of the server, in its lock, has no part in it. */
export async function removeApproval(
  entry: ServerEntry,
  admission: AdmissionRules,
): Promise<boolean> {
  let wasApproved = false;
  await updateReceipts(fileOf(admission), (all) => {
    wasApproved = receiptFor(all, entry) !== undefined;
    return withReceipt(all, entry);
  });
  return wasApproved;
}

function fileOf({ receipts }: AdmissionRules): string {
  if (receipts !== false) return receipts;
  throw new KitError('invalid_argument', 'this manager keeps no approvals', {
    hint: 'Name a file for them with the option receipts.',
  });
}
