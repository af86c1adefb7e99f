import { KitError } from 'mcp-kit/internal';
import type { ServerEntry } from './config/entry.ts';
import { recall, trustSystem, type AdmissionRules } from './connect/admission.ts';
import { approve, assess, type Assessment } from './trust/assess.ts';
import type { Receipt } from './trust/receipt.ts';
import { readReceipts, receiptFor, updateReceipts, withReceipt } from './trust/receipts-file.ts';

/** An approval as it was recorded. */
export interface Approval {
  readonly receipt: Receipt;
  /** Why the tools are not part of it: they are recorded when they are first seen. */
  readonly unpinned?: Error | undefined;
}

/** Whether a server is trusted, and the word of its user. */
export interface AssessedEntry extends Assessment {
  readonly receipt?: Receipt | undefined;
}

export async function trustIn(
  entry: ServerEntry,
  { trust, receipts, context }: AdmissionRules,
): Promise<AssessedEntry> {
  if (trust === 'trusted') return { verdict: 'trusted', changes: [] };
  const known = await recall(entry, receipts);
  return { ...(await assess(entry, known, trustSystem(context))), receipt: known.receipt };
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

/** Those of which there is no approval, by whomever it was taken back; none where all are trusted. */
export async function unapprovedOf(
  entries: readonly ServerEntry[],
  { trust, receipts }: AdmissionRules,
): Promise<readonly string[]> {
  if (trust === 'trusted') return [];
  const all = receipts === false ? undefined : await readReceipts(receipts);
  const isApproved = (entry: ServerEntry): boolean =>
    all !== undefined && receiptFor(all, entry) !== undefined;
  return entries.filter((entry) => !isApproved(entry)).map(({ name }) => name);
}

function fileOf({ receipts }: AdmissionRules): string {
  if (receipts !== false) return receipts;
  throw new KitError('invalid_argument', 'this manager keeps no approvals', {
    hint: 'Name a file for them with the option receipts.',
  });
}
