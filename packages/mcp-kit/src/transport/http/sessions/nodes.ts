import { chain, crypto, describeError, isTold, unref, type Logger, type MaybePromise } from '#base';
import { classify, type Id } from '#jsonrpc';
import type { Store } from '#store';
import { leaseOf, leaseText } from './lease.ts';

/** What one node tells another about a session. */
export type Notice = {
  readonly session: string;
} & (
  | { /** What its client has sent. */ readonly heard: unknown }
  | { /** A message for its client, which listens there. */ readonly say: string }
  | {
      /** The client listens at the node that says so, and no longer anywhere else. */ readonly listens: string;
    }
  | {
      /** The node that says so sends the events of this stream, or no longer does. */ readonly follows: number;
      readonly isOver: boolean;
    }
  | { readonly ended: true }
);

interface NodesOptions {
  readonly store: Store;
  /** A name that no node has had, eight hexadecimal digits; made by itself when absent. */
  readonly id?: string | undefined;
  /** Which of several endpoints with one store. */
  readonly endpoint: string;
  readonly logger: Logger;
  /** How long a node is taken to be alive that says nothing. */
  readonly leaseMs: number;
}

/** How long what nobody has read is kept. */
const keepMs = 60_000;
const pageSize = 64;
/** How often a log is looked at that nobody has woken its reader for. */
const lookMs = 1000;

/**
 * The processes that serve one endpoint over one store. Each has a log in which the others leave what it must know, and there is one
 * for all: the log carries it, what wakes its reader only says that there is something.
 */
export class Nodes {
  readonly id: string;
  readonly #options: NodesOptions;
  readonly #receive: (notice: Notice) => void;
  #joining: MaybePromise<void> = undefined;
  #hasJoined = false;
  #isClosed = false;
  #renewal: NodeJS.Timeout | undefined;
  readonly #tails: (() => void)[] = [];

  constructor(options: NodesOptions, receive: (notice: Notice) => void) {
    this.id = options.id ?? crypto().randomUUID().slice(0, 8);
    this.#options = options;
    this.#receive = receive;
  }

