import { describeError, KitError, silentLogger, type Logger } from '#base';
import {
  isRecord,
  RpcError,
  type Connection,
  type Notification,
  type Params,
  type RequestOptions,
} from '#jsonrpc';
import {
  cacheable,
  claimsModern,
  mcpErrors,
  type LoggingLevel,
  type Meta,
  type Target,
} from '#protocol';
import type { Answering } from './answering.ts';
import { Conversation } from './conversation.ts';
import { envelopeOf, identityOf, type Identity, type ServerFacts } from './facts.ts';
import { NotificationQueue } from './inbound.ts';
import type { Send } from './layer.ts';
import { waitWithin } from './limit.ts';
import type { Agreed } from './negotiate.ts';
import { defaults, type CallOptions, type SessionOptions, type SessionStats } from './options.ts';
import { readPage, walkPages, type PageOptions } from './pages.ts';
import { createResultCache, type CachePartition } from './result-cache.ts';
import type { ToolsPage } from './results.ts';
import { requestModern, type ModernResult } from './rounds.ts';
import { Subscriptions, type Subscriber } from './subscriptions.ts';
import { ToolTable } from './tool-table.ts';
import { UrlElicitations } from './url-elicitation.ts';

/** A request, with what is left of its time. */
interface Asked {
  readonly method: string;
  readonly params: Params | undefined;
  readonly options: CallOptions;
}

/** Sends to one server in the era it speaks, and keeps what holds for as long as the session does, on whatever connection. */
export class Caller implements Subscriber {
  readonly #options: SessionOptions;
  readonly #logger: Logger;
  readonly #identity: Identity;
  readonly #queue: NotificationQueue | undefined;
  readonly #makeCache: () => CachePartition;
  /** There from the first modern conversation on: the legacy era keeps nothing. */
  #cache: CachePartition | undefined;
  readonly #urlElicitations: UrlElicitations | undefined;
  /** Whether arguments travel in headers as well. */
  readonly #mirrors: boolean;
  readonly conversation: Conversation;
  readonly tools: ToolTable;
  #subscriptions: Subscriptions | undefined;
  #logLevel: LoggingLevel | undefined;
  #envelope: Meta | undefined;
  #facts: ServerFacts | undefined;
  /** How often the server has told that something has changed. */
  #changes = 0;

