import type { Skill } from 'mcp-kit/client';

/** What both generations of the SDK call a transport. */
export interface SdkTransport {
  start(): Promise<void>;
  send(message: unknown, options?: unknown): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: unknown) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

export interface SdkHttpTransport extends SdkTransport {
  readonly sessionId: string | undefined;
  terminateSession(): Promise<void>;
}

export interface SdkContent {
  readonly type: string;
  readonly text?: string;
  readonly [key: string]: unknown;
}

export interface SdkToolResult {
  readonly content: readonly SdkContent[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

interface Paged {
  readonly nextCursor?: string;
  readonly [key: string]: unknown;
}

interface Named {
  readonly name: string;
  readonly title?: string;
  readonly [key: string]: unknown;
}

export interface SdkCallOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly onprogress?: (progress: SdkProgress) => void;
  readonly onresumptiontoken?: (token: string) => void;
  readonly resumptionToken?: string;
}

export interface SdkProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

type Page = { readonly cursor?: string } | undefined;

interface SdkClientBase {
  connect(transport: SdkTransport, options?: object): Promise<void>;
  close(): Promise<void>;
  getServerCapabilities(): Readonly<Record<string, unknown>> | undefined;
  getServerVersion(): (Named & { readonly version: string }) | undefined;
  getInstructions(): string | undefined;
  ping(): Promise<unknown>;
  setLoggingLevel(level: string): Promise<unknown>;
  listTools(page?: Page): Promise<Paged & { readonly tools: readonly Named[] }>;
  listPrompts(page?: Page): Promise<Paged & { readonly prompts: readonly Named[] }>;
  listResources(
    page?: Page,
  ): Promise<Paged & { readonly resources: readonly (Named & { readonly uri: string })[] }>;
  listResourceTemplates(
    page?: Page,
  ): Promise<Paged & { readonly resourceTemplates: readonly Named[] }>;
  readResource(params: { readonly uri: string }): Promise<{
    readonly contents: readonly Readonly<Record<string, unknown>>[];
    readonly [key: string]: unknown;
  }>;
  getPrompt(params: {
    readonly name: string;
    readonly arguments?: Readonly<Record<string, string>>;
  }): Promise<{
    readonly description?: string;
    readonly messages: readonly { readonly role: string; readonly content: SdkContent }[];
  }>;
  complete(params: object): Promise<{
    readonly completion: { readonly values: readonly string[]; readonly [key: string]: unknown };
  }>;
  subscribeResource(params: { readonly uri: string }): Promise<unknown>;
  unsubscribeResource(params: { readonly uri: string }): Promise<unknown>;
  sendRootsListChanged(): Promise<void>;
}

export interface SdkNotification {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** What a handler gets besides the request, in the words of either generation. */
export interface SdkExtra {
  readonly signal?: AbortSignal;
  readonly mcpReq?: { readonly signal: AbortSignal };
}

type Answer = (
  request: { readonly params?: Readonly<Record<string, unknown>> },
  extra: SdkExtra,
) => unknown;

export interface SdkV1Client extends SdkClientBase {
  setRequestHandler(schema: object, answer: Answer): void;
  callTool(params: object, schema?: undefined, options?: SdkCallOptions): Promise<SdkToolResult>;
}

export interface SdkV2Client extends SdkClientBase {
  setRequestHandler(method: string, answer: Answer): void;
  callTool(params: object, options?: SdkCallOptions): Promise<SdkToolResult>;
  getProtocolEra(): 'legacy' | 'modern' | undefined;
  getNegotiatedProtocolVersion(): string | undefined;
  getDiscoverResult(): Readonly<Record<string, unknown>> | undefined;
  listen(filter: object): Promise<SdkSubscription>;
}

export interface SdkSubscription {
  readonly honoredFilter: object;
  readonly closed: Promise<'local' | 'graceful' | 'remote'>;
  close(): Promise<void>;
}

interface Transports {
  readonly StdioClientTransport: new (server: object) => SdkTransport & {
    readonly pid: number | null;
  };
  readonly StreamableHTTPClientTransport: new (url: URL, options?: object) => SdkHttpTransport;
}

export interface SdkV1 extends Transports {
  readonly Client: new (info: object, options?: object) => SdkV1Client;
  readonly requestSchemas: Readonly<Record<string, object>>;
}

export interface SdkV2 extends Transports {
  readonly Client: new (info: object, options?: object) => SdkV2Client;
}

export declare function makeReady(): Promise<void>;
export declare const fixtureCommand: { readonly command: string; readonly args: readonly string[] };
export declare function loadSdkV1(): SdkV1;
export declare function loadSdkV2(): SdkV2;
/** As much as is used here of what the newer SDK has for skills. */
export interface SdkSkills {
  readonly supported: boolean;
  readonly directoryRead: boolean;
  list(): Promise<{ readonly skills: readonly Skill[] }>;
  get(uri: string): Promise<{ readonly skill: Skill }>;
  read(skill: Skill, ref?: string): Promise<{ readonly verified: boolean }>;
  readDirectory(uri: string): Promise<{ readonly resources: readonly { readonly uri: string }[] }>;
}

export declare function sdkSkills(client: SdkV1Client | SdkV2Client): SdkSkills;

/** How a call went that was made as a task. */
export interface SdkTasks {
  callAsTask(
    name: string,
  ): Promise<{ readonly types: readonly string[]; readonly result: unknown }>;
  close(): Promise<void>;
}

export declare function sdkTasks(url: string, answer: object): Promise<SdkTasks>;
export declare function inspectorCommand(): readonly [string, ...string[]];

/** The clients of model APIs, as far as the tests use them. */
export interface ModelApis {
  readonly OpenAI: new (options: object) => {
    readonly responses: { create(request: object): Promise<unknown> };
    readonly chat: { readonly completions: { create(request: object): Promise<unknown> } };
  };
  readonly Anthropic: new (options: object) => object;
  readonly GoogleGenAI: new (options: object) => {
    readonly models: { generateContent(request: object): Promise<unknown> };
  };
  readonly MockLanguageModel: new (options: object) => {
    readonly doGenerateCalls: readonly { readonly tools: readonly object[] }[];
  };
  readonly convertToOpenAITool: (tool: object) => object;
}
export declare function loadModelApis(): ModelApis;
