import type { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { KitError } from '#base';
import {
  oversized,
  parseMessage,
  rpcErrors,
  type Limits,
  type Response,
  type Sink,
} from '#jsonrpc';
import { errorIn, isAnonymousError, isForgotten } from './answers.ts';
import { mediaType, readBody, readEvents, type Ending, type Position } from './body.ts';
import {
  endedEarly,
  invalidAnswer,
  notTaken,
  refusal,
  sessionLost,
  unreadable,
} from './failures.ts';
import { Feed, type Verdict } from './feed.ts';
import type { Letter } from './letter.ts';
import type { Asker, Asking, Wire } from './wire.ts';

/** What a message needs of its channel. */
export interface PostOffice {
  /** Where messages are posted. */
  readonly wire: Wire;
  /** Where event streams are continued. */
  readonly streams: Wire;
  readonly limits: Limits;
  /** Takes any message that came, and ends the wait of the one it answers. */
  receive(value: unknown): void;
  malformed: Sink['malformed'];
  /** The server has taken the message and begins to answer. */
  taken(post: Posted): void;
  /** Taking it was all: no answer will come this way. */
  accepted(post: Posted): void;
  /** There will be no answer. */
  lost(post: Posted, error: KitError): void;
  /** The server has ended the stream before the answer, which will be fetched. */
  released(post: Posted, retryMs: number | undefined): void;
  /** No connection is used for it any more. */
  over(post: Posted): void;
}

/** How much of a refusal is read. */
const refusalBytes = 64 * 1024;
/** How long a stream may stay open after the answer; ended in time, its connection can be used again. */
const lingerMs = 1000;
/** How long the server may take over what wants no answer: nobody else would notice that it never takes it. */
const patienceMs = 30_000;
/** What a wait before a stream is taken up again may grow to: somebody waits for the answer, and not for ever. */
const longestWaitMs = 2000;

const postHeaders = [
  'content-type',
  'application/json',
  'accept',
  'application/json, text/event-stream',
];

/** Whether a refusal within a session says that there is no such session; some use 404 for a method they do not know. */
function isLostBy(status: number, said: Response | undefined): boolean {
  if (status === 404) return said?.error?.code !== rpcErrors.methodNotFound;
  return status === 400 && isForgotten(said);
}

/** One message on its way, until it has been answered: by the body, by a stream, or by a stream taken up again. */
export class Posted implements Asker {
  readonly letter: Letter;
  readonly #office: PostOffice;
  #asking: Asking | undefined;
  #feed: Feed | undefined;
  /** Ends what nobody waits for. */
  #timer: NodeJS.Timeout | undefined;
  #inSession = false;
  #streaming = false;
  /** Answered, lost or dropped: nothing is waited for any more. */
  #done = false;

  /** Characters that count as on their way. */
  size: number;

  constructor(letter: Letter, office: PostOffice) {
    this.letter = letter;
    this.#office = office;
    this.size = letter.text.length;
  }

  get started(): boolean {
    return this.#asking !== undefined;
  }

  start(): void {
    const { text, id, method, modern, headers, handshake } = this.letter;
    if (id === undefined) {
      this.#timer = setTimeout(() => this.fail(notTaken(method, patienceMs)), patienceMs);
    }
    const common = modern || method === 'initialize' ? [] : handshake.headers;
    this.#inSession = common.length > 0 && handshake.id !== undefined;
    this.#asking = this.#office.wire.ask(
      { method: 'POST', headers: postHeaders.concat(common, headers), body: text },
      this,
    );
  }

  /** Takes note of the answer; says whether its stream is still open, which ends soon. */
  finish(answer: Readonly<Record<string, unknown>>): boolean {
    this.#done = true;
    if (this.letter.method === 'initialize') this.letter.handshake.conclude(answer);
    this.#feed?.stop();
    if (!this.#streaming) return false;
    this.#timer = setTimeout(() => this.drop(), lingerMs);
    return true;
  }

  /** Cuts everything off that is under way for it. */
  drop(): void {
    this.#done = true;
    this.#feed?.stop();
    this.#asking?.abort();
    this.#over();
  }

  failed(error: KitError): void {
    this.fail(error);
  }

  answered(response: IncomingMessage): void {
    this.#office.taken(this);
    const { letter } = this;
    const { statusCode: status = 0 } = response;
    if (status < 200 || status >= 300) {
      readBody(response, refusalBytes, (_, bytes) => this.#refused(response, bytes.toString()));
      return;
    }
    if (letter.id === undefined || letter.answeredElsewhere) {
      this.#accepted(response);
      return;
    }
    if (letter.method === 'initialize') letter.handshake.name(response.headers['mcp-session-id']);
    const type = mediaType(response);
    if (type === 'application/json') {
      const { maxBytes } = this.#office.limits;
      readBody(response, maxBytes, (ending, bytes) => this.#read(ending, bytes));
    } else if (type === 'text/event-stream') {
      this.#follow(response);
    } else {
      this.#asking?.abort();
      const what = type === '' ? 'without a body that could be the answer' : `in ${type}`;
      this.fail(invalidAnswer(letter.method, `the server answered HTTP ${status} ${what}`));
    }
  }

  #accepted(response: IncomingMessage): void {
    // What it says beside yes is read only to keep the connection.
    if (mediaType(response) === 'text/event-stream') this.drop();
    else readBody(response, refusalBytes, () => this.#over());
    this.#office.accepted(this);
  }

  #over(): void {
    clearTimeout(this.#timer);
    this.#office.over(this);
  }

  /** A body that is one JSON value. */
  #read(ending: Ending, bytes: Buffer): void {
    if (this.#done) return;
    const { method, id } = this.letter;
    const { limits } = this.#office;
    if (ending === 'cut') {
      this.fail(endedEarly(method));
      return;
    }
    const parsed = ending === 'oversized' ? oversized(limits) : parseMessage(bytes, limits);
    if (!parsed.ok) {
      this.fail(unreadable(method, parsed));
      return;
    }
    for (const value of Array.isArray(parsed.value) ? parsed.value : [parsed.value]) {
      this.#office.receive(isAnonymousError(value) ? { ...value, id } : value);
    }
    if (this.#done) return;
    this.fail(invalidAnswer(method, 'the server answered something else than was asked'));
  }

  /** A body that is a stream of messages, the answer among them. */
  #follow(response: IncomingMessage): void {
    const { limits } = this.#office;
    const position: Position = { lastEventId: undefined, retryMs: undefined };
    this.#streaming = true;
    readEvents(response, {
      limits,
      position,
      value: (value) => this.#office.receive(value),
      malformed: (code, reason, sample) => this.#office.malformed(code, reason, sample),
      skipped: (fault) => this.fail(unreadable(this.letter.method, fault)),
      over: () => {
        this.#streaming = false;
        if (this.#done) {
          this.drop();
          return;
        }
        this.#asking?.abort();
        this.#continue(position);
        // What was cut is not what the server wished for.
        if (response.complete && !this.#done) this.#office.released(this, position.retryMs);
      },
    });
  }

  /** The stream was cut: in the older revisions it can be taken up where it stopped. */
  #continue(position: Position): void {
    const { modern, method, handshake } = this.letter;
    if (modern || position.lastEventId === undefined) {
      this.fail(endedEarly(method));
      return;
    }
    const { streams, limits } = this.#office;
    this.#feed = new Feed({
      wire: streams,
      limits,
      position,
      headers: () => handshake.headers,
      longestWaitMs,
      value: (value) => this.#office.receive(value),
      malformed: (code, reason, sample) => this.#office.malformed(code, reason, sample),
      skipped: (fault) => this.fail(unreadable(method, fault)),
      refused: (status, error) => this.#notContinued(status, error),
    });
    this.#feed.continue();
  }

  #notContinued(status: number, error: KitError): Verdict {
    // The server may not have noticed yet that the stream was cut, or be on its way down or up.
    if (status === 409 || status === 429 || status >= 500) return 'again';
    const { method, handshake } = this.letter;
    if (status === 404) {
      handshake.lost = true;
      this.fail(sessionLost(method, this.#office.streams.label, true));
    } else {
      this.fail(error.code === 'http_status' ? endedEarly(method) : error);
    }
    return 'stop';
  }

  #refused(response: IncomingMessage, body: string): void {
    if (this.#done) return;
    const { id, method, handshake } = this.letter;
    const { statusCode: status = 0 } = response;
    const said = errorIn(body);
    if (status === 401 || status === 403) {
      this.fail(refusal(response, body));
    } else if (this.#inSession && isLostBy(status, said)) {
      handshake.lost = true;
      this.fail(sessionLost(method, this.#office.wire.label));
    } else if (said !== undefined && id !== undefined) {
      this.#office.receive({ ...said, id });
    } else {
      this.fail(refusal(response, body));
    }
  }

  /** Gives it up: there will be no answer. */
  fail(error: KitError): void {
    if (this.#done) return;
    this.drop();
    this.#office.lost(this, error);
  }
}
