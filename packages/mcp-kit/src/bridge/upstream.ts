import { createBackoff, describeError, idleMs, KitError, unref } from '#base';
import { createStormBreaker, type Session, type SessionOptions, type ToolGuard } from '#client';
import { RpcError, type Params } from '#jsonrpc';
import { supports, type ClientCapabilities, type ServerCapabilities } from '#protocol';
import type { BridgeOptions, Shared } from './bridge.ts';
import { asRpcError, asUnsent, noteFailure, noteLost } from './health.ts';

/** Opens a session that is told and tells as these options say. */
export type Opening = (
  options: Pick<SessionOptions, 'breaker' | 'onLost' | 'onOpened' | 'logger'>,
) => Promise<Session>;

/** How soon a server that was lost is started again, at first. */
const firstMs = 50;

/** One conversation with the server on behalf of a client: opened when first needed, and again whenever it is lost. */
export class Upstream {
  readonly #shared: Shared;
  readonly #opening: Opening;
  readonly #breaker = createStormBreaker();
  readonly #backoff = createBackoff({ firstMs });
  #session: Session | undefined;
  #guard: ToolGuard | undefined;
  /** Tells whoever keeps lists of the server that they may be old. */
  #listsChanged: (() => void) | undefined;
  #begun: Promise<Session> | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Nothing was answered since it was last lost. */
  #isUnproven = false;
  /** Requests, or its opening; what only needs it as it is. */
  #working = 0;
  #held = 0;
  /** At whose expense it works now. */
  #worksFor: string | undefined;
  #closed = false;
  lastUsedMs: number = performance.now();
  /** At whose expense it is. */
  account: string | undefined;
  /** Called to make room for another caller: ends what only waits for its own; false where anything else goes on. */
  evict: () => boolean = () => false;
  /** Whether nobody is at the client's end for now: what it waits for would be heard by nobody. */
  isUnattended: () => boolean = () => false;
  /** Called when the conversation was ended until somebody needs it again. */
  onSuspended: () => void = () => {};
  /** Called when a server that was lost is there again: it may be another one, and nobody knows what it has told meanwhile. */
  onRestored: (capabilities: ServerCapabilities) => void = () => {};

  constructor(opening: Opening, shared: Shared, account?: string) {
    this.#opening = opening;
    this.#shared = shared;
    this.account = account;
  }

  /** The session, if it is open. */
  get session(): Session | undefined {
    return this.#session;
  }

  get isBusy(): boolean {
    return this.#working > 0 || this.#held > 0;
  }

