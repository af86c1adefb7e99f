import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { createDeferred } from 'mcp-kit/internal';
import { legacyVersion, type SseEvent } from './wire.ts';

export interface Place {
  readonly port: number;
  readonly session: string;
}

export interface StreamAsk {
  /** Absent: GET. */
  readonly body?: object;
  readonly lastEventId?: string | undefined;
  /** Characters after which the client resets the connection, in the middle of whatever it is reading. */
  readonly cutAfter?: number;
}

/** One connection that carries an event stream; what arrived stays in `events`. */
export class EventConnection {
  readonly events: SseEvent[] = [];
  status = 0;
  /** The server or the network ended it. */
  over = false;
  readonly #request: ClientRequest;
  #response: IncomingMessage | undefined;
  #rest = '';
  #left: number;
  #changed = createDeferred<void>();

  constructor(place: Place, ask: StreamAsk) {
    const { body, lastEventId, cutAfter = Infinity } = ask;
    this.#left = cutAfter;
    this.#request = httpRequest({
      host: '127.0.0.1',
      port: place.port,
      path: '/mcp',
      agent: false,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        // Streams first: there are servers for which the order decides.
        accept: body === undefined ? 'text/event-stream' : 'text/event-stream, application/json',
        'mcp-session-id': place.session,
        'mcp-protocol-version': legacyVersion,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
    });
    this.#request.on('error', () => this.#end());
    this.#request.on('close', () => this.#end());
    this.#request.on('response', (response) => {
      this.#response = response;
      this.status = response.statusCode ?? 0;
      if (this.#left <= 0) {
        this.reset();
        return;
      }
      response.setEncoding('utf8').on('data', (text: string) => this.#read(text));
      response.on('error', () => this.#end());
      response.on('close', () => this.#end());
      this.#wake();
    });
    this.#request.end(body === undefined ? undefined : JSON.stringify(body));
  }

  /** Settles when `found` says so, looking again whenever something happened. */
  async until(found: () => boolean): Promise<void> {
    while (!found()) await this.#changed.promise;
  }

  pause(): void {
    this.#response?.pause();
  }

  /** Breaks the connection off, in the middle of whatever is under way. */
  reset(): void {
    this.#request.socket?.resetAndDestroy();
    this.#request.destroy();
    this.#end();
  }

  #read(text: string): void {
    if (this.over) return;
    const seen = text.slice(0, this.#left);
    this.#left -= text.length;
    const blocks = (this.#rest + seen).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const id = /^id: ?(.*)$/m.exec(block)?.[1];
      const data = /^data: ?(.*)$/m.exec(block)?.[1];
      if (data !== undefined) this.events.push({ id, data });
    }
    if (this.#left <= 0) this.reset();
    this.#wake();
  }

  #end(): void {
    this.over = true;
    this.#wake();
  }

  #wake(): void {
    const { resolve } = this.#changed;
    this.#changed = createDeferred();
    resolve();
  }
}
