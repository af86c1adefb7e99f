import { KitError } from '#base';
import { isRecord, type Params } from '#jsonrpc';
import {
  readTask,
  withContent,
  type Era,
  type GetPromptResult,
  type Implementation,
  type LoggingLevel,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type ServerCapabilities,
  type Target,
  type Tool,
  type ToolResult,
} from '#protocol';
import { Caller } from './caller.ts';
import type { AskOptions } from './edge.ts';
import { isDiscoverResult } from './facts.ts';
import { guardTools, type Send, type ToolGuard } from './layer.ts';
import type {
  CallOptions,
  CompleteOptions,
  NotifyOptions,
  SessionOptions,
  SessionStats,
} from './options.ts';
import { readPage, walkPages, type PageOptions } from './pages.ts';
import type {
  CompletionReference,
  CompletionResult,
  DiscoverResult,
  ParamsOf,
  PromptsPage,
  ReadResourceResult,
  ResourcesPage,
  ResourceTemplatesPage,
  ResultOf,
  Subscription,
  SubscriptionFilter,
  ToolsPage,
} from './results.ts';
import { answeredHandle, taskHandle, type TaskHandle } from './tasks/task-handle.ts';

/** Opens a session with a server of either era; it heals itself until it is closed. */
export async function openSession(target: Target, options: SessionOptions = {}): Promise<Session> {
  const caller = new Caller(target, options);
  await caller.conversation.open();
  return createSession(caller, options.validateOutput ?? true, caller.send);
}

/** Only here: what a session stands on is nobody else's. */
let createSession: (caller: Caller, validates: boolean, send: Send) => Session;

/** One server, whatever era it speaks and however it is reached. */
export class Session implements AsyncDisposable {
  readonly #caller: Caller;
  readonly #validates: boolean;
  /** Through all layers. */
  readonly #send: Send;

  static {
    createSession = (...given) => new this(...given);
  }

  private constructor(caller: Caller, validates: boolean, send: Send) {
    this.#caller = caller;
    this.#validates = validates;
    this.#send = send;
  }

