import { describeError, KitError, requireTime, silentLogger, type Logger } from '#base';
import { RpcError, type Notification, type Params } from '#jsonrpc';
import {
  mcpErrors,
  readTask,
  type DetailedTask,
  type LoggingLevel,
  type Meta,
  type Target,
  type Tool,
} from '#protocol';
import { Conversation } from './conversation.ts';
import type { AskOptions } from './edge.ts';
import { envelopeOf, identityOf, type Identity, type ServerFacts } from './facts.ts';
import { NotificationQueue } from './inbound.ts';
import type { Send } from './layer.ts';
import type { Agreed } from './negotiate.ts';
import { waitWithin } from './limit.ts';
import {
  defaults,
  type CallOptions,
  type NotifyOptions,
  type SessionOptions,
  type SessionStats,
} from './options.ts';
import { readPage, walkPages, type PageOptions } from './pages.ts';
import { ResultCache } from './result-cache.ts';
import type { ToolsPage } from './results.ts';
import { asError, type Subscriber } from './subscriptions/era.ts';
import { Subscriptions } from './subscriptions/subscriptions.ts';
import { ToolTable } from './tool-table.ts';
import { UrlElicitations } from './url-elicitation.ts';

/** Sends to one server in the era it speaks, and keeps what holds for as long as the session does, on whatever connection. */
export class Caller implements Subscriber {
  readonly options: SessionOptions;
  readonly logger: Logger;
  readonly #identity: Identity;
  readonly #queue: NotificationQueue | undefined;
  readonly overHttp: boolean;
  readonly conversation: Conversation;
  readonly urlElicitations: UrlElicitations | undefined;
  /** There from the first conversation on whose results say how long they may be kept. */
  cache: ResultCache | undefined;
  /** How often the server has told that something has changed. */
  changes = 0;
  /** What is known of the tools, once some were listed. */
  tools: ToolTable | undefined;
  #subscriptions: Subscriptions | undefined;
  /** In the present conversation all tools were listed, to find out which are called as tasks. */
  #hasListed = false;
  /** Who waits to hear of which task. */
  #heardTasks: Map<string, Set<(task: DetailedTask) => void>> | undefined;
  #logLevel: LoggingLevel | undefined;
  #envelope: Meta | undefined;
  #facts: ServerFacts | undefined;

  constructor(target: Target, options: SessionOptions) {
    const { logger = silentLogger, onNotification, inputs } = options;
    for (const name of ['timeoutMs', 'maxTotalMs', 'connectTimeoutMs', 'probeTimeoutMs'] as const) {
      requireTime(name, options[name]);
    }
    requireTime('handlers.timeoutMs', options.handlers?.timeoutMs);
    this.options = options;
    this.logger = logger;
    this.overHttp = target.wire === 'http';
    this.#identity = identityOf(options);
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
    this.urlElicitations = inputs?.elicitUrl && new UrlElicitations();
    // Whoever listens wants to be told, without having asked.
    if (onNotification !== undefined) this.#subscriptions = this.#createSubscriptions();
    void this.conversation.closed.then((cause) => {
      this.#subscriptions?.end(cause);
      this.#queue?.clear();
    });
  }

  /** Sends, under all layers. */
  readonly send: Send = ({ kind, method, params, options }) =>
    kind === 'request'
      ? this.request(method, params, options)
      : this.notify(method, params, options);

  /** Made when first needed: many sessions subscribe to nothing. */
  get subscriptions(): Subscriptions {
    this.#subscriptions ??= this.#createSubscriptions();
    return this.#subscriptions;
  }

