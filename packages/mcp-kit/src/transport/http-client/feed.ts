import type { IncomingMessage } from 'node:http';
import type { KitError, KitErrorCode } from '#base';
import type { Limits } from '#jsonrpc';
import { backOff } from './back-off.ts';
import { mediaType, readEvents, type EventHandlers, type Position } from './body.ts';
import { refusal } from './failures.ts';
import type { Asker, Asking, Wire } from './wire.ts';

/** What a server's refusal of an event stream means. */
export type Verdict = 'again' | 'anew' | 'stop';

export interface FeedOptions extends Pick<EventHandlers, 'value' | 'malformed' | 'skipped'> {
  readonly wire: Wire;
  readonly limits: Limits;
  /** Where to begin, and where it has got to. */
  readonly position: Position;
  /** Beside what every GET says; asked for at each. */
  readonly headers: () => readonly string[];
  /** What a wait before the next try may grow to, if not to the usual. */
  readonly longestWaitMs?: number;
  /** There is no stream: whether to try again, as before or from its present, or never. No status is 0. */
  readonly refused: (status: number, error: KitError, wasOpen: boolean) => Verdict;
}

/** What this side says no to, it says no to each time. */
const lasting: ReadonlySet<KitErrorCode> = new Set([
  'refused_by_policy',
  'invalid_argument',
  'unauthorized',
]);

/** An event stream that is fetched, and fetched again whenever it is cut, until it is stopped or refused. */
export class Feed implements Asker {
  readonly #options: FeedOptions;
  #asking: Asking | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Tries since the last event. */
  #failures = 0;
  #wasOpen = false;
  #stopped = false;
  /** What has become of the request that waits for `send`. */
  #prepared: 'held' | 'failed' | undefined;
  /** Told when the server has answered what was prepared. */
  #then: (() => void) | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Fetches now. */
  start(): void {
    this.#asking = this.#options.wire.ask({ method: 'GET', headers: this.#headers() }, this);
  }

  /** Opens a connection; `send` fetches. */
  prepare(): void {
    const ask = { method: 'GET', headers: this.#headers(), held: true } as const;
    this.#prepared = 'held';
    this.#asking = this.#options.wire.ask(ask, this);
  }

  /** Fetches what was prepared; `then` is called when the server has answered, or will not. */
  send(then: () => void): void {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    this.#then = then;
    if (prepared === 'held') this.#asking?.send();
    else if (prepared === 'failed' && !this.#stopped) this.start();
    else this.#settle();
  }

  #settle(): void {
    const then = this.#then;
    this.#then = undefined;
    then?.();
  }

  #headers(): readonly string[] {
    const { headers, position } = this.#options;
    const list = ['accept', 'text/event-stream', ...headers()];
    if (position.lastEventId !== undefined) list.push('last-event-id', position.lastEventId);
    return list;
  }

  /** Fetches after the wait that is due. */
  continue(): void {
    if (this.#stopped) return;
    const { position, longestWaitMs } = this.#options;
    const waitMs = backOff(this.#failures, position.retryMs, longestWaitMs);
    this.#failures += 1;
    this.#timer = setTimeout(() => this.start(), waitMs);
  }

  /** Ends it at once; nothing is delivered any more. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#asking?.abort();
  }

  answered(response: IncomingMessage): void {
    const { statusCode: status = 0 } = response;
    this.#settle();
    if (status === 200 && mediaType(response) === 'text/event-stream') {
      this.#read(response);
      return;
    }
    this.#asking?.abort();
    this.#refused(status, refusal(response, ''));
  }

  /** No connection means an outage, which passes; anything else is somebody's word, and will be the same next time. */
  failed(error: KitError): void {
    const status = Number(error.details?.['status'] ?? 0);
    const isSaid = error.code === 'http_status' || lasting.has(error.code);
    this.#settle();
    if (this.#prepared === 'held') this.#prepared = 'failed';
    else if (isSaid) this.#refused(status, error);
    else this.continue();
  }

  #refused(status: number, error: KitError): void {
    const verdict = this.#options.refused(status, error, this.#wasOpen);
    if (verdict === 'anew') this.#options.position.lastEventId = undefined;
    if (verdict !== 'stop') this.continue();
  }

  #read(response: IncomingMessage): void {
    this.#wasOpen = true;
    const { limits, position, value, malformed, skipped } = this.#options;
    const unlessStopped =
      <Args extends unknown[]>(then: (...args: Args) => void) =>
      (...args: Args): void => {
        if (!this.#stopped) then(...args);
      };
    readEvents(response, {
      limits,
      position,
      value: unlessStopped(value),
      malformed: unlessStopped(malformed),
      skipped: unlessStopped(skipped),
      alive: () => {
        this.#failures = 0;
      },
      over: () => {
        this.#asking?.abort();
        this.continue();
      },
    });
  }
}
