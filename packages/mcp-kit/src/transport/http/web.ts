import { Buffer } from 'node:buffer';
import { createDeferred } from '#base';
import type { Parts } from '#jsonrpc';
import type { Service } from '#protocol';
import { createCors } from './cors.ts';
import { createEndpoint, type EndpointOptions } from './endpoint.ts';
import { createGuard, type GuardOptions } from './guard.ts';
import type { HeaderList, Responder, ResponseStream } from './responder.ts';
import { createRouter, type BodySink } from './router.ts';

export interface FetchHandler {
  (request: Request): Promise<Response>;
  /** Ends every session and stream. */
  close(): Promise<void>;
}

/** The same endpoint as a function from `Request` to `Response`: for Hono, Bun, Deno and workers. */
export function toFetchHandler(
  service: Service,
  options: EndpointOptions & GuardOptions = {},
): FetchHandler {
  const endpoint = createEndpoint(service, options);
  const cors = createCors(options.allowedOrigins ?? []);
  const route = createRouter({ endpoint, guard: createGuard(options), cors });
  const handle = (request: Request): Promise<Response> => {
    const headers = { host: new URL(request.url).host, ...Object.fromEntries(request.headers) };
    const responder = new WebResponder(request.signal, cors.headersFor(headers) ?? []);
    const { method } = request;
    const read = (sink: BodySink): (() => void) => readBody(request, sink);
    route({ method, headers, rawHeaders: [], address: undefined, read }, responder);
    return responder.response;
  };

  return Object.assign(handle, {
    close: () => endpoint.close(),
  });
}

/** Reads a body until it ends or nobody wants more of it. */
function readBody({ body }: Request, { piece, end, broken }: BodySink): () => void {
  let isWanted = true;
  const read = async (): Promise<void> => {
    for await (const chunk of body ?? []) {
      if (isWanted) piece(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      if (!isWanted) return;
    }
    end();
  };
  read().catch(broken);
  return () => {
    isWanted = false;
  };
}

/** Bodies a runtime may not attach to these. */
const bodiless = new Set([202, 204]);

/** The status proxies log for a client that left before its answer. */
const clientClosedRequest = 499;

class WebResponder implements Responder {
  readonly #more: HeaderList;
  readonly #answered = createDeferred<Response>();
  readonly #goneListeners: (() => void)[] = [];
  #stream: WebStream | undefined;
  #begun = false;
  #gone = false;

  /** `more` are headers that the answer carries besides its own. */
  constructor(signal: AbortSignal, more: HeaderList) {
    this.#more = more;
    if (signal.aborted) this.#leave();
    else signal.addEventListener('abort', () => this.#leave(), { once: true });
  }

  get response(): Promise<Response> {
    return this.#answered.promise;
  }

  respond(status: number, headers: HeaderList, body: string | Parts): void {
    if (this.#begun) return;
    this.#begun = true;
    const whole = typeof body === 'string' ? body : new Blob([...body]);
    const content = bodiless.has(status) ? null : whole;
    this.#answered.resolve(new Response(content, { status, headers: this.#head(headers) }));
  }

  openStream(headers: HeaderList): ResponseStream {
    const stream = new WebStream(() => this.#leave());
    if (this.#begun) {
      stream.cut();
      return stream;
    }
    this.#begun = true;
    this.#stream = stream;
    const init = { status: 200, headers: this.#head(headers) };
    this.#answered.resolve(new Response(stream.readable, init));
    return stream;
  }

  #head(headers: HeaderList): [string, string][] {
    return pairs([...headers, ...this.#more]);
  }

  get gone(): boolean {
    return this.#gone;
  }

  onGone(listener: () => void): void {
    if (this.#gone) listener();
    else this.#goneListeners.push(listener);
  }

  /** Runtimes report a hang-up by the request's signal, by cancelling the body, or both. */
  #leave(): void {
    this.#gone = true;
    // Nobody will read this, but whoever awaits the response goes on.
    this.respond(clientClosedRequest, [], '');
    this.#stream?.cut();
    for (const listener of this.#goneListeners.splice(0)) listener();
  }
}

class WebStream implements ResponseStream {
  readonly readable: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #drainListeners: (() => void)[] = [];
  readonly #closeListeners: (() => void)[] = [];
  #waiting = 0;
  #closed = false;
  #stallMs: number | undefined;
  #stalled: NodeJS.Timeout | undefined;

  constructor(onCancel: () => void) {
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          this.#waiting = 0;
          this.cutAfterStall(this.#stallMs);
          for (const listener of this.#drainListeners) listener();
        },
        cancel: () => {
          this.#finish();
          onCancel();
        },
      },
      { highWaterMark: 1 },
    );
  }

  get waiting(): number {
    return this.#waiting;
  }

  write(text: string): void {
    if (this.#closed) return;
    const bytes = Buffer.from(text, 'utf8');
    this.#waiting += bytes.length;
    this.#controller?.enqueue(bytes);
  }

  onDrain(listener: () => void): void {
    this.#drainListeners.push(listener);
  }

  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else this.#closeListeners.push(listener);
  }

  end(): void {
    if (this.#closed) return;
    this.#controller?.close();
    this.#finish();
  }

  cutAfterStall(ms: number | undefined): void {
    this.#stallMs = ms;
    clearTimeout(this.#stalled);
    if (ms !== undefined && !this.#closed) this.#stalled = setTimeout(() => this.cut(), ms);
  }

  cut(): void {
    if (this.#closed) return;
    this.#controller?.error(new Error('the connection was cut'));
    this.#finish();
  }

  #finish(): void {
    this.#closed = true;
    clearTimeout(this.#stalled);
    for (const listener of this.#closeListeners) listener();
  }
}

function pairs(headers: HeaderList): [string, string][] {
  const result: [string, string][] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    result.push([headers[at] ?? '', headers[at + 1] ?? '']);
  }
  return result;
}
