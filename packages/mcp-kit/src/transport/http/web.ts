import { Buffer } from 'node:buffer';
import { createDeferred, unref, Unread, type Budget } from '#base';
import { sizeOf, type Parts } from '#jsonrpc';
import type { Service } from '#protocol';
import { createCors, createGuard, type GuardOptions } from './admit.ts';
import { createEndpoint, type EndpointOptions } from './endpoint.ts';
import type { HeaderList, Responder, ResponseStream } from './responder.ts';
import { createRouter, type BodySink } from './router.ts';

/** Answers requests of the web platform until it is closed. */
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
    const responder = new WebResponder(
      request.signal,
      cors.headersFor(headers) ?? [],
      endpoint.budget,
    );
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

/** A larger body is counted until it is read, and how long its reader may then take nothing. */
const maxUncounted = 16 * 1024;
const stallMs = 60_000;

type Content = string | ReadableStream<Uint8Array> | null;

class WebResponder implements Responder {
  readonly #more: HeaderList;
  readonly #budget: Budget;
  readonly #answered = createDeferred<Response>();
  readonly #goneListeners: (() => void)[] = [];
  #stream: WebStream | undefined;
  #begun = false;
  #gone = false;

  /** `more` are headers that the answer carries besides its own. */
  constructor(signal: AbortSignal, more: HeaderList, budget: Budget) {
    this.#more = more;
    this.#budget = budget;
    if (signal.aborted) this.#leave();
    else signal.addEventListener('abort', () => this.#leave(), { once: true });
  }

  get response(): Promise<Response> {
    return this.#answered.promise;
  }

  respond(status: number, headers: HeaderList, body: string | Parts): void {
    if (this.#begun) return;
    this.#begun = true;
    if (bodiless.has(status)) this.#answer(status, headers, null);
    else if (typeof body === 'string' && body.length <= maxUncounted) {
      this.#answer(status, headers, body);
    } else {
      const head = [...headers, 'content-length', String(sizeOf(body))];
      this.#answer(status, head, this.#counted(body));
    }
  }

  #answer(status: number, headers: HeaderList, body: Content): void {
    const init = { status, headers: pairs([...headers, ...this.#more]) };
    this.#answered.resolve(new Response(body, init));
  }

  /** A whole answer that waits here until it is read, for as long as there is room. */
  #counted(body: string | Parts): ReadableStream<Uint8Array> {
    const stream = new WebStream(() => this.#leave());
    this.#stream = stream;
    // A copy of bytes: they are of all answers with the same list, and a reader may do with them as it likes.
    for (const part of typeof body === 'string' ? [body] : body) stream.write(Buffer.from(part));
    stream.end();
    stream.cutAfterStall(stallMs);
    const unread = new Unread(this.#budget, stream);
    unread.look();
    stream.onClose(() => unread.end());
    return stream.readable;
  }

  openStream(headers: HeaderList): ResponseStream {
    const stream = new WebStream(() => this.#leave());
    if (this.#begun) {
      stream.cut();
      return stream;
    }
    this.#begun = true;
    this.#stream = stream;
    this.#answer(200, headers, stream.readable);
    return stream;
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

/** A reader is handed so much at a time: then it can be seen that it reads. */
const pieceBytes = 64 * 1024;

/** Bytes that wait for a reader, which takes them when it wants to. */
class WebStream implements ResponseStream {
  readonly readable: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #drainListeners: (() => void)[] = [];
  readonly #closeListeners: (() => void)[] = [];
  readonly #pieces: Uint8Array[] = [];
  #waiting = 0;
  /** The reader waits for the next piece. */
  #isAwaited = false;
  #isEnding = false;
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
          this.#isAwaited = true;
          this.cutAfterStall(this.#stallMs);
          this.#hand();
        },
        cancel: () => {
          this.#finish();
          onCancel();
        },
      },
      // Nothing is read ahead: what is not counted here must be with the reader.
      { highWaterMark: 0 },
    );
  }

  get waiting(): number {
    return this.#waiting;
  }

  write(content: string | Buffer): void {
    if (this.#closed || this.#isEnding) return;
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      this.#pieces.push(bytes.subarray(at, at + pieceBytes));
    }
    this.#waiting += bytes.length;
    this.#hand();
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
    this.#isEnding = true;
    this.#hand();
  }

  cutAfterStall(ms: number | undefined): void {
    this.#stallMs = ms;
    clearTimeout(this.#stalled);
    if (ms !== undefined && !this.#closed) this.#stalled = unref(setTimeout(() => this.cut(), ms));
  }

  cut(): void {
    if (this.#closed) return;
    this.#controller?.error(new Error('the connection was cut'));
    this.#finish();
  }

  /** Gives a reader that waits what there is for it. */
  #hand(): void {
    const piece = this.#isAwaited ? this.#pieces.shift() : undefined;
    if (piece !== undefined) {
      this.#isAwaited = false;
      this.#waiting -= piece.length;
      this.#controller?.enqueue(piece);
      if (this.#waiting === 0) for (const listener of this.#drainListeners) listener();
    }
    if (this.#isEnding && this.#waiting === 0 && !this.#closed) {
      this.#controller?.close();
      this.#finish();
    }
  }

  #finish(): void {
    this.#closed = true;
    this.#pieces.length = 0;
    this.#waiting = 0;
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
