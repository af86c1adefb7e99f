import type { Id, MessageOptions, Params } from '#jsonrpc';
import { claimsModern, encodeHeaderValue, metaKeys, namedBy } from '#protocol';
import type { HttpSession } from './session.ts';

/** A message that is sent, as far as its transport reads it. */
export interface Message {
  readonly id?: Id | undefined;
  readonly method?: string | undefined;
  readonly params?: Params | undefined;
}

/** A text as data. */
export function messageOf(text: string, options: MessageOptions | undefined): Message {
  return options?.message ?? (JSON.parse(text) as Message);
}

/** A message to be posted, and what its request says beside it. */
export interface PostedMessage {
  readonly text: string;
  /** An answer has none. */
  readonly method: string;
  readonly id: Id | undefined;
  /** Belongs to no session, and its stream cannot be continued. */
  readonly modern: boolean;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** The session it belongs to, or the one it opens. */
  readonly session: HttpSession;
}

/** A message with the headers that its request has. */
export function withHeaders(
  text: string,
  message: Message,
  options: Pick<MessageOptions, 'headers'> & Pick<PostedMessage, 'session'>,
): PostedMessage {
  const { id, method = 'an answer', params } = message;
  const modern = claimsModern(params);
  const headers: string[] = [];
  if (modern && params !== undefined) addModernHeaders(headers, method, params);
  if (options.headers !== undefined) headers.push(...Object.entries(options.headers).flat());
  return { text, method, id, modern, headers, session: options.session };
}

/** Repeats what intermediaries want to know without reading the message. */
function addModernHeaders(headers: string[], method: string, params: Params): void {
  const version = (params['_meta'] as Params)[metaKeys.protocolVersion];
  if (typeof version === 'string') headers.push('mcp-protocol-version', encodeHeaderValue(version));
  headers.push('mcp-method', encodeHeaderValue(method));
  // What an extension names otherwise says so here as well.
  const name = params[namedBy.get(method) ?? (method.startsWith('tasks/') ? 'taskId' : '')];
  if (typeof name === 'string') headers.push('mcp-name', encodeHeaderValue(name));
}
