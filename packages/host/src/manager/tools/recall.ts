import type { ServerEntry } from '../config/entry.ts';
import { recall, type AdmissionRules } from '../connect/admission.ts';
import type { OtherLists, ToolCache } from './cache.ts';
import type { Known } from '../trust/assess.ts';
import { untrustedRules } from '../trust/rules.ts';
import { toolFilter } from './filter.ts';
import { listingOf, type ToolListing } from './listing.ts';

interface Recalling {
  readonly toolCache: ToolCache;
  readonly admission: AdmissionRules;
}

/** The tools that a server had when it was last seen, as far as they may still be used; none if nothing is known of it. */
export async function recallTools(
  entry: ServerEntry | undefined,
  { toolCache, admission }: Recalling,
): Promise<ToolListing | undefined> {
  if (entry === undefined) return undefined;
  const tools = await toolCache.get(entry);
  const known = tools && (await stillKnown(entry, admission));
  return known && listingOf(tools ?? [], { known, passes: toolFilter(entry.tools) });
}

/** What it had besides, likewise. */
async function recallOthers(
  entry: ServerEntry | undefined,
  { toolCache, admission }: Recalling,
): Promise<OtherLists | undefined> {
  if (entry === undefined) return undefined;
  const lists = await toolCache.getOthers(entry);
  return lists && (await stillKnown(entry, admission)) && lists;
}

/** What a server is held to, as long as it may be used as when it was seen. */
async function stillKnown(
  entry: ServerEntry,
  admission: AdmissionRules,
): Promise<Known | undefined> {
  try {
    const known: Known =
      admission.trust === 'trusted' ? {} : await recall(entry, admission.receipts);
    const isApproved = admission.trust === 'trusted' || known.receipt !== undefined;
    // It was approved when they were seen, and is not now.
    return !isApproved && untrustedRules(entry, admission.policy).length > 0 ? undefined : known;
  } catch {
    // What was approved cannot be read: its opening says so.
    return undefined;
  }
}

/** What is kept of one server. */
export interface Kept {
  tools(): Promise<ToolListing | undefined>;
  others(): Promise<OtherLists | undefined>;
  keep(lists: OtherLists): Promise<void>;
}

/** What is kept of the server that an entry is for now. */
export function keptOf(entry: () => ServerEntry | undefined, recalling: () => Recalling): Kept {
  return {
    tools: () => recallTools(entry(), recalling()),
    others: () => recallOthers(entry(), recalling()),
    async keep(lists) {
      const known = entry();
      if (known !== undefined) await recalling().toolCache.putOthers(known, lists);
    },
  };
}
