import { describeError, KitError, type Logger } from '#base';
import { Connection, type Channel, type Handlers, type Notification } from '#jsonrpc';
import { steer, vocabulary } from '#protocol';
import { answerRequest } from './answering.ts';
import type { Identity } from './facts.ts';
import { HandlerQueue, queued } from './handler-queue.ts';
import type { Offer } from './inputs.ts';
import { defaults, type SessionOptions } from './options.ts';

export interface ReceptionEvents {
  notification(notification: Notification): void;
  /** A connection has ended. */
  closed(connection: Connection, cause: Error | undefined): void;
  /** A message was malformed, which the owner of the session does not put up with. */
  spoiled(connection: Connection, error: KitError): void;
}

const maxSamples = 5;

/** Receives what a server says, on whatever connection: answers, passes on, counts what cannot be read. */
export class Reception {
  readonly #options: SessionOptions;
  readonly #events: ReceptionEvents;
  readonly #logger: Logger;
  readonly #queue: HandlerQueue | undefined;
  /** What the server may ask for. */
  readonly offer: Offer;
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
    this.#queue = options.handlers && new HandlerQueue(options.handlers);
    this.offer = offerOf(options, identity, this.#queue);
  }

  /** Handlers that took too long. */
  get handlerTimeouts(): number {
    return this.#queue?.timeouts ?? 0;
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
    const { timeoutMs = defaults.timeoutMs } = this.#options;
    return {
      request: (exchange) => answerRequest(connection, exchange, { offer: this.offer, timeoutMs }),
      notification: (notification) => {
        if (!steer(connection, notification)) this.#events.notification(notification);
      },
      acceptsBatch: () => true,
      malformed: (reason, sample) => this.#complain(connection, reason, sample),
      closed: (cause) => this.#events.closed(connection, cause),
    };
  }

  #complain(connection: Connection, reason: string, sample: string | undefined): void {
    this.malformed += 1;
    if (this.samples.length < maxSamples) this.samples.push(sample ?? reason);
    if (this.#options.strict !== true) return;
    const what = `the server sent a malformed message: ${reason}`;
    this.#events.spoiled(connection, new KitError('invalid_answer', what));
  }
}

/** Who answers what a server asks. Handlers that need not wait for each other are called as they are. */
function offerOf(
  { inputs = {}, onRequest }: SessionOptions,
  { capabilities }: Identity,
  queue: HandlerQueue | undefined,
): Offer {
  if (queue === undefined) return { handlers: inputs, capabilities, onRequest };
  return {
    handlers: queued(inputs, queue),
    capabilities,
    onRequest:
      onRequest &&
      ((request, context) =>
        queue.run(request.method, context, (turn) => onRequest(request, turn))),
  };
}
