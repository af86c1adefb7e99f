import type { Params } from '#jsonrpc';
import type {
  CallToolResult,
  GetPromptResult,
  LoggingLevel,
  Meta,
  Prompt,
  Resource,
  ResourceContents,
  ResourceTemplate,
  ServerCapabilities,
  Tool,
} from '#protocol';

interface PageFields {
  /** Where to go on; absent on the last page. */
  readonly nextCursor?: string | undefined;
  readonly _meta?: Meta | undefined;
}

/** A page of `tools/list`. */
export interface ToolsPage extends PageFields {
  readonly tools: readonly Tool[];
}

/** A page of `resources/list`. */
export interface ResourcesPage extends PageFields {
  readonly resources: readonly Resource[];
}

/** A page of `resources/templates/list`. */
export interface ResourceTemplatesPage extends PageFields {
  readonly resourceTemplates: readonly ResourceTemplate[];
}

/** A page of `prompts/list`. */
export interface PromptsPage extends PageFields {
  readonly prompts: readonly Prompt[];
}

/** The contents of a resource. */
export interface ReadResourceResult {
  readonly contents: readonly ResourceContents[];
  readonly _meta?: Meta | undefined;
}

/** What an argument is completed for. */
export type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };

/** What an argument may be completed to. */
export interface CompletionResult {
  readonly completion: {
    readonly values: readonly string[];
    readonly total?: number | undefined;
    readonly hasMore?: boolean | undefined;
  };
  readonly _meta?: Meta | undefined;
}

/** The answer to `server/discover`. */
export interface DiscoverResult {
  readonly supportedVersions: readonly string[];
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string | undefined;
  readonly ttlMs?: number | undefined;
  readonly cacheScope?: string | undefined;
  readonly _meta?: Meta | undefined;
}

/** What to be told about. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean | undefined;
  readonly promptsListChanged?: boolean | undefined;
  readonly resourcesListChanged?: boolean | undefined;
  /** URIs of resources. */
  readonly resourceSubscriptions?: readonly string[] | undefined;
  readonly [kind: string]: unknown;
}

/** A subscription that stays open until one side closes it. */
export interface Subscription {
  /** Under which name the server tells; the legacy era has none. */
  readonly id?: string | undefined;
  /** What the server agreed to tell. */
  readonly honored: SubscriptionFilter;
  /** Settles when nothing more will come; with the cause if it was not `close`. */
  readonly closed: Promise<Error | undefined>;
  close(): void;
}

type PageParams = Params & { readonly cursor?: string | undefined };
type UriParams = Params & { readonly uri: string };
type Fields = Readonly<Record<string, unknown>>;

/** The requests of the protocol: what each sends, and what it is answered. */
interface Requests {
  'completion/complete': {
    params: Params & {
      readonly ref: CompletionReference;
      readonly argument: { readonly name: string; readonly value: string };
    };
    result: CompletionResult;
  };
  'logging/setLevel': { params: Params & { readonly level: LoggingLevel }; result: Fields };
  ping: { params: Params; result: Fields };
  'prompts/get': {
    params: Params & {
      readonly name: string;
      readonly arguments?: Readonly<Record<string, string>> | undefined;
    };
    result: GetPromptResult;
  };
  'prompts/list': { params: PageParams; result: PromptsPage };
  'resources/list': { params: PageParams; result: ResourcesPage };
  'resources/read': { params: UriParams; result: ReadResourceResult };
  'resources/subscribe': { params: UriParams; result: Fields };
  'resources/templates/list': { params: PageParams; result: ResourceTemplatesPage };
  'resources/unsubscribe': { params: UriParams; result: Fields };
  'server/discover': { params: Params; result: DiscoverResult };
  'tools/call': {
    params: Params & { readonly name: string; readonly arguments?: Params | undefined };
    result: CallToolResult;
  };
  'tools/list': { params: PageParams; result: ToolsPage };
}

/** What a request of this method sends; anything, where the protocol does not say. */
export type ParamsOf<Method extends string> = Method extends keyof Requests
  ? Requests[Method]['params']
  : Params;

/** What a request of this method is answered, by the word of the server; unknown, where the protocol does not say. */
export type ResultOf<Method extends string> = Method extends keyof Requests
  ? Requests[Method]['result'] & Fields
  : unknown;
