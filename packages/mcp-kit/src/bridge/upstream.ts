import { createBackoff, crypto, describeError, KitError, unref, type Logger } from '#base';
import {
  createStormBreaker,
  openSession,
  type RequestListener,
  type Session,
  type SessionOptions,
  type ToolGuard,
  type Verdicts,
} from '#client';
import { isRecord, RpcError, type Params } from '#jsonrpc';
import {
  isImplementation,
  legacyVersions,
  methodNotFound,
  modernVersion,
  supports,
  type ClientCapabilities,
  type ClientView,
  type Era,
  type ServerCapabilities,
  type Target,
} from '#protocol';
import { asRpcError, asUnsent, type Condition } from './health.ts';
import type { OpenUpstreams } from './pool.ts';
import type { Crossing, Tell } from './relay.ts';
import type { ToolNames } from './tools.ts';

export interface BridgeOptions {
  /** Which era to speak with the server; by default the client's own, and the other one where the server knows no other. */
  readonly era?: 'auto' | Era | undefined;
  /** How long the server may take to answer or give a sign of progress; ten minutes. */
  readonly timeoutMs?: number | undefined;
  /** How long opening a conversation with the server may take, its start included; a minute. */
  readonly connectTimeoutMs?: number | undefined;
  /** What is known of the server's era; shared by the process unless given. */
  readonly verdicts?: Verdicts | undefined;
  /**
   * Conversations with the server at the same time; 64. A process each, where the server is one. A caller that is told apart from
   * others has at most as many at work as are left for them.
   */
  readonly maxUpstreams?: number | undefined;
  /** How long a conversation that no client needs any more is kept for the next one; half a minute. */
  readonly idleMs?: number | undefined;
  /** How long a call waits for a client that was asked something; ten minutes. */
  readonly parkedMs?: number | undefined;
  /**
   * 32-byte keys that bind to its caller what a caller carries between questions; the first seals, all open. Bridges behind
   * one address need the same; without any, what is carried is of no use after a restart.
   */
  readonly stateKeys?: readonly Uint8Array[] | undefined;
  /** Hears every message on either side, in the order in which they cross. */
  readonly onMessage?: ((crossing: Crossing) => void) | undefined;
  /** Decides which tools of the server clients may see and call; made for each conversation with it. */
  readonly guard?: ((session: Session) => ToolGuard) | undefined;
  readonly logger?: Logger | undefined;
}

/** What every client of a bridge meets. */
export interface Shared {
  readonly target: Target;
  readonly options: BridgeOptions;
  readonly tell: Tell;
  readonly toolNames: ToolNames;
  readonly open: OpenUpstreams;
  readonly condition: Condition;
  readonly logger: Logger;
}

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
    this.#shared.open.remove(this);
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
      open.remove(this);
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

/** Asks the client what only it can give. */
export type AskClient = (method: string, params: object, signal: AbortSignal) => Promise<unknown>;

const defaultTimeoutMs = 10 * 60_000;

/** How every session of a bridge is held: whoever asked says how long it may take. */
export function sessionOptions(options: BridgeOptions): SessionOptions {
  const { timeoutMs = defaultTimeoutMs, connectTimeoutMs, verdicts } = options;
  return {
    timeoutMs,
    maxTotalMs: Infinity,
    validateOutput: false,
    ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
    ...(verdicts && { verdicts }),
  };
}

/**
 * Opens a session for a client that said `initialize`, in its words. A server that does not know the handshake is spoken to
 * in the newer era.
 */
export async function openForHandshake(
  target: Target,
  params: Params,
  how: { readonly options: SessionOptions; readonly ask: AskClient },
): Promise<Session> {
  const { capabilities: declared, clientInfo, protocolVersion, ...more } = params;
  const capabilities: ClientCapabilities = isRecord(declared) ? declared : {};
  const { ask } = how;
  const options: SessionOptions = {
    ...how.options,
    capabilities,
    ...(isImplementation(clientInfo) && { clientInfo }),
  };
  const offered = typeof protocolVersion === 'string' ? protocolVersion : modernVersion;
  let refusal: unknown;
  if (options.era !== 'modern') {
    try {
      return await openSession(target, {
        ...options,
        era: 'legacy',
        initializeParams: more,
        protocolVersion: offered === modernVersion ? legacyVersions[0] : offered,
        onRequest: ({ method, params: asked = {} }, { signal }) => ask(method, asked, signal),
      });
    } catch (error) {
      if (options.era === 'legacy' || !isDeclined(error)) throw error;
      refusal = error;
    }
  }
  const onRequest: RequestListener = ({ method, params: asked = {} }, { signal }) => {
    if (!mayBeAsked(capabilities, method, asked)) throw methodNotFound(method);
    return ask(method, asked['mode'] === 'url' ? withVisitId(asked) : asked, signal);
  };
  return openSession(target, { ...options, era: 'modern', onRequest }).catch((error: unknown) => {
    throw refusal ?? error;
  });
}

/** Opens a session for a client of the stateless era: with a server of either. */
export function openForEnvelope(
  target: Target,
  { capabilities, info: clientInfo }: ClientView,
  options: SessionOptions,
): Promise<Session> {
  return openSession(target, {
    ...options,
    ...(clientInfo && { clientInfo }),
    capabilities,
    // What clients want to be told they ask for.
    watchLists: false,
  });
}

/** The older era wants a name for each visit. */
function withVisitId(params: object): object {
  return { elicitationId: crypto().randomUUID(), ...params };
}

/** Whether the server is there, and only does not know the handshake. */
function isDeclined(error: unknown): boolean {
  if (error instanceof RpcError) return true;
  if (!(error instanceof KitError)) return false;
  const status = error.details?.['status'];
  const isRefused = error.code === 'http_status' && typeof status === 'number' && status < 500;
  return isRefused || error.code === 'unsupported_version' || error.code === 'invalid_answer';
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

/** What a client must have declared to be asked this; nothing for what the stateless era cannot ask. */
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
