import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Channel, Id, Params, Request, Sent } from 'mcp-kit/jsonrpc';
import { metaKeys, modernVersion, type Target } from 'mcp-kit/protocol';
import { httpTarget, type HttpClientOptions } from 'mcp-kit/transport/http-client';
import type { Message } from '../support/http-client.ts';
import { Watched } from '../support/watched.ts';

/** A request as a server got it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly message: Message;
  readonly at: number;
  readonly response: ServerResponse;
}

/** A server that does what a test says. */
export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly origin: string;
  readonly seen: readonly Seen[];
  /** The requests with this HTTP method, or for this JSON-RPC method. */
  all(method: string): readonly Seen[];
  /** Waits for the request number `index` with this HTTP method, or for this JSON-RPC method. */
  nth(method: string, index?: number): Promise<Seen>;
  /** Connections open now, and how many there were in all. */
  readonly connections: { readonly open: number; readonly total: number };
  /** Waits until no connection is open. */
  deserted(): Promise<void>;
}

export type Script = (seen: Seen) => void;

/** Serves on a free port of this machine; `script` answers each request when its body is there. */
export async function scripted(script: Script): Promise<ScriptedServer> {
  const watched = new Watched();
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  let total = 0;
  const server = createServer((request, response) => {
    void read(request, response).then(
      (entry) => {
        seen.push(entry);
        watched.changed();
        script(entry);
      },
      () => {},
    );
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    total += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      sockets.delete(socket);
      watched.changed();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const origin = `http://127.0.0.1:${port}`;
  const all = (method: string): readonly Seen[] =>
    seen.filter((entry) => entry.method === method || entry.message.method === method);
  return {
    url: `${origin}/mcp`,
    origin,
    seen,
    all,
    nth: (method, index = 0) => watched.until(() => all(method)[index]),
    get connections() {
      return { open: sockets.size, total };
    },
    deserted: () => watched.until(() => (sockets.size === 0 ? null : undefined)).then(() => {}),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(request: IncomingMessage, response: ServerResponse): Promise<Seen> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  const { method = '', url: path = '', headers } = request;
  const message = text === '' ? {} : (JSON.parse(text) as Message);
  return { method, path, headers, text, message, at: performance.now(), response };
}

type Headers = Readonly<Record<string, string>>;

/** Answers with JSON. */
export function json({ response }: Seen, body: unknown, headers: Headers = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** The result of a request. */
export function result(seen: Seen, value: object = {}): object {
  return { jsonrpc: '2.0', id: seen.message.id, result: value };
}

/** Begins an event stream. */
export function stream({ response }: Seen, headers: Headers = {}): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  response.flushHeaders();
  return response;
}

/** One event, with a message in it unless it is text. */
export function event(data: unknown, id?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${text}\n\n`;
}

/** Answers the handshake; `others` answers the rest. */
export function sessionful(others: Script, session = 'session-1'): Script {
  return (seen) => {
    const { message, response, method } = seen;
    if (message.method === 'initialize') {
      const value = { protocolVersion: '2025-06-18', capabilities: {} };
      json(seen, result(seen, value), { 'mcp-session-id': session });
    } else if (message.method === 'notifications/initialized') {
      response.writeHead(202).end();
    } else if (method === 'DELETE') {
      response.writeHead(204).end();
    } else {
      others(seen);
    }
  };
}

/** For a server without a stream of its own. */
export function noStream(others: Script): Script {
  return (seen) => {
    if (seen.method === 'GET') seen.response.writeHead(405).end();
    else others(seen);
  };
}

/** What a channel delivered. */
export interface Lost {
  readonly id: Id;
  readonly error: Error & {
    readonly code?: string;
    readonly hint?: string;
    readonly details?: Readonly<Record<string, unknown>>;
  };
}

/** A channel in use, and all that came of it. */
export class Talk implements AsyncDisposable {
  readonly #watched = new Watched();
  readonly channel: Channel;
  readonly messages: Message[] = [];
  readonly malformed: string[] = [];
  readonly lost: Lost[] = [];
  readonly closed: (Error | undefined)[] = [];
  #lastId = 0;

  constructor(channel: Channel) {
    this.channel = channel;
    const note = <T>(list: T[], entry: T): void => {
      list.push(entry);
      this.#watched.changed();
    };
    channel.start({
      deaf: false,
      message: (value) => note(this.messages, value as Message),
      malformed: (_, reason) => note(this.malformed, reason),
      skipped: () => {},
      released: () => {},
      lost: (id, error) => note(this.lost, { id, error }),
      failed: () => {},
      ended: () => {},
      closed: (cause) => note(this.closed, cause),
    });
  }

  /** Settles when `find` gives something, looking again at whatever comes. */
  until<T>(find: () => T | undefined): Promise<T> {
    return this.#watched.until(find);
  }

  send(message: object, headers?: Headers): Sent {
    const whole = { jsonrpc: '2.0', ...message } as Request;
    return this.channel.send(JSON.stringify(whole), { message: whole, headers });
  }

  /** Sends a request and gives its id. */
  ask(method: string, params?: Params, headers?: Headers): number {
    const id = ++this.#lastId;
    this.send({ id, method, ...(params && { params }) }, headers);
    return id;
  }

  notify(method: string, params?: Params): Sent {
    return this.send({ method, ...(params && { params }) });
  }

  /** The answer to a request; fails when it is lost. */
  async answer(id: Id): Promise<Message> {
    const outcome = await this.outcome(id);
    if ('error' in outcome && outcome.error instanceof Error) throw outcome.error;
    return outcome as Message;
  }

  /** Why a request is lost. */
  async loss(id: Id): Promise<Lost['error']> {
    const outcome = await this.outcome(id);
    if ('error' in outcome && outcome.error instanceof Error) return outcome.error;
    throw new Error(`answered: ${JSON.stringify(outcome)}`);
  }

  outcome(id: Id): Promise<Message | Lost> {
    const isAnswer = (message: Message): boolean =>
      message.id === id && message.method === undefined;
    return this.until(
      () => this.messages.find(isAnswer) ?? this.lost.find((lost) => lost.id === id),
    );
  }

  /** Goes through the handshake. */
  async shakeHands(): Promise<void> {
    const params = { protocolVersion: '2025-11-25', capabilities: {} };
    await this.answer(this.ask('initialize', params));
    this.notify('notifications/initialized');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.channel.close();
  }
}

/** Opens a channel to a URL. */
export async function talk(where: string | Target, options: HttpClientOptions = {}): Promise<Talk> {
  const target = typeof where === 'string' ? httpTarget(where, options) : where;
  return new Talk(await target.dial());
}

/** Parameters of the modern era. */
export function enveloped(params: Params = {}): Params {
  const _meta = { [metaKeys.protocolVersion]: modernVersion, [metaKeys.clientCapabilities]: {} };
  return { ...params, _meta };
}