  constructor(target: Target, options: SessionOptions) {
    const { logger = silentLogger, onNotification, inputs } = options;
    this.#options = options;
    this.#logger = logger;
    this.#mirrors = target.wire === 'http';
    this.#identity = identityOf(options);
    this.tools = new ToolTable(logger);
    this.#makeCache = () => (options.cache ?? createResultCache()).partition(target.key);
    this.conversation = new Conversation(
      target,
      { identity: this.#identity, options, logger },
      {
        notification: (notification) => this.#hear(notification),
        opened: (agreed) => this.#opened(agreed),
        lost: (cause) => this.#lost(cause),
      },
    );
    this.#queue =
      onNotification &&
      new NotificationQueue(onNotification, (error, method) =>
        this.conversation.inbound.reportBug(error, method),
      );
    this.#urlElicitations = inputs?.elicitUrl && new UrlElicitations();
    // Whoever listens wants to be told, without having asked.
    if (onNotification !== undefined) this.#subscriptions = this.#createSubscriptions();
    void this.conversation.closed.then((cause) => {
      this.#subscriptions?.end(cause);
      this.#queue?.clear();
    });
  }

  /** Sends, under all layers. */
  readonly send: Send = ({ kind, method, params, options }) =>
    kind === 'request' ? this.request(method, params, options) : this.notify(method, params);

  /** Made when first needed: many sessions subscribe to nothing. */
  get subscriptions(): Subscriptions {
    this.#subscriptions ??= this.#createSubscriptions();
    return this.#subscriptions;
  }

  #createSubscriptions(): Subscriptions {
    const subscriptions = new Subscriptions(this, this.#options, this.#logger);
    const { ended } = this.conversation;
    // Said while it can still be heard: a process that is asked to end waits for what it has not answered.
    if (ended.aborted) subscriptions.close();
    else ended.addEventListener('abort', () => subscriptions.close(), { once: true });
    return subscriptions;
  }

  /** What the server said when the present conversation began. */
  get facts(): ServerFacts {
    if (this.#facts === undefined) throw new KitError('closed', 'the session has not been opened');
    return this.#facts;
  }

  get envelope(): Meta {
    this.#envelope ??= envelopeOf(this.#identity, this.#logLevel);
    return this.#envelope;
  }

  missed(): void {
    this.#cache?.clear();
  }

  get stats(): SessionStats {
    const { handshakes, inbound } = this.conversation;
    const { malformed, samples, handlerTimeouts } = inbound;
    const droppedNotifications = this.#queue?.dropped ?? 0;
    return { malformed, samples, handshakes, handlerTimeouts, droppedNotifications };
  }

  /** Asks, unless the answer to the same request may still be used. */
  request(method: string, params?: Params, options: CallOptions = {}): Promise<unknown> {
    const mayKeep = cacheable.has(method) && this.conversation.isOpen && !claimsModern(params);
    const kept = mayKeep ? this.#cache?.find(method, params) : undefined;
    return kept === undefined ? this.ask(method, params, options) : Promise.resolve(kept);
  }

  /** Asks the server itself. */
  ask(method: string, params?: Params, options: CallOptions = {}): Promise<unknown> {
    return this.conversation.run(method, options, (agreed, limits) =>
      agreed.facts.era === 'legacy'
        ? this.#askLegacy(agreed, { method, params, options: limits })
        : this.#askModern(agreed, { method, params, options: limits }),
    );
  }

  async notify(method: string, params?: Params): Promise<void> {
    await this.conversation.run(method, {}, async ({ connection, facts }) => {
      await connection.tell(method, facts.era === 'legacy' ? params : this.#enveloped(params));
    });
  }

  async setLogLevel(level: LoggingLevel, options: CallOptions): Promise<void> {
    if (this.facts.era === 'legacy') await this.request('logging/setLevel', { level }, options);
    this.#logLevel = level;
    this.#envelope = undefined;
  }

  /** Learns from a page of `tools/list`, and leaves out what cannot be called. */
  learn(page: ToolsPage): ToolsPage {
    const mirrored = this.#mirrors && this.facts.era === 'modern';
    const tools = this.tools.learn(page.tools, mirrored);
    return tools.length === page.tools.length ? page : { ...page, tools };
  }

  #askLegacy({ connection }: Agreed, asked: Asked): Promise<unknown> {
    const { method } = asked;
    const params = withMeta(asked.params, asked.options.meta);
    const headers = this.#mirrors ? traceHeadersOf(params) : undefined;
    const options = headers === undefined ? asked.options : { ...asked.options, headers };
    const { elicitUrl } = this.#options.inputs ?? {};
    if (elicitUrl === undefined || this.#urlElicitations === undefined) {
      return connection.request(method, params, options);
    }
    const { ended, maxTotalMs: usualMs } = this.conversation;
    const { timeoutMs = this.#options.timeoutMs ?? defaults.timeoutMs } = options;
    const limits = { ...options, timeoutMs, maxTotalMs: options.maxTotalMs ?? usualMs };
    const request = { method, params, options: limits, elicitUrl, ended };
    return this.#urlElicitations.request(connection, request);
  }

  async #askModern({ connection }: Agreed, asked: Asked): Promise<unknown> {
    const { method, params } = asked;
    const { ended, inbound, maxTotalMs: usualMs } = this.conversation;
    const options = { ...asked.options, maxTotalMs: asked.options.maxTotalMs ?? usualMs };
    const sent = withMeta(params, options.meta);
    const answering = (): Answering => inbound.answering;
    const ask = (limits: typeof options): Promise<ModernResult> => {
      const headers = this.#mirrors ? this.#headersFor(method, sent) : undefined;
      if (claimsModern(sent)) {
        return this.#passOn(connection, { method, params: sent }, { ...limits, headers });
      }
      const { envelope } = this;
      const request = {
        method,
        params: sent,
        options: limits,
        headers,
        answering,
        envelope,
        ended,
      };
      return requestModern(connection, request);
    };
    const changes = this.#changes;
    const deadline = performance.now() + options.maxTotalMs;
    try {
      const { result, rounds } = await ask(options);
      // What was told meanwhile may have been about this.
      const mayKeep = cacheable.has(method) && rounds === 0 && changes === this.#changes;
      if (mayKeep) this.#cache?.keep(method, params, result);
      return result;
    } catch (error) {
      if (method !== 'tools/call' || !isHeaderMismatch(error) || !this.#mirrors) throw error;
      const timeoutMs = deadline - performance.now();
      const limit = { subject: method, signal: options.signal, ended, timeoutMs };
      await waitWithin(limit, (signal) => this.#relearnTools(signal));
      return (await ask({ ...options, maxTotalMs: deadline - performance.now() })).result;
    }
  }

  /** Asks what somebody else has written, who gets the answer as it is. */
  async #passOn(
    connection: Connection,
    { method, params }: Pick<Asked, 'method' | 'params'>,
    options: RequestOptions,
  ): Promise<ModernResult> {
    const result = await connection.request(method, params, options);
    if (!isRecord(result)) {
      throw new KitError('invalid_answer', `${method}: the result is not an object`);
    }
    if (method === 'tools/list' && Array.isArray(result['tools'])) {
      this.tools.learn(result['tools'], this.#mirrors);
    }
    // Not the only caller: what one was told is not to be kept for others.
    return { result, rounds: 1 };
  }

  /** What a request says beside its message, for whoever passes it on. */
  #headersFor(
    method: string,
    params: Params | undefined,
  ): Readonly<Record<string, string>> | undefined {
    const mirrored =
      method === 'tools/call'
        ? this.tools.headersFor(params?.['name'], params?.['arguments'])
        : undefined;
    const traced = traceHeadersOf(params);
    return traced === undefined ? mirrored : { ...mirrored, ...traced };
  }

  /** The server refused the call because of its headers: the tool is not what it was when it was listed, if it was. */
  async #relearnTools(signal: AbortSignal): Promise<void> {
    this.#cache?.invalidate('notifications/tools/list_changed', undefined);
    this.tools.clear();
    const fetch = async (page: PageOptions): Promise<ToolsPage> => {
      const ask = (): Promise<unknown> => this.request('tools/list', { ...page }, { signal });
      return this.learn(await readPage<ToolsPage>('tools/list', 'tools', ask));
    };
    for await (const _ of walkPages('tools/list', fetch, ({ tools }) => tools));
  }

  #enveloped(params: Params | undefined): Params {
    if (params !== undefined && claimsModern(params)) return params;
    const own = params?.['_meta'];
    const { envelope } = this;
    return { ...params, _meta: isRecord(own) ? { ...own, ...envelope } : envelope };
  }

  #hear(notification: Notification): void {
    const { method, params } = notification;
    if (method === 'notifications/subscriptions/acknowledged') {
      this.#subscriptions?.acknowledge(params);
      return;
    }
    if (method === 'notifications/elicitation/complete') this.#urlElicitations?.complete(params);
    if (this.#cache?.invalidate(method, params)) this.#changes += 1;
    this.#queue?.push(notification);
  }

  /** Tells the server again what it has never heard of or has forgotten. */
  #opened(agreed: Agreed): void {
    const { connection, facts } = agreed;
    this.#facts = facts;
    if (facts.era === 'modern') this.#cache ??= this.#makeCache();
    this.#cache?.clear();
    this.tools.clear();
    if (facts.era === 'legacy' && this.#logLevel !== undefined) {
      const params = { level: this.#logLevel };
      connection.request('logging/setLevel', params).catch((error: unknown) => {
        this.#logger.warn('the log level was not restored', { error: describeError(error) });
      });
    }
    this.#subscriptions?.restore(agreed);
    this.#report('onOpened', () => this.#options.onOpened?.());
  }

  #lost(cause: Error | undefined): void {
    this.#subscriptions?.lost();
    this.#report('onLost', () => this.#options.onLost?.(cause));
  }

  /** Tells the owner of the session; their bug is not ours. */
  #report(name: string, tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.conversation.inbound.reportBug(error, name);
    }
  }
}

function isHeaderMismatch(error: unknown): boolean {
  return error instanceof RpcError && error.code === mcpErrors.headerMismatch;
}

/** Parameters with what a call sends along as `_meta`; what they have themselves goes before. */
function withMeta(params: Params | undefined, meta: Meta | undefined): Params | undefined {
  if (meta === undefined) return params;
  const own = params?.['_meta'];
  return { ...params, _meta: isRecord(own) ? { ...meta, ...own } : meta };
}

const traceNames = ['traceparent', 'tracestate'];
const headerValue = /^[\x20-\x7e]{1,512}$/;

/** The headers that say which trace a call is part of, for whoever does not read its `_meta`. */
function traceHeadersOf(params: Params | undefined): Readonly<Record<string, string>> | undefined {
  const meta = params?.['_meta'];
  if (!isRecord(meta) || meta['traceparent'] === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const name of traceNames) {
    const value = meta[name];
    if (typeof value === 'string' && headerValue.test(value)) headers[name] = value;
  }
  return headers;
}
