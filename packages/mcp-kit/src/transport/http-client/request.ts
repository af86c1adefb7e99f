import type { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { gistOf, type Deferred, type KitError } from '#base';
import {
  classify,
  isRecord,
  oversized,
  parseMessage,
  type Id,
  type Limits,
  type MessageOptions,
  type Params,
  type Response,
  type Sink,
} from '#jsonrpc';
import { claimsModern, encodeHeaderValue, metaKeys, namedBy } from '#protocol';
import {
  mediaType,
  readBody,
  refusalBytes,
  type BodyEnd,
  type HttpConnection,
  type PendingRequest,
  type ResponseHandler,
} from './connection.ts';
import {
  endedEarly,
  errorIn,
  invalidAnswer,
  notTaken,
  isLostBy,
  refusal,
  sessionLost,
  unreadable,
} from './failures.ts';
import type { HttpSession } from './session.ts';
import {
  EventStream,
  readStream,
  type NextTry,
  type StreamPosition,
  type StreamReading,
} from './stream.ts';

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

/** What a request needs of its channel, and what it tells it. */
export interface RequestOwner {
  /** Where messages are posted. */
  readonly connection: HttpConnection;
  /** Where event streams are continued. */
  readonly streams: HttpConnection;
  readonly limits: Limits;
  /** Answers come another way: that the server takes a message is all its request waits for. */
  readonly answersElsewhere: boolean;
  /** Takes any message that came, and ends the wait of the one it answers. */
  readonly receive: (value: unknown) => void;
  readonly malformed: Sink['malformed'];
  /** The server has taken the message and begins to answer. */
  taken(request: PostRequest): void;
  /** The server has taken it, and that was all: no answer will come this way. */
  accepted(request: PostRequest): void;
  /** There will be no answer. */
  lost(request: PostRequest, error: KitError): void;
  /** The server has ended the stream before the answer, which will be fetched. */
  released(request: PostRequest, retryMs: number | undefined): void;
  /** No connection is used for it any more. */
  over(request: PostRequest): void;
}

/** How long a stream may stay open after the answer; ended in time, its connection can be used again. */
const lingerMs = 1000;
/** How long the server may take over what wants no answer: nobody else would notice that it never takes it. */
const acceptMs = 30_000;
/** What a wait before a stream is continued may grow to: somebody waits for the answer, and not for ever. */
const longestWaitMs = 2000;

/** How much of an event is shown. */
const shownCharacters = 100;

const postHeaders = [
  'content-type',
  'application/json',
  'accept',
  'application/json, text/event-stream',
];

/** The POST of one message, until it is answered: by the body, by a stream, or by a stream that is continued. */
export class PostRequest implements ResponseHandler {
  readonly message: PostedMessage;
  readonly #owner: RequestOwner;
  #pending: PendingRequest | undefined;
  #stream: EventStream | undefined;
  /** Ends what nobody waits for. */
  #timer: NodeJS.Timeout | undefined;
  #inSession = false;
  #streaming = false;
  /** What was wrong with the first event that could not be read, and how it begins. */
  #unreadable: string | undefined;
  /** Answered, lost or dropped: nothing is waited for any more. */
  #done = false;

  /** Characters that count as on their way. */
  size: number;
  /** Settles when the server has taken a notification, or with why it has not; only where somebody waits for that. */
  delivery: Deferred<void> | undefined;

  constructor(message: PostedMessage, owner: RequestOwner) {
    this.message = message;
    this.#owner = owner;
    this.size = message.text.length;
  }

  get started(): boolean {
    return this.#pending !== undefined;
  }

  start(): void {
    const { text, id, method, modern, headers, session } = this.message;
    if (id === undefined) {
      this.#timer = setTimeout(() => this.fail(notTaken(method, acceptMs)), acceptMs);
    }
    const common = modern || method === 'initialize' ? [] : session.headers;
    this.#inSession = common.length > 0 && session.id !== undefined;
    this.#pending = this.#owner.connection.send(
      { method: 'POST', headers: postHeaders.concat(common, headers), body: text },
      this,
    );
  }

  /** Takes note of the answer; says whether its stream is still open, which ends soon. */
  finish(answer: Readonly<Record<string, unknown>>): boolean {
    this.#done = true;
    if (this.message.method === 'initialize') this.message.session.conclude(answer);
    this.#stream?.stop();
    if (!this.#streaming) return false;
    this.#timer = setTimeout(() => this.drop(), lingerMs);
    return true;
  }

  /** Cuts everything off that is under way for it. */
  drop(): void {
    this.#done = true;
    this.#stream?.stop();
    this.#pending?.abort();
    this.#over();
  }

  /** Gives it up: there will be no answer. */
  fail(error: KitError): void {
    if (this.#done) return;
    this.drop();
    this.delivery?.reject(error);
    this.#owner.lost(this, error);
  }

  failed(error: KitError): void {
    this.fail(error);
  }

  answered(response: IncomingMessage): void {
    this.#owner.taken(this);
    const { id, method, session } = this.message;
    const { statusCode: status = 0 } = response;
    if (status < 200 || status >= 300) {
      readBody(response, refusalBytes, (_, bytes) => this.#refused(response, bytes.toString()));
      return;
    }
    if (id === undefined || this.#owner.answersElsewhere) {
      this.#accepted(response);
      return;
    }
    if (method === 'initialize') session.name(response.headers['mcp-session-id']);
    const type = mediaType(response);
    if (mayBeJson(type)) {
      const { maxBytes } = this.#owner.limits;
      readBody(response, maxBytes, (end, bytes) => {
        if (type === '' && bytes.length === 0) this.#empty(status);
        else this.#read(end, bytes);
      });
    } else if (type === 'text/event-stream') {
      this.#follow(response);
    } else {
      readBody(response, refusalBytes, (_, bytes) => {
        const said = gistOf(bytes.toString());
        const what = said === '' ? type : `${type}: ${said}`;
        const hint = 'Check that this is the URL of an MCP endpoint.';
        this.fail(invalidAnswer(method, `the server answered HTTP ${status} in ${what}`, hint));
      });
    }
  }

  #empty(status: number): void {
    const what = `the server answered HTTP ${status} without a body that could be the answer`;
    this.fail(invalidAnswer(this.message.method, what));
  }

  #accepted(response: IncomingMessage): void {
    // What it says beside yes is read only to keep the connection.
    if (mediaType(response) === 'text/event-stream') this.drop();
    else readBody(response, refusalBytes, () => this.#over());
    this.delivery?.resolve();
    this.#owner.accepted(this);
  }

  #over(): void {
    clearTimeout(this.#timer);
    this.#owner.over(this);
  }

  /** A body that is one JSON value. */
  #read(end: BodyEnd, bytes: Buffer): void {
    if (this.#done) return;
    const { method, id } = this.message;
    const { limits } = this.#owner;
    if (end === 'cut') {
      this.fail(endedEarly(method));
      return;
    }
    const parsed = end === 'oversized' ? oversized(limits) : parseMessage(bytes, limits);
    if (!parsed.ok) {
      this.fail(unreadable(method, parsed));
      return;
    }
    for (const value of Array.isArray(parsed.value) ? parsed.value : [parsed.value]) {
      this.#owner.receive(isAnonymousError(value) ? { ...value, id } : value);
    }
    if (this.#done) return;
    this.fail(invalidAnswer(method, 'the server answered something else than was asked'));
  }

  /** A body that is a stream of messages, the answer among them. */
  #follow(response: IncomingMessage): void {
    const position: StreamPosition = { lastEventId: undefined, retryMs: undefined };
    this.#streaming = true;
    readStream(response, {
      ...this.#reading(position),
      over: () => {
        this.#streaming = false;
        if (this.#done) {
          this.drop();
          return;
        }
        this.#pending?.abort();
        this.#continue(position);
        // What was cut is not what the server wished for.
        if (response.complete && !this.#done) this.#owner.released(this, position.retryMs);
      },
    });
  }

  /** The stream was cut: in a legacy session it can be continued where it stopped. */
  #continue(position: StreamPosition): void {
    const { modern, method, session } = this.message;
    if (modern || position.lastEventId === undefined) {
      this.fail(endedEarly(method, this.#unreadable));
      return;
    }
    this.#stream = new EventStream({
      ...this.#reading(position),
      connection: this.#owner.streams,
      headers: () => session.headers,
      longestWaitMs,
      refused: (status, error) => this.#notContinued(status, error),
    });
    this.#stream.continue();
  }

  #reading(position: StreamPosition): StreamReading {
    const { limits, receive: value } = this.#owner;
    const malformed: StreamReading['malformed'] = (code, reason, sample = '') => {
      this.#unreadable ??= `${reason}, in ${JSON.stringify(sample.slice(0, shownCharacters))}`;
      this.#owner.malformed(code, reason, sample);
    };
    const skipped: StreamReading['skipped'] = (fault) =>
      this.fail(unreadable(this.message.method, fault));
    return { limits, position, value, malformed, skipped };
  }

  #notContinued(status: number, error: KitError): NextTry {
    // The server may not have noticed yet that the stream was cut, or be on its way down or up.
    if (status === 409 || status === 429 || status >= 500) return 'again';
    const { method, session } = this.message;
    if (status === 404) {
      session.lost = true;
      this.fail(sessionLost(method, this.#owner.streams.label, true));
    } else {
      this.fail(error.code === 'http_status' ? endedEarly(method, this.#unreadable) : error);
    }
    return 'stop';
  }

  #refused(response: IncomingMessage, body: string): void {
    if (this.#done) return;
    const { id, method, session } = this.message;
    const { statusCode: status = 0 } = response;
    const said = errorIn(body);
    if (status === 401 || status === 403) {
      this.fail(refusal(response, body));
    } else if (this.#inSession && isLostBy(status, said)) {
      session.lost = true;
      this.fail(sessionLost(method, this.#owner.connection.label));
    } else if (said !== undefined && id !== undefined) {
      this.#owner.receive({ ...said, id });
    } else {
      this.fail(refusal(response, body));
    }
  }
}

/** Some servers do not say what they answer in, or say it in their own way. */
function mayBeJson(type: string): boolean {
  return type === '' || type.endsWith('json');
}

/** Whether a value is a response; a peer's id is then one of ours. */
export function isResponse(value: unknown): value is Response & Record<string, unknown> {
  return isRecord(value) && classify(value).kind === 'response';
}

/** Whether it is an error of which the server could not say what it answers. */
function isAnonymousError(value: unknown): value is Response {
  return isResponse(value) && (value.id === undefined || value.id === null);
}
