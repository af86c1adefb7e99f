import type { Id, Outgoing, Params } from '#jsonrpc';
import { claimsModern, encodeHeaderValue, metaKeys, namedBy } from '#protocol';
import type { Handshake } from './handshake.ts';

/** A message that is sent, as far as its transport reads it. */
export interface Message {
  readonly id?: Id | undefined;
  readonly method?: string;
  readonly params?: Params;
}

/** A message and what is said beside it. */
export interface Letter {
  readonly text: string;
  /** An answer has none. */
  readonly method: string;
  readonly id: Id | undefined;
  /** Belongs to no session, and its stream cannot be continued. */
  readonly modern: boolean;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** The session it belongs to, or the one it opens. */
  readonly handshake: Handshake;
  /** Taking it is enough: its answer comes another way. */
  readonly answeredElsewhere: boolean;
}

/** What an HTTP request says about the message in it. */
export function address(
  text: string,
  message: Message,
  options: Pick<Outgoing, 'headers'> & Pick<Letter, 'handshake'>,
): Letter {
  const { id, method = 'an answer', params } = message;
  const modern = claimsModern(params);
  const headers: string[] = [];
  if (modern && params !== undefined) sayModern(headers, method, params);
  if (options.headers !== undefined) headers.push(...Object.entries(options.headers).flat());
  const { handshake } = options;
  return { text, method, id, modern, headers, handshake, answeredElsewhere: false };
}

/** Repeats what intermediaries want to know without reading the message. */
function sayModern(headers: string[], method: string, params: Params): void {
  const version = (params['_meta'] as Params)[metaKeys.protocolVersion];
  if (typeof version === 'string') headers.push('mcp-protocol-version', encodeHeaderValue(version));
  headers.push('mcp-method', encodeHeaderValue(method));
  // What an extension names otherwise says so here as well.
  const name = params[namedBy.get(method) ?? (method.startsWith('tasks/') ? 'taskId' : '')];
  if (typeof name === 'string') headers.push('mcp-name', encodeHeaderValue(name));
}
