import { createBackoff, describeError, KitError, unref, type Logger } from '#base';
import { createStormBreaker, type Session, type SessionOptions, type ToolGuard } from '#client';
import { RpcError } from '#jsonrpc';
import type { ServerCapabilities } from '#protocol';
import { asRpcError, asUnsent } from './failures.ts';
import type { Fleet } from './fleet.ts';
import type { Condition } from './health.ts';
import type { BridgeOptions } from './options.ts';

/** What all conversations of a bridge share. */
export interface UpstreamShared {
  readonly fleet: Fleet;
  readonly condition: Condition;
  readonly logger: Logger;
  readonly options: Pick<BridgeOptions, 'guard'>;
}

/** Opens a session that is told and tells as these options say. */
export type Opening = (
  options: Pick<SessionOptions, 'breaker' | 'onLost' | 'onOpened' | 'logger'>,
) => Promise<Session>;

/** How soon a server that was lost is started again, at first. */
const firstMs = 50;

/** One conversation with the server on behalf of a client: opened when first needed, and again whenever it is lost. */
export class Upstream {
  readonly #shared: UpstreamShared;
  readonly #opening: Opening;
  readonly #breaker = createStormBreaker();
  readonly #backoff = createBackoff({ firstMs });
  #session: Session | undefined;
  #guard: ToolGuard | undefined;
  #begun: Promise<Session> | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Nothing was answered since it was last lost. */
  #isShaken = false;
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
  giveWay: () => boolean = () => false;
  /** Called when the conversation was ended until somebody needs it again. */
  onAsleep: () => void = () => {};
  /** Called when a server that was lost is there again: it may be another one, and nobody knows what it has told meanwhile. */
  onRestored: (capabilities: ServerCapabilities) => void = () => {};

  constructor(opening: Opening, shared: UpstreamShared, account?: string) {
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

  /** The server has said so, or is another one now. */
  toolsChanged(): void {
    this.#guard?.forget?.();
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
      else if (!this.#closed) this.#shared.condition.failed(error);
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
  async sleep(): Promise<void> {
    clearTimeout(this.#retry);
    const session = this.#session;
    this.#session = undefined;
    this.#shared.fleet.remove(this);
    if (!this.#closed) this.onAsleep();
    await session?.close();
  }

  /** Ends it for good. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.sleep();
    await this.#begun?.catch(() => {});
  }

  /** Fails when its caller has no room for more work. */
  #begin(): void {
    if (this.#working === 0) {
      try {
        this.#shared.fleet.begin(this.account);
      } catch (error) {
        throw asUnsent(error);
      }
      this.#worksFor = this.account;
    }
    this.#working += 1;
  }

  #end(): void {
    this.#working -= 1;
    if (this.#working === 0) this.#shared.fleet.end(this.#worksFor);
  }

  async #open(): Promise<Session> {
    const { fleet, condition, logger } = this.#shared;
    if (this.#closed) throw new KitError('closed', 'the bridge is closed');
    this.#begin();
    try {
      await fleet.admit(this);
      const session = await this.#opening({
        breaker: this.#breaker,
        onLost: (cause) => this.#lost(cause),
        onOpened: () => {
          condition.good();
          this.toolsChanged();
          if (this.#isShaken && this.#session) this.onRestored(this.#session.capabilities);
        },
        logger,
      });
      if (this.#closed) {
        await session.close();
        throw new KitError('closed', 'the bridge is closed');
      }
      this.#guard = this.#shared.options.guard?.(session);
      this.#session = this.#guard === undefined ? session : session.guarded(this.#guard);
      return this.#session;
    } catch (error) {
      fleet.remove(this);
      // Whose client has gone is not the server's trouble.
      if (!this.#closed) condition.failed(error);
      throw asUnsent(error);
    } finally {
      this.#end();
    }
  }

  #answered(): void {
    this.#shared.condition.good();
    if (!this.#isShaken) return;
    this.#isShaken = false;
    // A server that answers between its failures is no storm.
    this.#breaker.reset();
    this.#backoff.reset();
  }

  #lost(cause: Error | undefined): void {
    if (this.#closed || this.#session === undefined) return;
    this.#isShaken = true;
    this.#shared.condition.lost(cause);
    this.#reopenSoon(this.#session);
  }

  /** Opens it again without being asked: what the server says by itself is wanted, too. */
  #reopenSoon(session: Session): void {
    clearTimeout(this.#retry);
    this.#retry = unref(
      setTimeout(() => {
        session.reopen().catch((error: unknown) => {
          const { condition, logger } = this.#shared;
          condition.failed(error);
          logger.debug('the server is not back yet', { error: describeError(error) });
          if (session === this.#session) this.#reopenSoon(session);
        });
      }, this.#backoff.next()),
    );
  }
}
