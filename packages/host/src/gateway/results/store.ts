import { crypto, unref, type Budget, type Hold } from 'mcp-kit/internal';
import { bytesOf } from './size.ts';

/** Whom a result is kept for: a principal by name, or the conversation of somebody who needs none. */
export type Owner = string | object;

/** A result that is kept. */
export interface Kept {
  readonly id: string;
  readonly result: Readonly<Record<string, unknown>>;
  readonly bytes: number;
}

interface Entry extends Kept {
  readonly owner: Owner;
  readonly hold: Hold | undefined;
  usedMs: number;
}

/** One owner has at most this part of the room. */
const shareOfOwner = 1 / 2;

/** Where results are kept that were too large to be shown; bounded in bytes and time. */
export class ResultStore {
  readonly #limits: () => { readonly maxBytes: number; readonly lifetimeMs: number };
  /** The one that was not used for longest is first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: () => { readonly maxBytes: number; readonly lifetimeMs: number }) {
    this.#limits = limits;
  }

  /** Keeps a result; nothing where it is too large to be kept. */
  keep(owner: Owner, result: Kept['result'], budget: Budget | undefined): Kept | undefined {
    const size = bytesOf(result);
    if (!this.#makeRoom(owner, size)) return undefined;
    if (budget?.admits('sessions', size) === false) return undefined;
    const letGo = (): boolean => {
      this.#drop(entry);
      return true;
    };
    const entry: Entry = {
      id: crypto().randomUUID(),
      result,
      bytes: size,
      owner,
      hold: budget?.hold('sessions', size, { letGo }),
      usedMs: performance.now(),
    };
    this.#entries.set(entry.id, entry);
    this.#bytes += size;
    this.#watch();
    return entry;
  }

  /** A result of this owner, while it is kept. */
  get(owner: Owner, id: string): Kept | undefined {
    this.#dropOld();
    const entry = this.#entries.get(id);
    if (entry?.owner !== owner) return undefined;
    entry.usedMs = performance.now();
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return entry;
  }

  /** Forgets what is kept for an owner, who has left. */
  forget(owner: Owner): void {
    for (const entry of this.#ofOwner(owner)) this.#drop(entry);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const entry of this.#entries.values()) this.#drop(entry);
  }

  #makeRoom(owner: Owner, size: number): boolean {
    const { maxBytes } = this.#limits();
    const most = maxBytes * shareOfOwner;
    if (size > most) return false;
    this.#dropOld();
    const own = this.#ofOwner(owner);
    let used = own.reduce((sum, entry) => sum + entry.bytes, 0);
    for (const entry of own) {
      if (used + size <= most) break;
      used -= entry.bytes;
      this.#drop(entry);
    }
    for (const entry of this.#entries.values()) {
      if (this.#bytes + size <= maxBytes) break;
      this.#drop(entry);
    }
    return true;
  }

  #ofOwner(owner: Owner): readonly Entry[] {
    return [...this.#entries.values()].filter((entry) => entry.owner === owner);
  }

  #drop(entry: Entry): void {
    if (!this.#entries.delete(entry.id)) return;
    this.#bytes -= entry.bytes;
    entry.hold?.resize(0);
  }

  #dropOld(): void {
    const now = performance.now();
    const { lifetimeMs } = this.#limits();
    for (const entry of this.#entries.values()) {
      if (now - entry.usedMs < lifetimeMs) break;
      this.#drop(entry);
    }
  }

  /** What is old takes room although nobody asks. */
  #watch(): void {
    const sweep = (): void => {
      this.#timer = undefined;
      this.#dropOld();
      if (this.#entries.size > 0) this.#watch();
    };
    this.#timer ??= unref(setTimeout(sweep, this.#limits().lifetimeMs));
  }
}
