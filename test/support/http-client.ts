import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { createDeferred } from 'mcp-kit/internal';
import { EventReader, type StreamEvent } from './event-reader.ts';

/** A JSON-RPC message as it came over the wire. */
export interface Message {
  readonly jsonrpc?: string;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Anything but a string is sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** An answer that is complete. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly events: readonly StreamEvent[];
  /** The messages of a JSON body or of an event stream. */
  readonly messages: readonly Message[];
  /** The last message: the response, when there is one. */
  readonly message: Message;
}

/** Sends one request on a connection of its own and reads the whole answer. */
export async function send(url: string, call: Call = {}): Promise<Answer> {
  const response = await begin(url, call);
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
  const { statusCode: status = 0, headers } = response;
  const streamed = headers['content-type']?.startsWith('text/event-stream') === true;
  const events = streamed ? new EventReader().push(text) : [];
  const messages = streamed ? messagesOf(events) : text === '' ? [] : asList(JSON.parse(text));
  return { status, headers, text, events, messages, message: messages.at(-1) ?? {} };
}

/** An answer that is still coming in. */
export interface OpenStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The next block; fails when the stream has ended. */
  nextEvent(): Promise<StreamEvent>;
  /** The next block that carries a message. */
  nextMessage(): Promise<Message>;
  /** Settles when the server has ended the stream; gives what had not been read. */
  ended(): Promise<readonly StreamEvent[]>;
  /** Hangs up. */
  close(): void;
  [Symbol.dispose](): void;
}

/** Sends one request and reads its event stream as it comes. */
export async function open(url: string, call: Call = {}): Promise<OpenStream> {
  const response = await begin(url, call);
  const reader = new EventReader();
  const unread: StreamEvent[] = [];
  let arrived = createDeferred<void>();
  let over = false;
  const wake = (): void => {
    arrived.resolve();
    arrived = createDeferred();
  };
  response.setEncoding('utf8').on('data', (text: string) => {
    unread.push(...reader.push(text));
    wake();
  });
  // A server that is gone in the middle of an answer has ended it, too.
  response.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    response.once('close', () => {
      over = true;
      wake();
      resolve();
    });
  });
  const nextEvent = async (): Promise<StreamEvent> => {
    for (;;) {
      const event = unread.shift();
      if (event !== undefined) return event;
      if (over) throw new Error('the stream has ended');
      await arrived.promise;
    }
  };
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    nextEvent,
    async nextMessage() {
      for (;;) {
        const [message] = messagesOf([await nextEvent()]);
        if (message !== undefined) return message;
      }
    },
    async ended() {
      await closed;
      return unread.splice(0);
    },
    close: () => response.destroy(),
    [Symbol.dispose]: () => response.destroy(),
  };
}

async function begin(url: string, call: Call): Promise<IncomingMessage> {
  const { method = 'POST', headers = {}, body, signal } = call;
  const request = httpRequest(url, {
    method,
    headers,
    agent: false,
    ...(signal && { signal }),
  });
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  request.end(text);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  // A hang-up after the answer began is reported by the response.
  request.on('error', () => {});
  return response;
}

function messagesOf(events: readonly StreamEvent[]): Message[] {
  return events.flatMap(({ data }) => (data ? asList(JSON.parse(data)) : []));
}

function asList(value: unknown): Message[] {
  return (Array.isArray(value) ? value : [value]) as Message[];
}
