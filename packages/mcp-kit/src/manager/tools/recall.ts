import type { Tool } from '#protocol';
import type { ServerEntry } from '../config/entry.ts';
import { recall, type Gate } from '../connect/admission.ts';
import type { ToolCache } from './cache.ts';
import { toolFilter } from './filter.ts';
import { judgeTools } from './judge.ts';

/** The tools that a server had when it was last seen, as far as they may still be used; none if nothing is known of it. */
export async function recallTools(
  entry: ServerEntry | undefined,
  { toolCache, gate }: { readonly toolCache: ToolCache; readonly gate: Gate },
): Promise<readonly Tool[] | undefined> {
  if (entry === undefined) return undefined;
  const tools = await toolCache.get(entry);
  if (tools === undefined) return undefined;
  try {
    const known = gate.trust === 'trusted' ? {} : await recall(entry, gate.receipts);
    return judgeTools(tools, { known, passes: toolFilter(entry.tools) }).tools;
  } catch {
    // What was approved cannot be read: its opening says so.
    return undefined;
  }
}
