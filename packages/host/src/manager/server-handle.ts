import type {
  CallOptions,
  CompletionReference,
  CompletionResult,
  PageOptions,
  PromptsPage,
  ReadResourceResult,
  ResourcesPage,
  ResourceTemplatesPage,
  Session,
} from 'mcp-kit/client';
import type { CallToolResult, GetPromptResult, LoggingLevel, Params } from 'mcp-kit/internal';
import type { Upstream } from './connect/upstream.ts';
import type { Opened } from './supervise/opened.ts';
import type { Patience } from './supervise/wait.ts';
import type { ToolListing } from './tools/listing.ts';

/** The server behind a handle. */
export interface HandledServer {
  open(patience: Patience): Promise<Opened>;
  /** Forgets past failures. */
  forgive(): void;
  take(): Session | undefined;
  upstream(): Promise<Upstream>;
}

/** What can be asked of one server; each question opens it if it is not open. */
export class ServerHandle {
  readonly #server: HandledServer;

  constructor(server: HandledServer) {
    this.#server = server;
  }

  /**
   * The session with the server, opened if it is not; it opens itself anew when it is used after it was lost. Only the
   * tools that the configuration and the approval let pass can be seen and called on it. With `forgive`, as when a person
   * asks, what failed before does not count.
   */
  async connect(
    options: {
      readonly signal?: AbortSignal | undefined;
      readonly forgive?: boolean | undefined;
    } = {},
  ): Promise<Session> {
    const { signal, forgive = false } = options;
    if (forgive) this.#server.forgive();
    return (await this.#server.open({ signal })).session;
  }

  /** Hands the open session over: from now on it is the caller's, and the manager would open another. */
  take(): Session | undefined {
    return this.#server.take();
  }

  /** For those who hold conversations of their own with the server, as a bridge does; only where it is trusted. */
  upstream(): Promise<Upstream> {
    return this.#server.upstream();
  }

  async ping(options?: CallOptions): Promise<void> {
    await (await this.#open(options)).ping(options);
  }

  /** The tools that may be used, and why others may not. */
  async listTools(options?: CallOptions): Promise<ToolListing> {
    const { policy } = await this.#server.open(patienceOf(options));
    return policy.listing(options);
  }

  /** Calls a tool, unless the configuration keeps it out or it is no longer what was approved. */
  async callTool(tool: string, args?: Params, options?: CallOptions): Promise<CallToolResult> {
    return (await this.#open(options)).callTool(tool, args, options);
  }

  async listResources(page?: PageOptions, options?: CallOptions): Promise<ResourcesPage> {
    return (await this.#open(options)).listResources(page, options);
  }

  async listResourceTemplates(
    page?: PageOptions,
    options?: CallOptions,
  ): Promise<ResourceTemplatesPage> {
    return (await this.#open(options)).listResourceTemplates(page, options);
  }

  async readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult> {
    return (await this.#open(options)).readResource(uri, options);
  }

  async subscribe(uri: string, options?: CallOptions): Promise<void> {
    await (await this.#open(options)).subscribe(uri, options);
  }

  async unsubscribe(uri: string, options?: CallOptions): Promise<void> {
    await (await this.#open(options)).unsubscribe(uri, options);
  }

  async listPrompts(page?: PageOptions, options?: CallOptions): Promise<PromptsPage> {
    return (await this.#open(options)).listPrompts(page, options);
  }

  async getPrompt(
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<GetPromptResult> {
    return (await this.#open(options)).getPrompt(name, args, options);
  }

  async complete(
    ref: CompletionReference,
    argument: { readonly name: string; readonly value: string },
    options?: CallOptions,
  ): Promise<CompletionResult> {
    return (await this.#open(options)).complete(ref, argument, options);
  }

  async setLogLevel(level: LoggingLevel, options?: CallOptions): Promise<void> {
    await (await this.#open(options)).setLogLevel(level, options);
  }

  /** Asks anything else. */
  async request(method: string, params?: Params, options?: CallOptions): Promise<unknown> {
    return (await this.#open(options)).request(method, params, options);
  }

  async notify(method: string, params?: Params): Promise<void> {
    await (await this.#open()).notify(method, params);
  }

  async #open(options?: CallOptions): Promise<Session> {
    return (await this.#server.open(patienceOf(options))).session;
  }
}

/** Opening a server for a call takes no longer than the call may. */
function patienceOf({ signal, timeoutMs, maxTotalMs }: CallOptions = {}): Patience {
  const limits = [timeoutMs, maxTotalMs].filter((ms) => ms !== undefined);
  return { signal, timeoutMs: limits.length === 0 ? undefined : Math.min(...limits) };
}
