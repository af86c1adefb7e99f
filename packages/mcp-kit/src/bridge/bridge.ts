import {
  describeError,
  KitError,
  silentLogger,
  withoutFolders,
  type Keys,
  type Logger,
} from '#base';
import { openSession, type Session, type ToolGuard, type EraCache } from '#client';
import { RpcError, rpcErrors, type Exchange, type Notification } from '#jsonrpc';
import {
  clientOf,
  clientText,
  conversationOf,
  traceTarget,
  type Conversation,
  type Era,
  type Service,
  type Target,
} from '#protocol';
import { asUnsent, type BridgeHealth, type Condition } from './health.ts';
import { LegacyClient } from './legacy-client.ts';
import { ModernClients } from './modern-clients.ts';
import { telling, type Crossing, type Tell } from './relay.ts';
import { ToolLists } from './tools.ts';
import { OpenUpstreams, sessionOptions, Upstream } from './upstream.ts';

/** A server that is another one: whatever it is asked, it asks there. Any transport can serve it. */
export interface Bridge extends Service, AsyncDisposable {
  health(): BridgeHealth;
  /** Ends every conversation with the server; settles when all have ended. */
  close(): Promise<void>;
}

/** How a bridge speaks with its server, how much it holds, and who hears of it. */
export interface BridgeOptions {
  /** Which era to speak with the server; by default the client's own, and the other one where the server knows no other. */
  readonly era?: 'auto' | Era | undefined;
  /** How long the server may take to answer or give a sign of progress; ten minutes. */
  readonly timeoutMs?: number | undefined;
  /** How long opening a conversation with the server may take, its start included; a minute. */
  readonly connectTimeoutMs?: number | undefined;
  /** What is known of the server's era; shared by the process unless given. */
  readonly eraCache?: EraCache | undefined;
  /**
   * Conversations with the server at the same time; 64. A process each, where the server is one. A caller that is told apart from
   * others has at most as many at work as are left for them.
   */
  readonly maxUpstreams?: number | undefined;
  /** How long a conversation that no client needs any more is kept for the next one; half a minute. */
  readonly idleMs?: number | undefined;
  /** How long a call waits for a client that was asked something; ten minutes. */
  readonly parkedMs?: number | undefined;
  /**
   * 32-byte keys, or what has them at any moment, that bind to its caller what a caller carries between questions; the first
   * seals, all open. Bridges behind one address need the same; without any, what is carried is of no use after a restart.
   */
  readonly stateKeys?: Keys | undefined;
  /** Hears every message on either side, in the order in which they cross. */
  readonly onMessage?: ((crossing: Crossing) => void) | undefined;
  /** Whether what reads may be asked again whose answer was lost; asked each time, and always so unless given. */
  readonly mayRepeat?: (() => boolean) | undefined;
  /** Decides which tools of the server clients may see and call; made for each conversation with it. */
  readonly guard?: ((session: Session) => ToolGuard) | undefined;
  /**
   * Told when a conversation with the server has begun, with the session that nobody guards; what is given back is called when lists
   * of the server may have changed, as that conversation has it.
   */
  readonly onConversation?: ((session: Session) => () => void) | undefined;
  readonly logger?: Logger | undefined;
}

/** What every client of a bridge meets. */
export interface Shared {
  readonly target: Target;
  readonly options: BridgeOptions;
  readonly tell: Tell;
  readonly tools: ToolLists;
  readonly open: OpenUpstreams;
  readonly condition: Condition;
  readonly logger: Logger;
}

const defaultMaxUpstreams = 64;