  /** The session, opened if it is not. */
  open(): Promise<Session> {
    if (this.#session !== undefined) return Promise.resolve(this.#session);
    this.#begun ??= this.#open().finally(() => {
      this.#begun = undefined;
    });
    return this.#begun;
  }

  /** The server has said that one of its lists has changed. */
  listChanged(method: string): void {
    if (method === 'notifications/tools/list_changed') this.#guard?.forget?.();
    this.#listsChanged?.();
  }

  /** Does something with the session; what goes wrong is told as a client is to hear it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#begin();
    try {
      const result = await work();
      this.#answered();
      return result;
    } catch (error) {
      if (error instanceof RpcError) this.#answered();
      else if (!this.#closed) noteFailure(this.#shared.condition, error);
      throw asRpcError(error);
    } finally {
      this.#end();
      this.lastUsedMs = performance.now();
    }
  }

  /** Needs the conversation as it is until the function that is given back is called. */
  hold(): () => void {
    this.#held += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#held -= 1;
      isHeld = false;
    };
  }

  /** Ends the conversation until somebody needs it again. */
  async suspend(): Promise<void> {
    clearTimeout(this.#retry);
    const session = this.#session;
    this.#session = undefined;
    this.#shared.open.remove(this);
    if (!this.#closed) this.onSuspended();
    await session?.close();
  }

  /** Ends it for good. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.suspend();
    await this.#begun?.catch(() => {});
  }

  /** Fails when its caller has no room for more work. */
  #begin(): void {
    if (this.#working === 0) {
      try {
        this.#shared.open.begin(this.account);
      } catch (error) {
        throw asUnsent(error);
      }
      this.#worksFor = this.account;
    }
    this.#working += 1;
  }

  #end(): void {
    this.#working -= 1;
    if (this.#working === 0) this.#shared.open.end(this.#worksFor);
  }

  async #open(): Promise<Session> {
    const { open, condition, logger } = this.#shared;
    if (this.#closed) throw new KitError('closed', 'the bridge is closed');
    this.#begin();
    try {
      await open.admit(this);
      const session = await this.#opening({
        breaker: this.#breaker,
        onLost: (cause) => this.#lost(cause),
        onOpened: () => {
          condition.trouble = undefined;
          this.#guard?.forget?.();
          if (!this.#isUnproven || this.#session === undefined) return;
          this.#listsChanged?.();
          this.onRestored(this.#session.capabilities);
        },
        logger,
      });
      if (this.#closed) {
        await session.close();
        throw new KitError('closed', 'the bridge is closed');
      }
      const { guard, onConversation } = this.#shared.options;
      this.#guard = guard?.(session);
      this.#listsChanged = onConversation?.(session);
      this.#session = this.#guard === undefined ? session : session.guarded(this.#guard);
      return this.#session;
    } catch (error) {
      open.remove(this);
      // Whose client has gone is not the server's trouble.
      if (!this.#closed) noteFailure(condition, error);
      throw asUnsent(error);
    } finally {
      this.#end();
    }
  }

  #answered(): void {
    this.#shared.condition.trouble = undefined;
    if (!this.#isUnproven) return;
    this.#isUnproven = false;
    // A server that answers between its failures is no storm.
    this.#breaker.reset();
    this.#backoff.reset();
  }

  #lost(cause: Error | undefined): void {
    if (this.#closed || this.#session === undefined) return;
    this.#isUnproven = true;
    noteLost(this.#shared.condition, cause);
    this.#reopenSoon(this.#session);
  }

  /** Opens it again without being asked: what the server says by itself is wanted, too. */
  #reopenSoon(session: Session): void {
    clearTimeout(this.#retry);
    this.#retry = unref(
      setTimeout(() => {
        session.reopen().catch((error: unknown) => {
          const { condition, logger } = this.#shared;
          noteFailure(condition, error);
          logger.debug('the server is not back yet', { error: describeError(error) });
          if (session === this.#session) this.#reopenSoon(session);
        });
      }, this.#backoff.next()),
    );
  }
}

const defaultTimeoutMs = 10 * 60_000;

/** How every session of a bridge is held: whoever asked says how long it may take. */
export function sessionOptions(options: BridgeOptions): SessionOptions {
  const { era, timeoutMs = defaultTimeoutMs, connectTimeoutMs, eraCache, mayRepeat } = options;
  return {
    era,
    timeoutMs,
    maxTotalMs: Infinity,
    validateOutput: false,
    connectTimeoutMs,
    eraCache,
    mayRepeat,
  };
}

/** All conversations of a bridge that are open: no more than so many at a time. */
export class OpenUpstreams {
  readonly #limit: number;
  readonly #open = new Set<Upstream>();
  /** How many are at work, in all and by whom. */
  #working = 0;
  readonly #workingFor = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Makes room for one more: whichever nobody has used for longest is suspended. While all are busy, one that only waits
   * for its caller is evicted, if that caller has more of them than the one who asks; or else one of the same caller, or of
   * those whom nobody tells apart, at whose end nobody is.
   */
  async admit(upstream: Upstream): Promise<void> {
    this.#open.add(upstream);
    if (this.#open.size <= this.#limit) return;
    const byUse = [...this.#open].sort((one, other) => one.lastUsedMs - other.lastUsedMs);
    const found =
      byUse.find((other) => other !== upstream && !other.isBusy) ??
      this.#withMoreThan(upstream, byUse).find((other) => other.evict()) ??
      byUse.find((other) => other.account === upstream.account && isLeft(other) && other.evict());
    if (found === undefined) {
      this.#open.delete(upstream);
      throw new KitError('overloaded', `more than ${this.#limit} conversations with the server`, {
        hint: 'Try again later, or raise maxUpstreams.',
      });
    }
    this.#open.delete(found);
    await found.suspend();
  }

  /** One begins to work. Nobody who is told apart may have more at work than are left: so there are some for others. */
  begin(account: string | undefined): void {
    if (account !== undefined) {
      const own = this.#workingFor.get(account) ?? 0;
      if (own > 0 && own >= this.#limit - this.#working) {
        throw new KitError(
          'overloaded',
          `${own} conversations with the server are at work for you`,
          {
            hint: 'The others are for other callers. Try again when a call has ended, or raise maxUpstreams.',
          },
        );
      }
      this.#workingFor.set(account, own + 1);
    }
    this.#working += 1;
  }

  /** It has done its work. */
  end(account: string | undefined): void {
    this.#working -= 1;
    if (account === undefined) return;
    const left = (this.#workingFor.get(account) ?? 0) - 1;
    if (left > 0) this.#workingFor.set(account, left);
    else this.#workingFor.delete(account);
  }

  remove(upstream: Upstream): void {
    this.#open.delete(upstream);
  }

  /** Those of accounts that have more than the one who asks, of those that have most first. */
  #withMoreThan({ account }: Upstream, all: readonly Upstream[]): readonly Upstream[] {
    const counts = new Map<string | undefined, number>();
    for (const other of all) counts.set(other.account, (counts.get(other.account) ?? 0) + 1);
    const held = (other: Upstream): number => counts.get(other.account) ?? 0;
    const share = counts.get(account) ?? 0;
    return all.filter((other) => held(other) > share).sort((one, other) => held(other) - held(one));
  }
}

/** Nobody is at it, and nobody was for a moment. */
function isLeft({ lastUsedMs, isUnattended }: Upstream): boolean {
  return performance.now() - lastUsedMs >= idleMs && isUnattended();
}

/** Whether a client that can do so much may be asked this, where a question is part of a call. */
export function mayBeAsked(
  capabilities: ClientCapabilities,
  method: string,
  params: Params,
): boolean {
  const needs = needsOf(method, params);
  return needs !== undefined && supports(capabilities, needs);
}

/** What a client must have declared to be asked this; nothing for what the modern era cannot ask. */
function needsOf(method: string, params: Params): ClientCapabilities | undefined {
  switch (method) {
    case 'elicitation/create':
      return { elicitation: params['mode'] === 'url' ? { url: {} } : { form: {} } };
    case 'sampling/createMessage': {
      const usesTools = params['tools'] !== undefined || params['toolChoice'] !== undefined;
      return { sampling: usesTools ? { tools: {} } : {} };
    }
    case 'roots/list':
      return { roots: {} };
    default:
      return undefined;
  }
}
