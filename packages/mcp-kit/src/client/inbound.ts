import { describeError, isPromise, KitError, type Logger } from '#base';
import {
  Connection,
  RpcError,
  rpcErrors,
  type Channel,
  type Exchange,
  type Handlers,
  type Notification,
} from '#jsonrpc';
import { steer, vocabulary } from '#protocol';
import { Answering } from './answering.ts';
import type { Identity } from './facts.ts';
import { defaults, type SessionOptions } from './options.ts';

export interface InboundEvents {
  notification(notification: Notification): void;
  /** A connection has ended. */
  closed(connection: Connection, cause: Error | undefined): void;
  /** A message was malformed, which the owner of the session does not put up with. */
  spoiled(connection: Connection, error: KitError): void;
}

const maxSamples = 5;
/** Requests of a server that may wait for their answers. */
const maxServing = 64;

/** Receives what a server says, on whatever connection: answers, passes on, counts what cannot be read. */
export class Inbound {
  readonly #options: SessionOptions;
  readonly #events: InboundEvents;
  readonly #logger: Logger;
  readonly #identity: Identity;
  readonly #label: string;
  #answering: Answering | undefined;
  readonly samples: string[] = [];
  malformed = 0;

  constructor(
    settings: { identity: Identity; options: SessionOptions; logger: Logger; label: string },
    events: InboundEvents,
  ) {
    const { identity, options, logger, label } = settings;
    this.#label = label;
    this.#options = options;
    this.#events = events;
    this.#logger = logger;
    this.#identity = identity;
  }

  /** Handlers that took too long. */
  get handlerTimeouts(): number {
    return this.#answering?.timeouts ?? 0;
  }

  /** Made when the server first asks for something: most never do. */
  get answering(): Answering {
    this.#answering ??= new Answering(this.#options, this.#identity.capabilities);
    return this.#answering;
  }

  connect(channel: Channel): Connection {
    const { inputs, onRequest, onNotification, ids = 'number' } = this.#options;
    const { timeoutMs = defaults.timeoutMs, maxTotalMs = defaults.maxTotalMs } = this.#options;
    return new Connection(channel, (connection) => this.#handlersFor(connection), {
      // Bounded where they are answered, so that a ping is, however many wait.
      maxInFlight: Infinity,
      vocabulary,
      peer: this.#label,
      deaf: (inputs ?? onRequest ?? onNotification) === undefined,
      onBug: (error, method) => this.reportBug(error, method),
      timeoutMs,
      maxTotalMs,
      ids,
    });
  }

  /** What nobody but the author of a handler can mend. */
  reportBug(error: unknown, method: string): void {
    this.#logger.error(`${method}: a handler failed`, { error: describeError(error) });
  }

  /** What nobody waits for. */
  reportFailure(error: Error): void {
    try {
      this.#options.onError?.(error);
    } catch (bug) {
      this.reportBug(bug, 'onError');
    }
  }

  #handlersFor(connection: Connection): Handlers {
    return {
      request: (exchange) => this.#serve(connection, exchange),
      notification: (notification) => {
        if (!steer(connection, notification)) this.#events.notification(notification);
      },
      acceptsBatch: () => true,
      malformed: (reason, sample) => this.#complain(connection, reason, sample),
      failed: (error) => this.reportFailure(error),
      closed: (cause) => this.#events.closed(connection, cause),
    };
  }

  /** Answers a request of the legacy era; a ping at once, however many others wait. */
  #serve(connection: Connection, exchange: Exchange): unknown {
    if (exchange.message.method === 'ping') return {};
    if (connection.inFlight.serving >= maxServing) {
      throw new RpcError(rpcErrors.overloaded, 'client overloaded');
    }
    const { timeoutMs = defaults.timeoutMs } = this.#options;
    // Nothing the server owes us is late while it waits for us.
    const beat = (): void => connection.touch();
    return this.answering.serve(exchange, { everyMs: timeoutMs / 2, beat });
  }

  #complain(connection: Connection, reason: string, sample: string | undefined): void {
    this.malformed += 1;
    if (this.samples.length < maxSamples) this.samples.push(sample ?? reason);
    if (this.#options.strict !== true) return;
    const what = `the server sent a malformed message: ${reason}`;
    this.#events.spoiled(connection, new KitError('invalid_answer', what));
  }
}

const maxWaiting = 256;

type NotificationListener = NonNullable<SessionOptions['onNotification']>;

/** Hands notifications to a listener one after the other; a slow one makes them wait, and loses the oldest. */
export class NotificationQueue {
  readonly #listener: NotificationListener;
  readonly #onBug: (error: unknown, method: string) => void;
  readonly #waiting: Notification[] = [];
  #busy = false;
  dropped = 0;

  constructor(listener: NotificationListener, onBug: (error: unknown, method: string) => void) {
    this.#listener = listener;
    this.#onBug = onBug;
  }

  push(notification: Notification): void {
    if (!this.#busy) {
      this.#deliver(notification);
      return;
    }
    this.#waiting.push(notification);
    if (this.#waiting.length <= maxWaiting) return;
    this.#waiting.shift();
    this.dropped += 1;
  }

  /** Forgets what waits. */
  clear(): void {
    this.#waiting.length = 0;
  }

  #deliver(notification: Notification): void {
    try {
      const outcome = this.#listener(notification);
      if (!isPromise(outcome)) return;
      this.#busy = true;
      outcome.then(
        () => this.#next(),
        (error: unknown) => {
          this.#onBug(error, notification.method);
          this.#next();
        },
      );
    } catch (error) {
      this.#onBug(error, notification.method);
    }
  }

  #next(): void {
    this.#busy = false;
    while (!this.#busy) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#deliver(next);
    }
  }
}
