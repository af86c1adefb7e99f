import {
  clientOf,
  Conversation,
  conversationOf,
  Exchange,
  type ClientView,
  type ConversationLink,
  type Link,
  type LoggingLevel,
  type MaybePromise,
  type Notification,
  type Params,
  type Serve,
} from 'mcp-kit/internal';
import { saysOnce } from '../edge.ts';

/** What is passed on of what a server tells a client outside of its calls; nothing where it is not for the client. */
export type Hear = (
  method: string,
  params: Params | undefined,
) => { readonly params: Params | undefined } | undefined;

export interface BranchOptions {
  /** Asks the server, by its bridge. */
  readonly serve: Serve;
  readonly hear: Hear;
  /** Called once the server has greeted the client, before anything is asked. */
  readonly greeted: (ask: (method: string, params?: Params) => MaybePromise<unknown>) => unknown;
  /** The branch has ended before the conversation of its client. */
  readonly ended: () => void;
}

/** The log level of those who have not said any. */
const defaultLevel: LoggingLevel = 'info';

/**
 * The part of a client's conversation that it has with one server. To the bridge of that server it is a conversation of its own:
 * it begins when it is first needed, and can end without the others.
 */
export class Branch {
  readonly #options: BranchOptions;
  readonly #outer: ConversationLink;
  readonly #link: Link & ConversationLink;
  /** What the server knows of it. */
  readonly conversation: Conversation;
  #opening: Promise<void> | undefined;
  #level: LoggingLevel | undefined = defaultLevel;
  #hasEnded = false;

  constructor(outer: Conversation, options: BranchOptions) {
    this.#options = options;
    this.#outer = outer.connection;
    this.#link = this.#linkTo(outer.connection);
    this.conversation = new Conversation(this.#link, () => undefined, {
      isIdle: () => outer.isUnattended(),
    });
    outer.onEnded(() => this.end());
  }

  /** How a request of the client is passed on as part of this. */
  linkFor({ link }: Exchange): Link {
    if (link === this.#outer) return this.#link;
    // One that came by another way than its conversation is answered by that.
    return {
      ...this.#link,
      handlers: this.conversation,
      notify: (...said) => link.notify(...said),
    };
  }

  /** Asks the server what the client asks. */
  serve(exchange: Exchange): MaybePromise<unknown> {
    const isOwn = conversationOf(exchange) === this.conversation;
    const asked = isOwn
      ? exchange
      : exchange.forwarded(exchange.message.params, this.linkFor(exchange));
    const ready = saysOnce(exchange) ? this.#ready(clientOf(exchange)) : undefined;
    const { serve } = this.#options;
    return ready === undefined ? serve(asked) : ready.then(() => serve(asked));
  }

  /** Tells the server what the client tells. */
  tell(message: Notification): void {
    if (this.#opening !== undefined) void this.#options.serve(this.#own(message));
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.conversation.closed();
    this.#options.ended();
  }

  /** Settles when the server knows what the client has said once. */
  #ready(client: ClientView): Promise<void> {
    if (this.#opening !== undefined && this.#level === client.logLevel) return this.#opening;
    this.#opening ??= this.#initialize(client).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening.then(() => this.#setLevel(client));
  }

  async #initialize(client: ClientView): Promise<void> {
    const { version: protocolVersion, capabilities, info: clientInfo } = client;
    const ask = (method: string, params?: Params): MaybePromise<unknown> =>
      this.#options.serve(this.#own({ jsonrpc: '2.0', id: 0, method, params }, client));
    await ask('initialize', { protocolVersion, capabilities, clientInfo });
    await this.#options.greeted(ask);
    await this.#options.serve(
      this.#own({ jsonrpc: '2.0', method: 'notifications/initialized' }, client),
    );
  }

  /** The level is a matter between the client and each server that it uses; not all know it. */
  async #setLevel(client: ClientView): Promise<void> {
    const { logLevel: level } = client;
    if (level === this.#level) return;
    this.#level = level;
    const message = {
      jsonrpc: '2.0',
      id: 0,
      method: 'logging/setLevel',
      params: { level },
    } as const;
    try {
      await this.#options.serve(this.#own(message, client));
    } catch {
      // No call fails because its server does not log.
    }
  }

  #own(message: Exchange['message'], client?: ClientView): Exchange {
    const exchange = new Exchange(message, this.#link);
    exchange.client = client;
    return exchange;
  }

  #linkTo(connection: ConversationLink): Link & ConversationLink {
    const handlers = (): Conversation => this.conversation;
    return {
      principal: connection.principal,
      budget: connection.budget,
      get handlers() {
        return handlers();
      },
      keep: (bytes) => connection.keep(bytes),
      nextId: () => connection.nextId(),
      request: (...asked) => connection.request(...asked),
      cancel: (...given) => connection.cancel(...given),
      progress: (...given) => connection.progress(...given),
      notify: (method, params, origin) => {
        const heard = this.#options.hear(method, params);
        return heard && connection.notify(method, heard.params, origin);
      },
      close: async () => this.end(),
    };
  }
}