  /** The same session for somebody who may see and call some of the tools only; it cannot be turned back. */
  guarded(guard: ToolGuard): Session {
    return createSession(this.#caller, this.#validates, guardTools(guard)(this.#send));
  }

  get era(): Era {
    return this.#caller.facts.edge.era;
  }

  /** Whether every request stands by itself: neither the server nor the connection keeps anything between two. */
  get isStateless(): boolean {
    return this.#caller.overHttp && !this.#caller.facts.edge.hasSessions;
  }

  /** The protocol revision spoken. */
  get version(): string {
    return this.#caller.facts.version;
  }

  /** The server's name and version, if it told them. */
  get server(): Implementation | undefined {
    return this.#caller.facts.server;
  }

  get capabilities(): ServerCapabilities {
    return this.#caller.facts.capabilities;
  }

  /** How the server wants to be used. */
  get instructions(): string | undefined {
    return this.#caller.facts.instructions;
  }

  /** What the server said when the conversation began, as it said it: the answer to `initialize` or `server/discover`. */
  get greeting(): Readonly<Record<string, unknown>> {
    return this.#caller.facts.greeting;
  }

  /** Whether it has not ended for good. */
  get isOpen(): boolean {
    return this.#caller.conversation.isOpen;
  }

  /** Whether a conversation with the server is open right now; if not, the next call opens one. */
  get isConnected(): boolean {
    return this.#caller.conversation.isConnected;
  }

  /** The process of the server, while it is open and was started here. */
  get pid(): number | undefined {
    return this.#caller.conversation.pid;
  }

  get stats(): SessionStats {
    return this.#caller.stats;
  }

  /** Settles when the session has ended for good; with the cause if it was not `close`. */
  get closed(): Promise<Error | undefined> {
    return this.#caller.conversation.closed;
  }

  /** Asks whether the server is there. */
  async ping(options?: CallOptions): Promise<void> {
    await this.#caller.ask(this.#caller.facts.edge.ping, undefined, options);
  }

  /** What the server can do; in the legacy era as it said when the session was opened. */
  async discover(options?: CallOptions): Promise<DiscoverResult> {
    const { facts } = this.#caller;
    const known = facts.edge.discovered(facts);
    if (known !== undefined) return known;
    const result = await this.request('server/discover', undefined, options);
    if (isDiscoverResult(result)) return result;
    throw new KitError('invalid_answer', 'server/discover: not what the revision says');
  }

  /** All tools, page by page as they are wanted. */
  tools(options?: CallOptions): AsyncIterable<Tool> {
    const fetch = (page: PageOptions) => this.listTools(page, options);
    return walkPages('tools/list', fetch, (page) => page.tools);
  }

  async listTools(page?: PageOptions, options?: CallOptions): Promise<ToolsPage> {
    const list = await this.#page<ToolsPage>(['tools/list', 'tools'], page, options);
    const tools = this.#caller.learn(list.tools);
    return tools.length === list.tools.length ? list : { ...list, tools };
  }

  /**
   * Calls a tool. What the tool says went wrong is a result too: look at `isError`. It is asked for progress, which makes the
   * time of the call begin anew, whether or not somebody listens.
   */
  async callTool<T = unknown>(
    name: string,
    args: Params = {},
    options?: CallOptions,
  ): Promise<ToolResult<T>> {
    const result = await this.#call(name, args, options);
    return this.#checked(name, result);
  }

  /**
   * Calls a tool, and does not wait where the call goes on as a task: what is given back can ask for it, wait for it and cancel it.
   * Its id can be written down, for `task` of another session, also of another process.
   */
  async startTask<T = unknown>(
    name: string,
    args: Params = {},
    options?: CallOptions,
  ): Promise<TaskHandle<T>> {
    const result = await this.#call(name, args, { ...options, isDetached: true });
    const begun =
      isRecord(result) && result['resultType'] === 'task' ? readTask(result) : undefined;
    if (begun === undefined) return answeredHandle<T>(this.#checked<T>(name, result));
    const checked = <R>(given: unknown) => this.#checked<R>(name, given);
    return taskHandle<T>(begun.taskId, { caller: this.#caller, checked });
  }

  /** A call that goes on as a task, by its id. */
  task<T = unknown>(id: string): TaskHandle<T> {
    const checked = <R>(given: unknown) => this.#checked<R>(undefined, given);
    return taskHandle<T>(id, { caller: this.#caller, checked });
  }

  async #call(name: string, args: Params, options: AskOptions = {}): Promise<unknown> {
    const { tools } = this.#caller;
    if (this.#validates && tools?.knows(name)) tools.prepare(name);
    const limits = options.onProgress === undefined ? { ...options, onProgress: unheard } : options;
    const params = { name, arguments: args };
    return this.#send({ kind: 'request', method: 'tools/call', params, options: limits });
  }

  /** A result of a tool, by its name where that is known. */
  #checked<T>(name: string | undefined, given: unknown): ToolResult<T> {
    const result = withContent(given);
    if (!isToolResult<T>(result)) {
      throw new KitError('invalid_answer', `${name ?? 'task'}: the result has no content`);
    }
    // The list may have been read while the tool ran.
    const { tools: known } = this.#caller;
    if (name !== undefined && this.#validates && known?.knows(name)) known.check(name, result);
    // Some servers leave out what their structured content makes superfluous.
    return Array.isArray(result.content) ? result : { ...result, content: [] };
  }

  resources(options?: CallOptions): AsyncIterable<Resource> {
    const fetch = (page: PageOptions) => this.listResources(page, options);
    return walkPages('resources/list', fetch, (page) => page.resources);
  }

  listResources(page?: PageOptions, options?: CallOptions): Promise<ResourcesPage> {
    return this.#page(['resources/list', 'resources'], page, options);
  }

  resourceTemplates(options?: CallOptions): AsyncIterable<ResourceTemplate> {
    const fetch = (page: PageOptions) => this.listResourceTemplates(page, options);
    return walkPages('resources/templates/list', fetch, (page) => page.resourceTemplates);
  }

  listResourceTemplates(page?: PageOptions, options?: CallOptions): Promise<ResourceTemplatesPage> {
    return this.#page(['resources/templates/list', 'resourceTemplates'], page, options);
  }

  async readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult> {
    const result = await this.request('resources/read', { uri }, options);
    requireList(result, 'contents', uri);
    return result;
  }

  /** Asks to be told when a resource changes; `onNotification` hears it. Survives a lost connection. */
  subscribe(uri: string, options: CallOptions = {}): Promise<void> {
    return this.#caller.subscriptions.subscribe(uri, options);
  }

  unsubscribe(uri: string, options: CallOptions = {}): Promise<void> {
    return this.#caller.subscriptions.unsubscribe(uri, options);
  }

  prompts(options?: CallOptions): AsyncIterable<Prompt> {
    const fetch = (page: PageOptions) => this.listPrompts(page, options);
    return walkPages('prompts/list', fetch, (page) => page.prompts);
  }

  listPrompts(page?: PageOptions, options?: CallOptions): Promise<PromptsPage> {
    return this.#page(['prompts/list', 'prompts'], page, options);
  }

  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options?: CallOptions,
  ): Promise<GetPromptResult> {
    const result = await this.request('prompts/get', { name, arguments: args }, options);
    requireList(result, 'messages', name);
    return result;
  }

  /** Completes an argument of a prompt or of a resource template. */
  async complete(
    ref: CompletionReference,
    argument: { readonly name: string; readonly value: string },
    options: CompleteOptions = {},
  ): Promise<CompletionResult> {
    const { arguments: args, ...limits } = options;
    const params = { ref, argument, context: args && { arguments: args } };
    const result = await this.request('completion/complete', params, limits);
    if (!isRecord(result)) {
      throw new KitError('invalid_answer', 'completion/complete: no completion');
    }
    requireList(result['completion'], 'values', 'completion/complete');
    return result;
  }

  /** From which level on the server shall send log messages. */
  setLogLevel(level: LoggingLevel, options: CallOptions = {}): Promise<void> {
    return this.#caller.setLogLevel(level, options);
  }

  /** Asks to be told about changes for as long as the subscription is open; `onNotification` hears them. */
  listen(filter: SubscriptionFilter, options: CallOptions = {}): Promise<Subscription> {
    return this.#caller.subscriptions.listen(filter, options);
  }

  /** Asks anything. Parameters that carry an envelope of their own are sent as they are, and the answer is given as it is. */
  request<Method extends string>(
    method: Method,
    params?: ParamsOf<Method>,
    options: CallOptions = {},
  ): Promise<ResultOf<Method>> {
    const sending = { kind: 'request', method, params, options } as const;
    return this.#send(sending) as Promise<ResultOf<Method>>;
  }

  /**
   * Tells anything; await it to be slowed down by a server that reads slowly. Over HTTP it fails when the server has not
   * taken it, or not in time; on a pipe nobody can know.
   */
  async notify(method: string, params?: Params, options: NotifyOptions = {}): Promise<void> {
    await this.#send({ kind: 'notification', method, params, options });
  }

  /** Opens now what was lost, instead of at the next call; does nothing while it is open. */
  reopen(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    return this.#caller.conversation.reopen(options.signal);
  }

  /** Ends the session, and the process of the server where it has one. Everything under way settles. */
  close(): Promise<void> {
    return this.#caller.conversation.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #page<Page>(
    [method, key]: readonly [string, string],
    page: PageOptions = {},
    options: CallOptions = {},
  ): Promise<Page> {
    const params = page.cursor === undefined ? undefined : { cursor: page.cursor };
    return readPage(method, key, () => this.request(method, params, options));
  }
}

/** For whom only the sign of life counts. */
function unheard(): void {}

function isToolResult<T>(result: unknown): result is ToolResult<T> {
  return isRecord(result) && (Array.isArray(result['content']) || 'structuredContent' in result);
}

function requireList(
  result: unknown,
  key: string,
  subject: string,
): asserts result is Record<string, unknown> {
  if (isRecord(result) && Array.isArray(result[key])) return;
  throw new KitError('invalid_answer', `${subject}: the answer has no list "${key}"`);
}
