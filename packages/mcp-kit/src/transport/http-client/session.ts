import { createDeferred, KitError } from '#base';
import { isRecord, type Sink } from '#jsonrpc';
import type { HttpConnection } from './connection.ts';
import { EventStream, type NextTry, type StreamReading } from './stream.ts';

/** How long messages wait for the server to take `notifications/initialized`. */
const confirmMs = 5000;
/** How long they wait for the stream after that; it was sent before them. */
const headStartMs = 50;
/** How long a stream that nobody waits for leaves the way to the first calls. */
const deafMs = 50;

/** What a session needs of its channel. */
export interface SessionOwner extends Omit<StreamReading, 'position'> {
  /** Where its stream is fetched. */
  readonly streams: HttpConnection;
  /** Hears of what nobody waits for. */
  failed(error: KitError): void;
  /** Hears what the server says, once somebody listens. */
  readonly sink: () => Sink | undefined;
  /** Messages that the session held back may go. */
  released(): void;
}

/** What one `initialize` began: the id and version that it agreed on, and the stream for what the server says by itself. */
export class HttpSession {
  readonly #owner: SessionOwner | undefined;
  #stream: EventStream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #over = false;
  id: string | undefined;
  version: string | undefined;
  /** What every request within the session says. */
  headers: readonly string[] = [];
  /** The server has said that it no longer knows the session. */
  lost = false;
  /** `notifications/initialized` is on its way: what is sent after it must not overtake it. */
  holds = false;

  /** Without an owner it has no stream. */
  constructor(owner?: SessionOwner) {
    this.#owner = owner;
  }

  /** Takes the id from the headers of the answer; one that could not be sent back is none. */
  name(id: string | string[] | undefined): void {
    if (typeof id !== 'string' || !/^[\x21-\x7e]+$/.test(id)) return;
    this.id = id;
    this.#writeHeaders();
  }

  /** Takes the version from the result, and forgets the id when there is none. */
  conclude({ result }: Readonly<Record<string, unknown>>): void {
    const version = isRecord(result) ? result['protocolVersion'] : undefined;
    if (typeof version === 'string' && /^[\x21-\x7e]+$/.test(version)) this.version = version;
    else this.id = undefined;
    this.#writeHeaders();
  }

  #writeHeaders(): void {
    const headers: string[] = [];
    if (this.id !== undefined) headers.push('mcp-session-id', this.id);
    if (this.version !== undefined) headers.push('mcp-protocol-version', this.version);
    this.headers = headers;
  }

  /** Holds messages back until the server has taken `notifications/initialized`, which `send` sends. */
  confirm(send: () => void): void {
    this.holds = true;
    this.#after(confirmMs, () => this.#release());
    send();
    // Not before, or it would take the connection that is open; its own opens meanwhile.
    if (this.holds && !this.#isDeaf) this.#openStream()?.prepare();
  }

  /** The server has taken it. */
  confirmed(): void {
    // The stream goes first: a call that overtakes it may make the server ask something when there is no stream yet to ask
    // on, and the question would be lost. Some servers answer only when they have something to say, so not for long.
    // A turn later the connection of the handshake is free for the call.
    setImmediate(() => {
      if (this.#over) return;
      if (this.#stream !== undefined) {
        if (this.holds) this.#after(headStartMs, () => this.#release());
        this.#stream.send(() => this.#release());
        return;
      }
      this.#release();
      if (this.#isDeaf) this.#after(deafMs, () => this.#openStream()?.start());
    });
  }

  /** The server has not taken it. */
  refused(): void {
    if (!this.holds) return;
    this.#stream?.stop();
    this.#stream = undefined;
    this.#release();
  }

  /** Ends what is under way for it. */
  stop(): void {
    this.#over = true;
    this.holds = false;
    clearTimeout(this.#timer);
    this.#stream?.stop();
  }

  /** Lets the server forget it, where it may still know it; whether it does is its own affair. */
  end(connection: HttpConnection, timeoutMs: number): Promise<void> {
    if (this.id === undefined || this.lost) return Promise.resolve();
    const { promise, resolve } = createDeferred<void>();
    const done = (): void => {
      clearTimeout(timer);
      pending.abort();
      resolve();
    };
    const request = { method: 'DELETE', headers: this.headers } as const;
    const pending = connection.send(request, { answered: done, failed: done });
    const timer = setTimeout(done, timeoutMs);
    return promise;
  }

  /** Nobody wants what the server says by itself. */
  get #isDeaf(): boolean {
    return this.#owner?.sink()?.deaf === true;
  }

  #after(ms: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, ms);
  }

  #release(): void {
    if (!this.holds || this.#over) return;
    this.holds = false;
    clearTimeout(this.#timer);
    this.#owner?.released();
  }

  /** The stream for what the server says by itself, unless there is one. */
  #openStream(): EventStream | undefined {
    if (this.#owner === undefined || this.#stream !== undefined) return undefined;
    const { streams: connection, failed, ...reading } = this.#owner;
    this.#stream = new EventStream({
      ...reading,
      connection,
      position: { lastEventId: undefined, retryMs: undefined },
      headers: () => this.headers,
      refused: (status, error, wasOpen) => {
        // At first it may just as well mean that there is no such stream.
        if (status === 404 && wasOpen) this.lost = true;
        return nextTry(status, wasOpen);
      },
      troubled: (error) => {
        const { code, message, hint, details } = error;
        const cause = error;
        failed(
          new KitError(code, `the stream of the session: ${message}`, { hint, details, cause }),
        );
      },
    });
    return this.#stream;
  }
}

/** Whether its stream is to be tried again. A server that had one has it again when it is back. */
function nextTry(status: number, wasOpen: boolean): NextTry {
  const unauthorized = status === 401 || status === 403;
  const down = status === 429 || (status >= 500 && status !== 501);
  if (unauthorized || down) return 'again';
  return wasOpen && status >= 400 && status !== 404 ? 'anew' : 'stop';
}
