import { describeError, silentLogger, withoutFolders } from '#base';
import { openSession } from '#client';
import { RpcError, rpcErrors, type Exchange } from '#jsonrpc';
import {
  clientOf,
  clientText,
  conversationOf,
  traceTarget,
  type Conversation,
  type Service,
  type Target,
} from '#protocol';
import { Condition, type BridgeHealth } from './health.ts';
import { LegacyClient } from './legacy-client.ts';
import { ModernClients } from './modern-clients.ts';
import { OpenUpstreams } from './pool.ts';
import { telling, type Tell } from './relay.ts';
import { ToolNames } from './tools.ts';
import { sessionOptions, Upstream, type BridgeOptions, type Shared } from './upstream.ts';

/** A server that is another one: whatever it is asked, it asks there. Any transport can serve it. */
export interface Bridge extends Service, AsyncDisposable {
  health(): BridgeHealth;
  /** Ends every conversation with the server; settles when all have ended. */
  close(): Promise<void>;
}

const defaultMaxUpstreams = 64;

/** Makes a server available to clients of either era, whichever era it speaks and however it is reached. */
export function createBridge(given: Target, options: BridgeOptions = {}): Bridge {
  const { logger = silentLogger, maxUpstreams = defaultMaxUpstreams, onMessage } = options;
  const tell: Tell = onMessage;
  const target =
    tell === undefined
      ? given
      : traceTarget(given, (direction, message) => tell({ side: 'server', direction, message }));
  const open = new OpenUpstreams(maxUpstreams);
  const condition = new Condition();
  const toolNames = new ToolNames();
  const shared: Shared = { target, options, tell, toolNames, open, condition, logger };
  const alone = new ModernClients(shared, false);
  const checkup = new Checkup(shared);
  const clients = new Clients(shared);
  let closing: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    await Promise.all([clients.close(), alone.close(), checkup.close()]);
  };

  return {
    serve(exchange) {
      const conversation = conversationOf(exchange);
      if (conversation !== undefined) return clients.serve(exchange, conversation);
      // What is told without a conversation is told to nobody.
      return exchange.message.id === undefined ? undefined : alone.serve(exchange);
    },
    observe: tell && telling(tell),
    // What the server has besides the methods of the protocol is not known.
    knows: (what, name) => what === 'tool' && toolNames.has(name),
    mirroredHeaders: (tool) => alone.toolHeaders.of(tool),
    describe: () => ({ bridge: withoutFolders(target.label) }),
    health() {
      checkup.begin();
      const { trouble, timesLost: lost } = condition;
      const status = trouble === undefined ? 'ok' : 'degraded';
      return { status, upstreams: open.size, lost, ...(trouble && { reason: trouble }) };
    },
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}

/** How old bad news may become before somebody looks whether it still holds. */
const staleMs = 5000;
const answerMs = 5000;

/**
 * Looks after a server of which nothing good was heard for a while. Where whoever asks how it is also decides whether clients
 * come, no client would ever find out that it is well again.
 */
class Checkup {
  readonly #shared: Shared;
  #underWay: Promise<void> | undefined;
  #closed = false;

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  /** Somebody asks how the server is. */
  begin(): void {
    if (this.#closed || !this.#shared.condition.hasBeenIll(staleMs)) return;
    this.#underWay ??= this.#look().finally(() => {
      this.#underWay = undefined;
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#underWay;
  }

  async #look(): Promise<void> {
    const { target, options } = this.#shared;
    const upstream = new Upstream((how) => {
      const limits = {
        ...sessionOptions(options),
        timeoutMs: answerMs,
        connectTimeoutMs: answerMs,
      };
      return openSession(target, { ...limits, ...how, era: options.era ?? 'auto' });
    }, this.#shared);
    try {
      const session = await upstream.open();
      await upstream.run(() => session.ping());
    } catch {
      // What was found out is in the condition of the server.
    } finally {
      await upstream.close();
    }
  }
}

/** What is kept for one client. Which era it speaks every message says itself. */
interface Sides {
  legacy?: LegacyClient | undefined;
  modern?: ModernClients | undefined;
}

/** The clients of a bridge that have a conversation with it. */
class Clients {
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
      sides.modern ??= new ModernClients(this.#shared, true);
      return sides.modern.serve(exchange);
    }
    if (method === 'initialize') return this.#initialize(exchange, conversation);
    const side = this.#sides.get(conversation)?.legacy;
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
    if (message.method === 'notifications/initialized') sides?.legacy?.becomeReady();
    else (sides?.legacy ?? sides?.modern)?.tell(message);
  }

  async #initialize({ message }: Exchange, conversation: Conversation): Promise<object> {
    const { params = {} } = message;
    clientText(params);
    const sides = this.#sidesOf(conversation);
    const side = new LegacyClient(conversation.connection, params, this.#shared);
    sides.legacy = side;
    // A client that probed before, or starts over: never two conversations for one client.
    await this.#endings.get(conversation);
    try {
      return await side.open();
    } catch (error) {
      await side.close();
      sides.legacy = undefined;
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
    const ending = Promise.all([sides?.legacy?.close(), sides?.modern?.close()])
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
