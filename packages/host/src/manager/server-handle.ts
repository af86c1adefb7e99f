import { requireTime } from 'mcp-kit/internal';
import type { CallOptions, Session } from 'mcp-kit/client';
import type { Upstream, UpstreamChoice } from './connect/upstream.ts';
import type { Opened } from './supervise/opened.ts';
import type { WaitLimits } from './supervise/wait.ts';
import type { OtherLists } from './tools/cache.ts';
import type { ToolListing } from './tools/listing.ts';
import type { Kept } from './tools/recall.ts';

/** The server behind a handle. */
export interface HandledServer {
  open(limits: WaitLimits): Promise<Opened>;
  /** Forgets past failures. */
  forgive(): void;
  take(): Session | undefined;
  upstream(choice?: UpstreamChoice): Promise<Upstream>;
  readonly kept: Kept;
}

/** The calls of a session that a handle has too, each with the place of the options among its arguments. */
const calls = {
  ping: 0,
  callTool: 2,
  listResources: 1,
  listResourceTemplates: 1,
  readResource: 1,
  subscribe: 1,
  unsubscribe: 1,
  listPrompts: 1,
  getPrompt: 2,
  complete: 2,
  setLogLevel: 1,
  request: 2,
  notify: 2,
} as const;

/** What can be asked of one server; each question opens it if it is not open, in the time that the question has. */
export interface ServerHandle extends Pick<Session, keyof typeof calls> {
  /**
   * The session with the server, opened if it is not; it opens itself anew when it is used after it was lost. Only the
   * tools that the configuration and the approval let pass can be seen and called on it. With `forgive`, as when a person
   * asks, what failed before does not count.
   */
  connect(options?: {
    readonly signal?: AbortSignal | undefined;
    readonly forgive?: boolean | undefined;
  }): Promise<Session>;
  /** Hands the open session over: from now on it is the caller's, and the manager would open another. */
  take(): Session | undefined;
  /** For those who hold conversations of their own with the server, as a bridge does; only where it is trusted. */
  upstream(choice?: UpstreamChoice): Promise<Upstream>;
  /** The tools that it had when it was last seen, as far as they may be used now; it is not opened. */
  recalledTools(): Promise<ToolListing | undefined>;
  /** The prompts, resources and templates that it had, and its instructions, likewise. */
  recalledOthers(): Promise<OtherLists | undefined>;
  /** Keeps them for the next start. */
  keepOthers(lists: OtherLists): Promise<void>;
  /** The tools that may be used, and why others may not. */
  listTools(options?: CallOptions): Promise<ToolListing>;
  /** The same, and the server is not asked again while it is open and has not said that they changed, if it promises to. */
  knownTools(options?: CallOptions): Promise<ToolListing>;
}

/** Makes the handle of a server. */
export function handleOf(server: HandledServer): ServerHandle {
  const forwarded = Object.entries(calls).map(([name, at]) => {
    const call = async (...args: unknown[]): Promise<unknown> => {
      const { session } = await server.open(limitsOf(args[at] as CallOptions | undefined));
      return (Reflect.get(session, name) as (...all: unknown[]) => unknown).apply(session, args);
    };
    return [name, call] as const;
  });
  return {
    ...(Object.fromEntries(forwarded) as Pick<Session, keyof typeof calls>),
    async connect({ signal, forgive = false } = {}) {
      if (forgive) server.forgive();
      return (await server.open({ signal })).session;
    },
    take: () => server.take(),
    upstream: (choice) => server.upstream(choice),
    recalledTools: () => server.kept.tools(),
    recalledOthers: () => server.kept.others(),
    keepOthers: (lists) => server.kept.keep(lists),
    async listTools(options) {
      return (await server.open(limitsOf(options))).policy.listing(options);
    },
    async knownTools(options) {
      return (await server.open(limitsOf(options))).policy.known(options);
    },
  };
}

/** Opening a server for a call takes no longer than the call may. */
function limitsOf({ signal, timeoutMs, maxTotalMs }: CallOptions = {}): WaitLimits {
  requireTime('timeoutMs', timeoutMs);
  requireTime('maxTotalMs', maxTotalMs);
  const limits = [timeoutMs, maxTotalMs].filter((ms) => ms !== undefined);
  return { signal, timeoutMs: limits.length === 0 ? undefined : Math.min(...limits) };
}
