import { legacyVersions } from 'mcp-kit/internal';
import { metaKeys, modernVersion, type Service } from 'mcp-kit/protocol';
import { serveHttp, type HttpListening, type HttpOptions } from 'mcp-kit/transport/http';
import {
  open,
  send,
  type Answer,
  type Call,
  type Message,
  type OpenStream,
} from './http-client.ts';

type Fields = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;

export interface Served extends HttpListening {
  [Symbol.asyncDispose](): Promise<void>;
}

/** Serves on a free port until the test ends. */
export async function serving(service: Service, options: HttpOptions = {}): Promise<Served> {
  const listening = await serveHttp(service, options);
  return Object.assign(listening, { [Symbol.asyncDispose]: () => listening.close() });
}

export const postHeaders = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
} as const;

/** Any one message, of either era, with the headers every POST needs. */
export function post(url: string, body: unknown, headers: Headers = {}): Promise<Answer> {
  return send(url, { body, headers: { ...postHeaders, ...headers } });
}

export interface InitializeOptions {
  readonly version?: string;
  readonly capabilities?: Fields;
  readonly headers?: Headers;
}

export function initialize(url: string, options: InitializeOptions = {}): Promise<Answer> {
  const { version = legacyVersions[0], capabilities = {}, headers } = options;
  const params = {
    protocolVersion: version,
    capabilities,
    clientInfo: { name: 'test', version: '1' },
  };
  return post(url, request(1, 'initialize', params), headers);
}

export function request(id: string | number, method: string, params?: Fields): Message {
  return { jsonrpc: '2.0', id, method, ...(params && { params }) };
}

export function notification(method: string, params?: Fields): Message {
  return { jsonrpc: '2.0', method, ...(params && { params }) };
}

/** A legacy session. */
export interface LegacySession {
  readonly id: string;
  /** Names the session and its version. */
  readonly headers: Headers;
  post(body: unknown, headers?: Headers): Promise<Answer>;
  request(method: string, params?: Fields, headers?: Headers): Promise<Answer>;
  /** The same, without waiting for the end of the answer. */
  stream(body: unknown, headers?: Headers): Promise<OpenStream>;
  /** Opens the event stream. */
  listen(headers?: Headers): Promise<OpenStream>;
  get(headers?: Headers): Promise<Answer>;
  delete(headers?: Headers): Promise<Answer>;
}

/** Initializes, and unless told otherwise says so. */
export async function startSession(
  url: string,
  options: InitializeOptions & { readonly ready?: boolean } = {},
): Promise<LegacySession> {
  const answer = await initialize(url, options);
  const id = String(answer.headers['mcp-session-id']);
  const version = String(answer.message.result?.['protocolVersion']);
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': version };
  let lastId = 1;
  const all = (more: Headers = {}): Headers => ({ ...postHeaders, ...headers, ...more });
  const session: LegacySession = {
    id,
    headers,
    post: (body, more) => send(url, { body, headers: all(more) }),
    request: (method, params, more) => session.post(request(++lastId, method, params), more),
    stream: (body, more) => open(url, { body, headers: all(more) }),
    listen: (more) =>
      open(url, { method: 'GET', headers: { ...headers, accept: 'text/event-stream', ...more } }),
    get: (more) => send(url, { method: 'GET', headers: { ...headers, ...more } }),
    delete: (more) => send(url, { method: 'DELETE', headers: { ...headers, ...more } }),
  };
  if (options.ready !== false) await session.post(notification('notifications/initialized'));
  return session;
}

export interface ModernOptions {
  readonly id?: string | number;
  readonly capabilities?: Fields;
  /** Further `_meta`. */
  readonly meta?: Fields;
  /** Replaces or, as `undefined`, removes headers. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** A modern request, with its envelope and the headers that repeat it. */
export function modern(method: string, params: Fields = {}, options: ModernOptions = {}): Call {
  const { id = 1, capabilities = {}, meta = {} } = options;
  const envelope = {
    [metaKeys.protocolVersion]: modernVersion,
    [metaKeys.clientCapabilities]: capabilities,
    [metaKeys.clientInfo]: { name: 'test', version: '1' },
    ...meta,
  };
  const name = params['name'] ?? params['uri'];
  const named = ['tools/call', 'prompts/get', 'resources/read'].includes(method);
  const headers = {
    ...postHeaders,
    'mcp-protocol-version': modernVersion,
    'mcp-method': method,
    ...(named && typeof name === 'string' ? { 'mcp-name': name } : {}),
    ...options.headers,
  };
  return {
    headers: Object.fromEntries(
      Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    body: request(id, method, { ...params, _meta: envelope }),
  };
}
