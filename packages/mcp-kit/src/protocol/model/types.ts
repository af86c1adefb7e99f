/** The MCP model, independent of revision. Unknown fields are allowed everywhere and pass untouched. */

export interface Meta {
  readonly [key: string]: unknown;
}

export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}

export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly websiteUrl?: string | undefined;
  readonly icons?: readonly Icon[] | undefined;
}

type Settings = Readonly<Record<string, unknown>>;

export interface ClientCapabilities {
  readonly experimental?: Settings;
  readonly roots?: Settings;
  readonly sampling?: Settings;
  readonly elicitation?: Settings;
  readonly extensions?: Readonly<Record<string, Settings>>;
}

export interface ServerCapabilities {
  readonly experimental?: Settings;
  readonly logging?: Settings;
  readonly completions?: Settings;
  readonly prompts?: { readonly listChanged?: boolean };
  readonly resources?: { readonly subscribe?: boolean; readonly listChanged?: boolean };
  readonly tools?: { readonly listChanged?: boolean };
  readonly extensions?: Readonly<Record<string, Settings>>;
}

export interface Annotations {
  readonly audience?: readonly ('user' | 'assistant')[];
  readonly priority?: number;
  readonly lastModified?: string;
}

export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export type JsonSchema = { readonly [keyword: string]: unknown };

export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta | undefined;
}

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

export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}

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

export type ContentBlock = BlockFields &
  (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
    | { readonly type: 'resource'; readonly resource: ResourceContents }
    | ({ readonly type: 'resource_link' } & Resource)
  );

export interface CallToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Meta;
}

export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlock;
}

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

export type LoggingLevel = (typeof loggingLevels)[number];

export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return loggingLevels.some((level) => level === value);
}

/** Whether a message of `level` passes a threshold. */
export function reaches(level: LoggingLevel, threshold: LoggingLevel): boolean {
  return loggingLevels.indexOf(level) >= loggingLevels.indexOf(threshold);
}
