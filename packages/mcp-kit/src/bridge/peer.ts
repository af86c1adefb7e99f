import { describeError } from '#base';
import { RpcError, rpcErrors, type Connection, type Exchange, type Notification } from '#jsonrpc';
import {
  allowsBatch,
  claimsModern,
  invalidParams,
  negotiate,
  readEnvelope,
  requireModernVersion,
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
    if (message.method !== 'notifications/initialized') this.#handshake?.tell(message);
    else if (this.#phase === 'awaiting_initialized_notification') {
      this.#phase = 'ready';
      this.#handshake?.becomeReady();
    }
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
    if (method === 'initialize') return this.#initialize(exchange);
    if (this.#handshake !== undefined && this.#phase !== 'new') {
      return this.#handshake.request(exchange);
    }
    if (method === 'ping') return {};
    throw new RpcError(rpcErrors.invalidRequest, 'Not initialized: send initialize first');
  }

  async #initialize({ request: { params } }: Exchange): Promise<object> {
    if (typeof params?.['protocolVersion'] !== 'string') {
      throw invalidParams('protocolVersion must be a string');
    }
    // A client that probed before, or starts over: never two conversations for one client.
    const before = Promise.all([this.#handshake?.close(), this.#stateless?.close()]);
    const handshake = new HandshakeSide(this.#connection, params, this.#shared);
    this.#handshake = handshake;
    this.#stateless = undefined;
    this.#phase = 'new';
    await before;
    try {
      const result = await handshake.open();
      if (this.#closed) throw new RpcError(rpcErrors.overloaded, 'The connection is closing');
      this.#version = negotiate(result['protocolVersion']);
      this.#phase = 'awaiting_initialized_notification';
      return result;
    } catch (error) {
      await handshake.close();
      throw error;
    }
  }
}
