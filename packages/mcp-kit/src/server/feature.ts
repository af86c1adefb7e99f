import type { MaybePromise } from '#base';
import type { Params } from '#jsonrpc';
import type {
  ClientView,
  HeaderBinding,
  Layer,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
} from '#protocol';
import type { Context } from './context.ts';

/** Serves one method in both eras: returns a revision-neutral result, or throws an `RpcError`. */
export type Handler = (params: Params, context: Context) => MaybePromise<unknown>;

/** What there are lists of. */
export type ListKind = 'tools' | 'prompts' | 'resources';

/** What a feature tells the server, which tells every client that wants to know. */
export interface Changes {
  /** A list is another one, for all clients or for those that are concerned. */
  listChanged(kind: ListKind, concerns?: (client: ClientView) => boolean): void;
  resourceUpdated(uri: string): void;
}

/** What is being completed: an argument of a prompt or a variable of a resource template. */
export interface CompletionRequest {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  /** Arguments that are filled in already. */
  readonly filled: Readonly<Record<string, string>>;
}

/** Resources of a feature; a server lists and reads those of all its features as one. */
export interface ResourceSource {
  /** How many are on a page; the smallest number of all features counts. */
  readonly pageSize?: number | undefined;
  /** Settles when what is listed is what there is now. */
  ready?(): MaybePromise<unknown>;
  list(): readonly Resource[];
  templates?(): readonly ResourceTemplate[];
  /** The result of reading; nothing where this feature has no such resource. */
  read(uri: string, context: Context): MaybePromise<object | undefined>;
}

/** Hears how a task is. */
export type WatchTask = (
  taskId: string,
  context: Context,
  changed: (task: object) => void,
) => Promise<(() => void) | undefined>;

/** A part of a server: what it can do, and the methods it answers. */
export interface Feature {
  readonly capabilities: ServerCapabilities;
  readonly methods: Readonly<Record<string, Handler>>;
  readonly resources?: ResourceSource | undefined;
  /** Methods that only legacy clients have, and those that answer them otherwise. */
  readonly legacyMethods?: Readonly<Record<string, Handler>> | undefined;
  /** What is offered besides to clients of 2025-11-25. */
  readonly legacyCapabilities?: object | undefined;
  /** For whoever keeps account of all messages: sees also those that a transport refuses. */
  readonly observe?: Layer | undefined;
  /** Tells how a task is, now and after each change, until the function given back is called; nothing where the caller has no such task. */
  readonly watchTask?: WatchTask | undefined;
  /** Called once, when the feature becomes part of a server. */
  attach?(changes: Changes): void;
  /** Called when the server is closed. */
  close?(): void;
  /** Called once, when the first client has been greeted: a time to load what the first call will need. */
  warm?(): void;
  /** Suggests values, or nothing when the reference is not this feature's. */
  complete?(
    request: CompletionRequest,
    context: Context,
  ): MaybePromise<readonly string[]> | undefined;
  /** The headers that must repeat arguments of a tool; nothing when the tool is not this feature's. */
  mirroredHeaders?(tool: string): readonly HeaderBinding[] | undefined;
}