  #createSubscriptions(): Subscriptions {
    const subscriptions = new Subscriptions(this);
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
    this.cache?.clear();
  }

  get stats(): SessionStats {
    const { handshakes, inbound } = this.conversation;
    const { malformed, samples, handlerTimeouts } = inbound;
    const droppedNotifications = this.#queue?.dropped ?? 0;
    return { malformed, samples, handshakes, handlerTimeouts, droppedNotifications };
  }

  /** Asks, unless the answer to the same request may still be used. */
  request(method: string, params?: Params, options: AskOptions = {}): Promise<unknown> {
    const { isOpen } = this.conversation;
    const kept = isOpen ? this.#facts?.edge.find(this.cache, method, params) : undefined;
    return kept === undefined ? this.ask(method, params, options) : Promise.resolve(kept);
  }

  /** Asks the server itself. */
  ask(method: string, params?: Params, options: AskOptions = {}): Promise<unknown> {
    return this.conversation.run(method, options, ({ connection, facts }, limits) =>
      facts.edge.ask(this, connection, { method, params, options: limits }),
    );
  }

  notify(method: string, params?: Params, options: NotifyOptions = {}): Promise<void> {
    return this.conversation.run(method, options, ({ connection, facts }, limits) => {
      const { signal, timeoutMs = this.timeoutMs, maxTotalMs = Infinity } = limits;
      const limit = { subject: method, signal, timeoutMs: Math.min(timeoutMs, maxTotalMs) };
      const told = facts.edge.told(this, params);
      return waitWithin(limit, (stop) => connection.tell(method, told, stop));
    });
  }

  /** How long a message may take, unless it says otherwise. */
  get timeoutMs(): number {
    return this.options.timeoutMs ?? defaults.timeoutMs;
  }

  async setLogLevel(level: LoggingLevel, options: CallOptions): Promise<void> {
    if (this.facts.edge.hasSessions) await this.request('logging/setLevel', { level }, options);
    this.#logLevel = level;
    this.#envelope = undefined;
  }

  /** Learns from a page of `tools/list`; gives those of its tools that can be called. */
  learn(tools: readonly Tool[]): readonly Tool[] {
    this.tools ??= new ToolTable(this.logger);
    return this.tools.learn(tools, this.overHttp && this.facts.edge.mirrors);
  }

  /** Whether a call was refused because of its headers: the tool is not what it was when it was listed, if it was. */
  mayRelearn(error: unknown): boolean {
    const isMismatch = error instanceof RpcError && error.code === mcpErrors.headerMismatch;
    return isMismatch && this.overHttp;
  }

  /** Whether a server of 2025-11-25 wants a tool to be called as a task; its list says so, which is read where it was not. */
  async taskSupport(params: Params | undefined, options: CallOptions): Promise<unknown> {
    const name = String(params?.['name']);
    if (this.tools?.knows(name) !== true && !this.#hasListed) {
      this.#hasListed = true;
      const { ended, maxTotalMs } = this.conversation;
      const { signal, timeoutMs = options.maxTotalMs ?? maxTotalMs } = options;
      const limit = { subject: 'tools/list', signal, ended, timeoutMs };
      await waitWithin(limit, (stop) => this.relearnTools(stop));
    }
    return this.tools?.taskSupport(name);
  }

  /** Calls back when a server tells of a task, until the function given back is called. */
  hearTask(taskId: string, heard: (task: DetailedTask) => void): () => void {
    this.#heardTasks ??= new Map();
    const all = this.#heardTasks.get(taskId) ?? new Set();
    this.#heardTasks.set(taskId, all.add(heard));
    return () => {
      all.delete(heard);
      if (all.size === 0) this.#heardTasks?.delete(taskId);
    };
  }

  async relearnTools(signal: AbortSignal): Promise<void> {
    this.cache?.invalidate('notifications/tools/list_changed', undefined);
    this.tools?.clear();
    const fetch = (page: PageOptions): Promise<ToolsPage> =>
      readPage('tools/list', 'tools', () => this.request('tools/list', { ...page }, { signal }));
    for await (const _ of walkPages('tools/list', fetch, ({ tools }) => this.learn(tools)));
  }

  #hear(notification: Notification): void {
    const { method, params } = notification;
    if (method === 'notifications/subscriptions/acknowledged') {
      this.#subscriptions?.acknowledge(params);
      return;
    }
    if (method === 'notifications/tasks' && this.#hearTask(params)) return;
    if (method === 'notifications/elicitation/complete') this.urlElicitations?.complete(params);
    if (this.cache?.invalidate(method, params)) this.changes += 1;
    if (!this.#subscriptions?.isLate(params)) this.#queue?.push(notification);
  }

  /** Whoever waits for a task is told of it; whether somebody does. */
  #hearTask(params: Params | undefined): boolean {
    const task = readTask(params);
    const waiting = task && this.#heardTasks?.get(task.taskId);
    if (task === undefined || waiting === undefined) return false;
    for (const heard of waiting) heard(task);
    return true;
  }

  /** Tells the server again what it has never heard of or has forgotten. */
  #opened(agreed: Agreed): void {
    const { connection, facts } = agreed;
    this.#facts = facts;
    if (facts.edge.keepsResults) this.cache ??= new ResultCache();
    this.cache?.clear();
    this.tools?.clear();
    this.#hasListed = false;
    if (facts.edge.hasSessions && this.#logLevel !== undefined) {
      const params = { level: this.#logLevel };
      connection.request('logging/setLevel', params).catch((error: unknown) => {
        this.logger.warn('the log level was not restored', { error: describeError(error) });
        this.conversation.inbound.reportFailure(asError(error));
      });
    }
    this.#subscriptions?.restore(agreed);
    this.#report('onOpened', () => this.options.onOpened?.());
  }

  #lost(cause: Error | undefined): void {
    this.#subscriptions?.lost();
    this.#report('onLost', () => this.options.onLost?.(cause));
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
