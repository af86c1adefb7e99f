import type { Tool } from 'mcp-kit/internal';
import type { ServerEntry } from '../config/entry.ts';
import { recall, type AdmissionRules } from '../connect/admission.ts';
import type { ToolCache } from './cache.ts';
import type { Known } from '../trust/assess.ts';
import { untrustedRules } from '../trust/rules.ts';
import { toolFilter } from './filter.ts';
import { listingOf } from './listing.ts';

/** The tools that a server had when it was last seen, as far as they may still be used; none if nothing is known of it. */
export async function recallTools(
  entry: ServerEntry | undefined,
  { toolCache, admission }: { readonly toolCache: ToolCache; readonly admission: AdmissionRules },
): Promise<readonly Tool[] | undefined> {
  if (entry === undefined) return undefined;
  const tools = await toolCache.get(entry);
  if (tools === undefined) return undefined;
  try {
    const known: Known =
      admission.trust === 'trusted' ? {} : await recall(entry, admission.receipts);
    const isApproved = admission.trust === 'trusted' || known.receipt !== undefined;
    // It was approved when they were seen, and is not now.
    if (!isApproved && untrustedRules(entry, admission.policy).length > 0) return undefined;
    return listingOf(tools, { known, passes: toolFilter(entry.tools) }).tools;
  } catch {
    // What was approved cannot be read: its opening says so.
    return undefined;
  }
}
