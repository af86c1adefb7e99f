import { isRecord, KitError } from 'mcp-kit/internal';
import { createEraCache, openSession, type Session, type SessionOptions } from 'mcp-kit/client';
import {
  Connection,
  RpcError,
  rpcErrors,
  type Channel,
  type Id,
  type MessageOptions,
  type Params,
  type Sent,
  type Sink,
} from 'mcp-kit/jsonrpc';
import { metaKeys, modernVersion, type Target } from 'mcp-kit/protocol';
import { Watched } from '../support/watched.ts';

/** A message as a server sees it. */
export interface Message {
  readonly id?: Id;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** How a method is served: what is returned is the result, nothing is silence; a `KitError` loses the request. */
export type Serve = (params: Params, call: Call) => unknown;

interface Call {
  readonly id: Id;
  readonly peer: Peer;
  readonly message: Message;
}

/** The server's end of one conversation, driven by a test. */
export class Peer implements Channel {
  readonly received: Message[] = [];
  readonly headers: MessageOptions['headers'][] = [];
  isClosed = false;
  /** The how manieth conversation this is. */
  readonly ordinal: number;
  readonly #serve: Readonly<Record<string, Serve>>;
  readonly #watched = new Watched();
  #sink: Sink | undefined;

  constructor(serve: Readonly<Record<string, Serve>>, ordinal: number) {
    this.#serve = serve;
    this.ordinal = ordinal;
  }

  start(sink: Sink): void {
    this.#sink = sink;
  }

  send(text: string, options?: MessageOptions): Sent {
    if (this.isClosed) return 'dropped';
    this.headers.push(options?.headers);
    this.reply(text);
    return 'sent';
  }

  reply(text: string | undefined): void {
    if (text === undefined || this.isClosed) return;
    const message = JSON.parse(text) as Message;
    this.received.push(message);
    queueMicrotask(() => void this.#receive(message));
  }

  tell(): undefined {}

  letGo(): boolean {
    return false;
  }

  lastWords(): string {
    return '';
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.isClosed = true;
    this.#watched.changed();
    return Promise.resolve();
  }

  /** The client's end. */
  get connection(): Connection {
    if (this.#sink instanceof Connection) return this.#sink;
    throw new Error('nobody listens');
  }

  /** What was received of a method. */
  of(method: string): Message[] {
    return this.received.filter((message) => message.method === method);
  }

  /** The n-th message of a method, when it has come. */
  async nth(method: string, n = 1): Promise<Message> {
    return this.#watched.until(() => this.of(method)[n - 1]);
  }

  /** The client's answer to a request of the server, when it has come. */
  async answerTo(id: Id): Promise<Message> {
    return this.#watched.until(() =>
      this.received.find((message) => message.id === id && message.method === undefined),
    );
  }

  say(message: object): void {
    if (!this.isClosed) this.#sink?.message({ jsonrpc: '2.0', ...message });
  }

  notify(method: string, params?: Params): void {
    this.say({ method, ...(params && { params }) });
  }

  garble(sample: string): void {
    this.#sink?.malformed(rpcErrors.parse, 'not JSON', sample);
  }

  /** Anything at all, as if it had been read. */
  deliver(value: unknown): void {
    this.#sink?.message(value);
  }

  lose(id: Id, error: Error): void {
    this.#sink?.lost(id, error);
  }

  hangUp(cause?: Error): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#sink?.closed(cause);
    this.#watched.changed();
  }

  async #receive(message: Message): Promise<void> {
    const { id, method, params = {} } = message;
    this.#watched.changed();
    if (id !== undefined && method !== undefined) {
      try {
        const serve = this.#serve[method];
        if (serve === undefined) throw new RpcError(rpcErrors.methodNotFound, `no ${method}`);
        const result = await serve(params, { id, peer: this, message });
        if (result !== undefined) this.say({ id, result });
      } catch (error) {
        if (error instanceof KitError) this.lose(id, error);
        else if (error instanceof RpcError) {
          const { code, message: text, data } = error;
          this.say({ id, error: { code, message: text, data } });
        } else throw error;
      }
    }
  }
}

/** A server that a test has written by hand. */
export interface Script {
  readonly target: Target;
  /** One per conversation, in order. */
  readonly peers: readonly Peer[];
  /** The last one. */
  readonly peer: Peer;
  /** The methods of everything it has received, in order, over all conversations. */
  readonly heard: string[];
}

let scripts = 0;

export function script(
  serve: Readonly<Record<string, Serve>>,
  options: Partial<Pick<Target, 'wire' | 'fallback' | 'key' | 'dial'>> = {},
): Script {
  scripts += 1;
  const peers: Peer[] = [];
  const { dial } = options;
  const target: Target = {
    label: 'script',
    key: `script ${scripts}`,
    wire: 'stream',
    ...options,
    async dial(signal) {
      await dial?.(signal);
      const peer = new Peer(serve, peers.length + 1);
      peers.push(peer);
      return peer;
    },
  };
  return {
    target,
    peers,
    get peer() {
      const last = peers.at(-1);
      if (last === undefined) throw new Error('nobody has dialled');
      return last;
    },
    get heard() {
      return peers.flatMap(({ received }) => received.map(({ method }) => method ?? 'answer'));
    },
  };
}

const offered = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
};

/** Serves the handshake of the legacy era. */
export const older: Readonly<Record<string, Serve>> = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: offered,
    serverInfo: { name: 'older', version: '1' },
  }),
  ping: () => ({}),
  'logging/setLevel': () => ({}),
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
};

/** Serves the discovery of the modern era, and takes up every subscription. */
export const newer: Readonly<Record<string, Serve>> = {
  'server/discover': () => discovered([modernVersion]),
  'subscriptions/listen': ({ notifications }, { id, peer }) => {
    const _meta = { [metaKeys.subscriptionId]: id };
    peer.notify('notifications/subscriptions/acknowledged', { notifications, _meta });
    return undefined;
  },
};

export function discovered(supportedVersions: readonly string[], extra: object = {}): object {
  return {
    resultType: 'complete',
    supportedVersions,
    capabilities: offered,
    ttlMs: 0,
    cacheScope: 'private',
    ...extra,
  };
}

/** Throws what a server answers with. */
export function refuse(code: number, data?: unknown): Serve {
  return () => {
    throw new RpcError(code, 'refused', data);
  };
}

/** Opens a session that remembers nothing from other sessions. */
export function open(to: Script | Target, options: SessionOptions = {}): Promise<Session> {
  const target = 'target' in to ? to.target : to;
  return openSession(target, { eraCache: createEraCache(), ...options });
}

export const text = (said: string): object => ({ content: [{ type: 'text', text: said }] });

/** An error that says which one it is. */
export type Failure = Error & { readonly code?: unknown };

/** What something fails with. */
export async function failure(work: Promise<unknown>): Promise<Failure> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it did not fail');
}

/** Lets everything that can happen by itself happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The keys of the modern era that a message carries. */
export function metaOf({ params }: Message): Readonly<Record<string, unknown>> {
  const meta = params?.['_meta'];
  return isRecord(meta) ? meta : {};
}