  /** Enters this process, before it serves the first session. Whether others can be heard is looked after from then on. */
  join(): MaybePromise<void> {
    if (this.#hasJoined) return undefined;
    return (this.#joining ??= this.#join());
  }

  #join(): MaybePromise<void> {
    this.#renewal = unref(setInterval(() => void this.#renew(), this.#options.leaseMs / 3));
    return chain(this.#renew(), () =>
      // What was left for all before is about sessions that are not open here.
      chain(
        this.#quietly(() => this.#leave(undefined, { joined: true })),
        (after) => {
          this.#tails.push(this.#tail(this.#inboxOf(this.id), 0));
          this.#tails.push(this.#tail(this.#inboxOf(), Number(after ?? 0)));
          this.#hasJoined = true;
        },
      ),
    );
  }

  /** Whether a node has said that it is there, not long ago by the clock of the store. */
  async isAlive(node: string): Promise<boolean> {
    return (
      node === this.id || (await this.#options.store.kv.get(this.#leaseOf(node))) !== undefined
    );
  }

  /** Those of other nodes that are alive. */
  async aliveOf(nodes: readonly string[]): Promise<readonly string[]> {
    const others = nodes.filter((node) => node !== this.id);
    const isAlive = await Promise.all(others.map((node) => this.isAlive(node)));
    return others.filter((_, at) => isAlive[at]);
  }

  /** Leaves a notice for a node, or for all others; rejects where it cannot be left. */
  async tell(node: string | undefined, notice: Notice): Promise<void> {
    await this.#leave(node, notice);
  }

  #leave(node: string | undefined, notice: object): MaybePromise<number> {
    const text = JSON.stringify({ from: this.id, notice });
    return this.#options.store.log.append(this.#inboxOf(node), 'next', text, { ttlMs: keepMs });
  }

  /** The same, where nothing depends on it. */
  hint(node: string | undefined, notice: Notice): void {
    this.tell(node, notice).catch((error: unknown) => this.#failed(error));
  }

  /** Leaves what a client has sent to other nodes there: answers to their questions, and what may be about a call of theirs. The rest is for this one. */
  share(
    { id: session, isShared }: { readonly id: string; readonly isShared: boolean },
    values: readonly unknown[],
  ): MaybePromise<readonly unknown[]> {
    const told: Promise<void>[] = [];
    const own = values.filter((heard) => {
      const classified = classify(heard);
      const asker = classified.kind === 'response' ? askerOf(classified.message.id) : undefined;
      if (asker !== undefined && asker !== this.id) {
        told.push(this.tell(asker, { session, heard }));
        return false;
      }
      const isSaid = classified.kind === 'notification' && !isKept(classified.message.method);
      if (isSaid && isShared) this.hint(undefined, { session, heard });
      return true;
    });
    return told.length === 0 ? own : Promise.all(told).then(() => own);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#renewal);
    for (const end of this.#tails) end();
    if (!this.#hasJoined) return;
    const { kv, log } = this.#options.store;
    void this.#quietly(() => kv.cas(this.#leaseOf(this.id), leaseText, undefined));
    void this.#quietly(() => log.delete(this.#inboxOf(this.id)));
  }

  /** Also after it was away for too long: what others took over meanwhile, they have by its own log. */
  #renew(): MaybePromise<unknown> {
    const { store, leaseMs: ttlMs } = this.#options;
    const { kv } = store;
    const at = this.#leaseOf(this.id);
    const options = { ttlMs };
    return this.#quietly(() =>
      chain(kv.cas(at, leaseText, leaseText, options), (isRenewed) =>
        isRenewed || this.#isClosed ? true : kv.cas(at, undefined, leaseText, options),
      ),
    );
  }

  /** Receives what is left in a log from now on. */
  #tail(key: string, from: number): () => void {
    const { log } = this.#options.store;
    let after = from;
    let isReading = false;
    let isWoken = false;
    const read = async (): Promise<void> => {
      const { entries } = await log.readAfter(key, after, pageSize);
      for (const { position, data } of entries) {
        after = position;
        this.#take(data);
      }
      if (entries.length > 0) await read();
    };
    const look = async (): Promise<void> => {
      isWoken = true;
      if (isReading) return;
      isReading = true;
      while (isWoken && !this.#isClosed) {
        isWoken = false;
        await read().catch((error: unknown) => this.#failed(error));
      }
      isReading = false;
    };
    const end = log.watch(key, () => void look());
    // Where nothing woke it although something was left, that is found as well.
    const timer = unref(setInterval(() => void look(), lookMs));
    return () => {
      end();
      clearInterval(timer);
    };
  }

  #take(text: string): void {
    // Only nodes write there.
    const { from, notice } = JSON.parse(text) as { readonly from: string; readonly notice: Notice };
    if (from === this.id) return;
    try {
      this.#receive(notice);
    } catch (error) {
      this.#failed(error);
    }
  }

  #quietly(work: () => MaybePromise<unknown>): MaybePromise<unknown> {
    const failed = (error: unknown): void => this.#failed(error);
    try {
      const done = work();
      return done instanceof Promise ? done.catch(failed) : done;
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  #failed(error: unknown): void {
    if (isTold(error)) return;
    this.#options.logger.error('other nodes cannot be reached', { error: describeError(error) });
  }

  #leaseOf(node: string): string {
    return leaseOf(this.#options.endpoint, node);
  }

  #inboxOf(node = 'all'): string {
    return `inbox/${this.#options.endpoint}/${node}`;
  }
}

/** Others find it in what is kept of the session. */
function isKept(method: string): boolean {
  return method === 'notifications/initialized';
}

/** The node that asked the question with this id, where it is one that nodes ask. */
function askerOf(id: Id | undefined | null): string | undefined {
  return typeof id === 'string' ? /^([\da-f]{8})\.\d+\.\d+$/.exec(id)?.[1] : undefined;
}
