import { describeError, KitError, type Logger } from '#base';
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
import type { Answering } from './answering.ts';
import type { Identity } from './facts.ts';
import { defaults, type SessionOptions } from './options.ts';

export interface ReceptionEvents {
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
export class Reception {
  readonly #options: SessionOptions;
  readonly #events: ReceptionEvents;
  readonly #logger: Logger;
  readonly #identity: Identity;
  #loading: Promise<Answering> | undefined;
  #answering: Answering | undefined;
  readonly samples: string[] = [];
  malformed = 0;

  constructor(
    settings: { identity: Identity; options: SessionOptions; logger: Logger },
    events: ReceptionEvents,
  ) {
    const { identity, options, logger } = settings;
    this.#options = options;
    this.#events = events;
    this.#logger = logger;
    this.#identity = identity;
  }

  /** Handlers that took too long. */
  get handlerTimeouts(): number {
    return this.#answering?.timeouts ?? 0;
  }

  /** Loaded and made when the server first asks for something: most never do. */
  answering(): Promise<Answering> {
    this.#loading ??= this.#createAnswering();
    return this.#loading;
  }

  async #createAnswering(): Promise<Answering> {
    const { Answering } = await import('./answering.ts');
    this.#answering = new Answering(this.#options, this.#identity.capabilities);
    return this.#answering;
  }

  connect(channel: Channel): Connection {
    const { timeoutMs, maxTotalMs, ids, inputs, onRequest, onNotification } = this.#options;
    return new Connection(channel, (connection) => this.#handlersFor(connection), {
      // Bounded where they are answered, so that a ping is, however many wait.
      maxInFlight: Infinity,
      vocabulary,
      deaf: (inputs ?? onRequest ?? onNotification) === undefined,
      onBug: (error, method) => this.reportBug(error, method),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(maxTotalMs !== undefined && { maxTotalMs }),
      ...(ids !== undefined && { ids }),
    });
  }

  /** What nobody but the author of a handler can mend. */
  reportBug(error: unknown, method: string): void {
    this.#logger.error(`${method}: a handler failed`, { error: describeError(error) });
  }

  #handlersFor(connection: Connection): Handlers {
    return {
      request: (exchange) => this.#serve(connection, exchange),
      notification: (notification) => {
        if (!steer(connection, notification)) this.#events.notification(notification);
      },
      acceptsBatch: () => true,
      malformed: (reason, sample) => this.#complain(connection, reason, sample),
      closed: (cause) => this.#events.closed(connection, cause),
    };
  }

  /** Answers a request of the older era; a ping at once, however many others wait. */
  #serve(connection: Connection, exchange: Exchange): unknown {
    if (exchange.message.method === 'ping') return {};
    if (connection.inFlight.serving >= maxServing) {
      throw new RpcError(rpcErrors.overloaded, 'client overloaded');
    }
    return this.#serveSlowly(connection, exchange);
  }

  async #serveSlowly(connection: Connection, exchange: Exchange): Promise<unknown> {
    const answering = this.#answering ?? (await this.answering());
    if (exchange.cancelled) return undefined;
    const { timeoutMs = defaults.timeoutMs } = this.#options;
    // Nothing the server owes us is late while it waits for us.
    return answering.serve(exchange, { everyMs: timeoutMs / 2, beat: () => connection.touch() });
  }

  #complain(connection: Connection, reason: string, sample: string | undefined): void {
    this.malformed += 1;
    if (this.samples.length < maxSamples) this.samples.push(sample ?? reason);
    if (this.#options.strict !== true) return;
    const what = `the server sent a malformed message: ${reason}`;
    this.#events.spoiled(connection, new KitError('invalid_answer', what));
  }
}
