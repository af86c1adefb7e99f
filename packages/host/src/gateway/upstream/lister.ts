import type { Session } from 'mcp-kit/client';
import type { Manager, Upstream } from '@mcp-kit/host';
import { isLoginNeeded } from '../logins/wanted.ts';
import { listAll, type Listing } from './listing.ts';

/** How long a server may take for each of its lists. */
const timeoutMs = 30_000;

export interface ListerOptions {
  readonly manager: Manager;
  readonly name: string;
  /** Each principal uses it with a login of their own. */
  readonly isPersonal: boolean;
  /** The lists may be others than before. */
  changed(): void;
}

/** What holds the tools that a conversation has seen. */
export type HeldTools = ReturnType<Upstream['guard']>;

/**
 * Asks a server for what it has: in the conversation of a client, where one is open, and in the manager's own only while there is
 * none. So a server that one client uses is one process, and a client sees the tools that its own conversation has. Where each
 * principal has a login of their own it is the other way round: theirs are asked only where the server's own user has none.
 */
export class Lister {
  readonly #options: ListerOptions;
  /** Conversations of clients, the oldest first, with what holds their tools. */
  readonly #lent = new Map<Session, HeldTools>();
  /** The one whose lists have changed last. */
  #preferred: Session | undefined;
  #isListing = false;

  constructor(options: ListerOptions) {
    this.#options = options;
  }

  /** The conversations of clients that are open. */
  get lent(): Iterable<Session> {
    return this.#lent.keys();
  }

  /** A conversation on behalf of a client has begun; what is given back is called when its lists may have changed. */
  joined(session: Session, tools: HeldTools): () => void {
    this.#lent.set(session, tools);
    // A server may have more for a client that can be asked things than for the manager, and say so before anybody listens.
    if (this.#lent.size === 1) this.#options.changed();
    void session.closed.then(() => {
      this.#lent.delete(session);
      if (this.#preferred === session) this.#preferred = undefined;
    });
    this.#letGo();
    return () => {
      this.#preferred = session;
      this.#options.changed();
    };
  }

  async list(): Promise<Listing> {
    this.#isListing = true;
    try {
      if (this.#options.isPersonal) return await this.#listPersonal();
      return (await this.#listLent()) ?? (await this.#listOwn());
    } finally {
      this.#isListing = false;
      this.#letGo();
    }
  }

  /** Nothing where no client has a conversation, or the one that was asked has ended meanwhile. */
  async #listLent(): Promise<Listing | undefined> {
    const session = this.#lender;
    const tools = session && this.#lent.get(session);
    if (session === undefined || tools === undefined) return undefined;
    const options = { timeoutMs };
    try {
      return await listAll(session, () => tools.listing(options), options);
    } catch (error) {
      if (session.isConnected) throw error;
      return undefined;
    }
  }

  /** What one principal sees is shown to all: so not what may be theirs alone. */
  async #listPersonal(): Promise<Listing> {
    try {
      return await this.#listOwn();
    } catch (error) {
      const lent = isLoginNeeded(error) ? await this.#listLent() : undefined;
      if (lent === undefined) throw error;
      return { ...lent, resources: [], instructions: undefined };
    }
  }

  async #listOwn(): Promise<Listing> {
    const { manager, name } = this.#options;
    const server = manager.server(name);
    return listAll(await server.connect(), () => server.listTools());
  }

  get #lender(): Session | undefined {
    if (this.#preferred?.isConnected === true) return this.#preferred;
    for (const session of this.#lent.keys()) if (session.isConnected) return session;
    return undefined;
  }

  /** Ends the manager's own conversation where nobody needs it. */
  #letGo(): void {
    const { manager, name, isPersonal } = this.#options;
    if (isPersonal || this.#isListing || this.#lender === undefined || !manager.isConnected(name))
      return;
    // It may be gone from the configuration by now.
    manager.disconnect(name).catch(() => {});
  }
}