/** Makes a server available to clients of either era, whichever era it speaks and however it is reached. */
export function createBridge(given: Target, options: BridgeOptions = {}): Bridge {
  const { logger = silentLogger, maxUpstreams = defaultMaxUpstreams, onMessage } = options;
  const target =
    onMessage === undefined
      ? given
      : traceTarget(given, (direction, message, conversation) =>
          onMessage({ side: 'server', direction, message, conversation }),
        );
  const open = new OpenUpstreams(maxUpstreams);
  const condition: Condition = { trouble: undefined, timesLost: 0, heardMs: 0 };
  const tools = new ToolLists();
  const shared: Shared = { target, options, tell: onMessage, tools, open, condition, logger };
  const alone = new ModernClients(shared, false);
  const healthCheck = createHealthCheck(shared);
  const clients = new Clients(shared);
  let closing: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    await Promise.all([clients.close(), alone.close(), healthCheck.close()]);
  };

  return {
    serve(exchange) {
      const conversation = conversationOf(exchange);
      if (conversation !== undefined) return clients.serve(exchange, conversation);
      // What is told without a conversation is told to nobody.
      return exchange.message.id === undefined ? undefined : alone.serve(exchange);
    },
    observe: onMessage && telling(onMessage),
    // What the server has besides the methods of the protocol is not known.
    knows: (what, name) => what === 'tool' && tools.has(name),
    mirroredHeaders: (tool) => tools.headersOf(tool),
    describe: () => ({ bridge: withoutFolders(target.label) }),
    health() {
      healthCheck.begin();
      const { trouble: reason, timesLost: lost } = condition;
      const status = reason === undefined ? 'ok' : 'degraded';
      return { status, upstreams: open.size, lost, reason };
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
 * Looks after a server of which nothing good was heard for a while, when somebody asks how it is. Where that one also decides
 * whether clients come, no client would ever find out that it is well again.
 */
function createHealthCheck(shared: Shared): { begin(): void; close(): Promise<void> } {
  const { target, options, condition } = shared;
  let underWay: Promise<void> | undefined;
  let isClosed = false;

  const look = async (): Promise<void> => {
    const limits = { timeoutMs: answerMs, connectTimeoutMs: answerMs };
    const upstream = new Upstream(
      (how) => openSession(target, { ...sessionOptions(options), ...limits, ...how }),
      // It is nobody's conversation.
      { ...shared, options: { ...options, onConversation: undefined } },
    );
    try {
      const session = await upstream.open();
      await upstream.run(() => session.ping());
    } catch {
      // What was found out is in the condition of the server.
    } finally {
      await upstream.close();
    }
  };

  return {
    begin() {
      const isStale = performance.now() - condition.heardMs > staleMs;
      if (isClosed || condition.trouble === undefined || !isStale) return;
      underWay ??= look().finally(() => {
        underWay = undefined;
      });
    },
    async close() {
      isClosed = true;
      await underWay;
    },
  };
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
    const { message } = exchange;
    if (message.id === undefined) {
      this.#hear(message, conversation);
      return undefined;
    }
    // Nobody would ever end what is begun now.
    if (conversation.hasEnded) throw asUnsent(new KitError('closed', 'the client has gone'));
    return this.#by[clientOf(exchange).era](exchange, conversation);
  }

  readonly #by: Record<Era, (exchange: Exchange, conversation: Conversation) => unknown> = {
    legacy: (exchange, conversation) => {
      if (exchange.message.method === 'initialize') return this.#initialize(exchange, conversation);
      const side = this.#sides.get(conversation)?.legacy;
      if (side !== undefined) return side.serve(exchange);
      throw new RpcError(rpcErrors.invalidRequest, 'Not initialized: send initialize first');
    },
    modern: (exchange, conversation) => {
      const sides = this.#sidesOf(conversation);
      sides.modern ??= new ModernClients(this.#shared, true);
      return sides.modern.serve(exchange);
    },
  };

  /** Ends every conversation on behalf of clients; settles when all have ended. */
  async close(): Promise<void> {
    for (const conversation of this.#sides.keys()) this.#end(conversation);
    await Promise.all(this.#endings.values());
  }

  #hear(message: Notification, conversation: Conversation): void {
    const sides = this.#sides.get(conversation);
    if (message.method === 'notifications/initialized') sides?.legacy?.becomeReady();
    else (sides?.legacy ?? sides?.modern)?.tell(message);
  }

  async #initialize({ message }: Exchange, conversation: Conversation): Promise<object> {
    const { params = {} } = message;
    clientText(params);
    const sides = this.#sidesOf(conversation);
    const side = new LegacyClient(conversation, params, this.#shared);
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
      conversation.onEnded(() => this.#end(conversation));
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
