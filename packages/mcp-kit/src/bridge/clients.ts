import { describeError } from '#base';
import { RpcError, rpcErrors, type Exchange } from '#jsonrpc';
import { clientOf, clientText, type Conversation } from '#protocol';
import { HandshakeSide } from './handshake-side.ts';
import type { Shared } from './shared.ts';
import { StatelessSide } from './stateless-side.ts';

/** What is kept for one client. Which era it speaks every message says itself. */
interface Sides {
  handshake?: HandshakeSide | undefined;
  stateless?: StatelessSide | undefined;
}

/** The clients of a bridge that have a conversation with it. */
export class Clients {
  readonly #shared: Shared;
  readonly #sides = new Map<Conversation, Sides>();
  /** What is being ended for a client. */
  readonly #endings = new Map<Conversation, Promise<unknown>>();

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  serve(exchange: Exchange, conversation: Conversation): unknown {
    const { id, method } = exchange.message;
    if (id === undefined) {
      this.#hear(exchange, conversation);
      return undefined;
    }
    if (clientOf(exchange).era === 'modern') {
      const sides = this.#sidesOf(conversation);
      sides.stateless ??= new StatelessSide(this.#shared, true);
      return sides.stateless.serve(exchange);
    }
    if (method === 'initialize') return this.#initialize(exchange, conversation);
    const side = this.#sides.get(conversation)?.handshake;
    if (side !== undefined) return side.request(exchange);
    throw new RpcError(rpcErrors.invalidRequest, 'Not initialized: send initialize first');
  }

  /** Ends every conversation on behalf of clients; settles when all have ended. */
  async close(): Promise<void> {
    for (const conversation of this.#sides.keys()) this.#end(conversation);
    await Promise.all(this.#endings.values());
  }

  #hear({ message }: Exchange, conversation: Conversation): void {
    const sides = this.#sides.get(conversation);
    if (message.id !== undefined) return;
    if (message.method === 'notifications/initialized') sides?.handshake?.becomeReady();
    else (sides?.handshake ?? sides?.stateless)?.tell(message);
  }

  async #initialize({ message }: Exchange, conversation: Conversation): Promise<object> {
    const { params = {} } = message;
    clientText(params);
    const sides = this.#sidesOf(conversation);
    const side = new HandshakeSide(conversation.connection, params, this.#shared);
    sides.handshake = side;
    // A client that probed before, or starts over: never two conversations for one client.
    await this.#endings.get(conversation);
    try {
      return await side.open();
    } catch (error) {
      await side.close();
      sides.handshake = undefined;
      throw error;
    }
  }

  #sidesOf(conversation: Conversation): Sides {
    let sides = this.#sides.get(conversation);
    if (sides === undefined) {
      sides = {};
      this.#sides.set(conversation, sides);
      conversation.onEnded = () => this.#end(conversation);
    }
    return sides;
  }

  #end(conversation: Conversation): void {
    const sides = this.#sides.get(conversation);
    this.#sides.delete(conversation);
    const ending = Promise.all([sides?.handshake?.close(), sides?.stateless?.close()])
      .catch((error: unknown) => {
        const said = { error: describeError(error) };
        this.#shared.logger.warn('a conversation was not ended in order', said);
      })
      .finally(() => {
        if (this.#endings.get(conversation) === ending) this.#endings.delete(conversation);
      });
    this.#endings.set(conversation, ending);
  }
}
