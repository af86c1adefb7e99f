import { describeError } from '#base';
import { RpcError, rpcErrors, type Connection, type Exchange, type Notification } from '#jsonrpc';
import {
  allowsBatch,
  claimsModern,
  clientText,
  invalidParams,
  negotiate,
  readEnvelope,
  requireModernVersion,
  requiresErrorId,
  steer,
  type LegacyVersion,
  type Peer,
  type Phase,
} from '#protocol';
import { tellAnswer } from './crossing.ts';
import { HandshakeSide } from './handshake-side.ts';
import type { Shared } from './shared.ts';
import { StatelessSide } from './stateless-side.ts';

/** One client of a bridge. Which era it speaks every message says itself. */
export class BridgePeer implements Peer {
  readonly #connection: Connection;
  readonly #shared: Shared;
  readonly #onClosing: (closing: Promise<unknown>) => void;
  #phase: Phase = 'new';
  #version: LegacyVersion | undefined;
  #handshake: HandshakeSide | undefined;
  /** The handshake that is under way: whoever does not wait for its end is answered after it. */
  #opening: Promise<unknown> | undefined;
  #isConfirmed = false;
  #stateless: StatelessSide | undefined;
  #closed = false;

  constructor(
    connection: Connection,
    shared: Shared,
    onClosing: (closing: Promise<unknown>) => void,
  ) {
    this.#connection = connection;
    this.#shared = shared;
    this.#onClosing = onClosing;
  }

  get phase(): Phase {
    return this.#phase;
  }

  get version(): LegacyVersion | undefined {
    return this.#version;
  }

  requiresErrorId(): boolean {
    return requiresErrorId(this.#version);
  }

  acceptsBatch(): boolean {
    return allowsBatch(this.#version);
  }

  request(exchange: Exchange): unknown {
    const { tell } = this.#shared;
    return tell === undefined
      ? this.#serve(exchange)
      : tellAnswer(tell, exchange, () => this.#serve(exchange));
  }

  notification(message: Notification): void {
    this.#shared.tell?.({ side: 'client', direction: 'received', message });
    if (steer(this.#connection, message)) return;
    if (message.method !== 'notifications/initialized') {
      (this.#handshake ?? this.#stateless)?.tell(message);
      return;
    }
    this.#isConfirmed = true;
    this.#becomeReady();
  }

  closed(): void {
    this.#closed = true;
    const closing = Promise.all([this.#handshake?.close(), this.#stateless?.close()]);
    this.#onClosing(
      closing.catch((error: unknown) => {
        this.#shared.logger.warn('a conversation was not ended in order', {
          error: describeError(error),
        });
      }),
    );
  }

  #serve(exchange: Exchange): unknown {
    const { method, params } = exchange.request;
    if (claimsModern(params)) {
      const envelope = readEnvelope(params);
      requireModernVersion(envelope.version);
      this.#stateless ??= new StatelessSide(this.#shared, true);
      return this.#stateless.serve(exchange, envelope);
    }
    if (method === 'initialize') {
      const opening = this.#initialize(exchange);
      this.#opening = opening;
      return opening;
    }
    return this.#opening === undefined || this.#phase !== 'new'
      ? this.#pass(exchange)
      : this.#opening.then(
          () => this.#pass(exchange),
          () => this.#pass(exchange),
        );
  }

  #pass(exchange: Exchange): unknown {
    if (this.#handshake !== undefined && this.#phase !== 'new') {
      return this.#handshake.request(exchange);
    }
    if (exchange.request.method === 'ping') return {};
    throw new RpcError(rpcErrors.invalidRequest, 'Not initialized: send initialize first');
  }

  #becomeReady(): void {
    if (!this.#isConfirmed || this.#phase !== 'awaiting_initialized_notification') return;
    this.#phase = 'ready';
    this.#handshake?.becomeReady();
  }

  async #initialize({ request: { params } }: Exchange): Promise<object> {
    if (typeof params?.['protocolVersion'] !== 'string') {
      throw invalidParams('protocolVersion must be a string');
    }
    clientText(params);
    // A client that probed before, or starts over: never two conversations for one client.
    const before = Promise.all([this.#handshake?.close(), this.#stateless?.close()]);
    const handshake = new HandshakeSide(this.#connection, params, this.#shared);
    this.#handshake = handshake;
    this.#stateless = undefined;
    this.#phase = 'new';
    this.#isConfirmed = false;
    await before;
    try {
      const result = await handshake.open();
      if (this.#closed) throw new RpcError(rpcErrors.overloaded, 'The connection is closing');
      this.#version = negotiate(result['protocolVersion']);
      this.#phase = 'awaiting_initialized_notification';
      // After the answer: what the server says is heard only then.
      setImmediate(() => this.#becomeReady());
      return result;
    } catch (error) {
      await handshake.close();
      throw error;
    }
  }
}
