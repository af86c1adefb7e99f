import { KitError, type MaybePromise, type Tool } from 'mcp-kit/internal';
import type { CallOptions, Session, ToolGuard } from 'mcp-kit/client';
import type { ServerEntry } from '../config/entry.ts';
import type { Known } from '../trust/assess.ts';
import { showChange } from '../trust/diff.ts';
import { receiptFor, updateReceipts, withReceipt } from '../trust/receipts-file.ts';
import { pinTools, type Withheld } from '../trust/tools.ts';
import { changedHint } from '../trust/trust-command.ts';
import type { ToolCache } from './cache.ts';
import { toolFilter } from './filter.ts';
import { listingOf, type ToolListing } from './listing.ts';

/** What the tools of a server are held to; another each time the server was looked at. */
export interface Holding {
  known: Known;
}

export interface ToolPolicyOptions {
  readonly name: string;
  readonly entry?: ServerEntry | undefined;
  /** What the configuration lets pass. */
  readonly tools?: ServerEntry['tools'] | undefined;
  readonly holding: Holding;
  readonly cache: ToolCache;
  /** The file of approvals, where tools that are seen for the first time are pinned. */
  readonly receipts: string | false;
}

/** The tools of one session, held to what was approved and configured: whoever uses the session is guarded by it. */
export class ToolPolicy implements ToolGuard {
  readonly #session: Session;
  readonly #options: ToolPolicyOptions;
  readonly #passes: (name: string) => boolean;
  #listing: ToolListing | undefined;
  /** What has been withheld since tools last changed, by name: a server may change them without a word. */
  readonly #withheld = new Map<string, Withheld>();
  /** How often what was listed has become old. */
  #age = 0;

  /** `session` is the one that nobody guards. */
  constructor(session: Session, options: ToolPolicyOptions) {
    this.#session = session;
    this.#options = options;
    this.#passes = toolFilter(options.tools ?? {});
  }

  /** The tools have changed, or may have. */
  forget(): void {
    this.#age += 1;
    this.#listing = undefined;
    this.#withheld.clear();
  }

  /** All tools, sorted out. */
  async listing(options?: CallOptions): Promise<ToolListing> {
    const age = this.#age;
    const all: Tool[] = [];
    for await (const tool of this.#session.tools(options)) all.push(tool);
    const { entry, cache } = this.#options;
    if (entry !== undefined) await this.#pinFirstSight(entry, all);
    const listing = this.#sorted(all);
    if (age === this.#age) {
      this.#listing = listing;
      this.#withheld.clear();
      this.#withhold(listing);
    }
    if (entry !== undefined) await cache.put(entry, listing.tools);
    return listing;
  }

  /** All tools as they were listed last, where the server promises to say when they change; else as they are listed now. */
  known(options?: CallOptions): MaybePromise<ToolListing> {
    const tells = this.#session.capabilities.tools?.listChanged === true;
    return (tells ? this.#listing : undefined) ?? this.listing(options);
  }

  list(page: readonly Tool[]): readonly Tool[] {
    const listing = this.#sorted(page);
    this.#withhold(listing);
    const usable = new Set(listing.tools);
    return page.filter((tool) => usable.has(tool) && !this.#withheld.has(tool.name));
  }

  /** Throws when a tool may not be called. Asks the server for its tools when they are held to anything. */
  call(tool: string, options: CallOptions): MaybePromise<void> {
    const { name, holding } = this.#options;
    if (!this.#passes(tool)) throw denied(tool, name);
    const { receipt, pin } = holding.known;
    const isHeld = receipt !== undefined || pin?.tools !== undefined;
    if (!isHeld || this.#listing !== undefined) return this.#requireHeld(tool, undefined);
    return this.listing(withoutProgress(options)).then((listing) =>
      this.#requireHeld(tool, listing),
    );
  }

  #requireHeld(tool: string, listing: ToolListing | undefined): void {
    const found = this.#withheld.get(tool) ?? listing?.withheld.find((one) => one.name === tool);
    if (found !== undefined) throw withheldError(found, this.#options.name);
  }

  #withhold({ withheld }: ToolListing): void {
    for (const one of withheld) this.#withheld.set(one.name, one);
  }

  #sorted(tools: readonly Tool[]): ToolListing {
    return listingOf(tools, { known: this.#options.holding.known, passes: this.#passes });
  }

  /** The tools of a server that was approved before they were seen are those that it has now. */
  async #pinFirstSight(entry: ServerEntry, tools: readonly Tool[]): Promise<void> {
    const { receipts, holding } = this.#options;
    const { receipt } = holding.known;
    if (receipts === false || receipt === undefined || receipt.tools !== undefined) return;
    const pinned = { ...receipt, tools: pinTools(tools) };
    const all = await updateReceipts(receipts, (before) => {
      const now = receiptFor(before, entry);
      const isSame = now?.entryDigest === receipt.entryDigest && now.tools === undefined;
      return isSame ? withReceipt(before, entry, pinned) : before;
    });
    // Somebody else may have seen them first.
    holding.known = { ...holding.known, receipt: receiptFor(all, entry) ?? pinned };
  }
}

/** Progress is about the call, not about what precedes it. */
function withoutProgress({ onProgress: _, ...rest }: CallOptions): CallOptions {
  return rest;
}

function denied(tool: string, server: string): KitError {
  return new KitError('refused_by_policy', `${server}: the configuration keeps ${tool} out`, {
    hint: 'Change the allowed and denied tools of the server if you want it.',
    details: { ran: false },
  });
}

/** Why a tool that is not what was approved cannot be called, and what is different. */
export function withheldError({ name, reason, changes }: Withheld, server: string): KitError {
  const why = reason === 'changed' ? 'is not what was approved' : 'is listed twice';
  return new KitError('refused_by_policy', `${server}: the tool ${name} ${why}`, {
    hint: changedHint(server),
    details: { ran: false, changes: changes.map(showChange) },
  });
}
