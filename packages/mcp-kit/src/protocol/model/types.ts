/** The MCP model, independent of revision. Unknown fields are allowed everywhere and pass untouched. */

/** What may be said beside anything else, by keys with a prefix. */
export interface Meta {
  readonly [key: string]: unknown;
}

/** A picture that a client may show. */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}

/** What a client or a server is called. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly websiteUrl?: string | undefined;
  readonly icons?: readonly Icon[] | undefined;
}

type Settings = Readonly<Record<string, unknown>>;

/** What a client can be asked. */
export interface ClientCapabilities {
  readonly experimental?: Settings;
  readonly roots?: Settings;
  readonly sampling?: Settings;
  readonly elicitation?: Settings;
  readonly extensions?: Readonly<Record<string, Settings>>;
}

/** What a server offers. */
export interface ServerCapabilities {
  readonly experimental?: Settings;
  readonly logging?: Settings;
  readonly completions?: Settings;
  readonly prompts?: { readonly listChanged?: boolean };
  readonly resources?: { readonly subscribe?: boolean; readonly listChanged?: boolean };
  readonly tools?: { readonly listChanged?: boolean };
  /** Of 2025-11-25. */
  readonly tasks?: Settings;
  readonly extensions?: Readonly<Record<string, Settings>>;
}

/** For whom content is, and how much it matters. */
export interface Annotations {
  readonly audience?: readonly ('user' | 'assistant')[];
  readonly priority?: number;
  readonly lastModified?: string;
}

/** What a tool says of its effects; clients need not believe it. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A JSON Schema, as data. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A tool as clients see it. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  /** What 2025-11-25 says of calling it as a task. */
  readonly execution?: { readonly taskSupport?: 'forbidden' | 'optional' | 'required' } | undefined;
  readonly _meta?: Meta | undefined;
}

/** A resource as clients see it. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}

/** Resources that are named by a URI template. */
export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}

/** What a prompt can be filled in with. */
export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** A prompt as clients see it. */
export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}

/** What a resource holds: text, or bytes in base64. */
export interface ResourceContents {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly text?: string;
  /** Base64. */
  readonly blob?: string;
  readonly _meta?: Meta;
}

interface BlockFields {
  readonly annotations?: Annotations;
  readonly _meta?: Meta;
}

/** One piece of content: text, a picture, a sound, a resource, or a link to one. */
export type ContentBlock = BlockFields &
  (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
    | { readonly type: 'resource'; readonly resource: ResourceContents }
    | ({ readonly type: 'resource_link' } & Resource)
  );

/** What a call of a tool gives. */
export interface CallToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Meta;
}

/** One message of a prompt that is filled in. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlock;
}

/** A prompt that is filled in. */
export interface GetPromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
  readonly _meta?: Meta;
}

/** The longest URI that is taken to heart: what a client subscribes to is kept for as long as it stays. */
const maxUriLength = 8 * 1024;

export function isUri(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxUriLength;
}

/** About how many bytes a URI takes that is kept: up to two for each character, and its place. */
export function weightOfUri(uri: string): number {
  return 2 * uri.length + 64;
}

/** The same of an open subscription: its stream, and what it asks for. */
export function weightOfListen(filter: object): number {
  return 16 * 1024 + 2 * JSON.stringify(filter).length;
}

/** The levels of log messages, the least severe first. */
export const loggingLevels = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

/** How severe a log message is. */
export type LoggingLevel = (typeof loggingLevels)[number];

export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return loggingLevels.some((level) => level === value);
}

/** Whether a message of `level` passes a threshold. */
export function reaches(level: LoggingLevel, threshold: LoggingLevel): boolean {
  return loggingLevels.indexOf(level) >= loggingLevels.indexOf(threshold);
}
