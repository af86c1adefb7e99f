import { createDeferred, startTimer, type Tool } from 'mcp-kit/internal';
import type { ServerStatus } from '../supervise/state.ts';
import type { Withheld } from '../trust/tools.ts';
import type { ToolListing } from './listing.ts';
import { qualifiedName } from './qualified-name.ts';

/** A tool, and the server it belongs to. */
export interface ServerTool {
  readonly server: string;
  readonly tool: Tool;
  /** Its name among those of all servers, valid in every model API; `callTool` of the manager takes it. */
  readonly qualifiedName: string;
  /** `cache`: its server is not up yet; it had this tool when it was last seen. */
  readonly from: 'live' | 'cache';
}

/** The tools of all servers, as far as they are known by now. */
export interface Catalog {
  /** Sorted by name, then by server. */
  readonly tools: readonly ServerTool[];
  /** Servers that are still being opened or asked. */
  readonly pending: readonly string[];
  /** Servers that cannot be used now. */
  readonly failed: readonly ServerStatus[];
  readonly withheld: readonly (Withheld & { readonly server: string })[];
}

/** In one order, whatever order servers answered in: what a model reads stays the same. */
function sortTools(tools: readonly ServerTool[]): readonly ServerTool[] {
  const key = ({ server, tool }: ServerTool): string => `${tool.name}\0${server}`;
  return tools.toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
}

/** A server as the catalog asks it. */
export interface CatalogServer {
  readonly name: string;
  listing(): Promise<ToolListing>;
  /** What it had last time. */
  recalled(): Promise<Pick<ToolListing, 'tools'> | undefined>;
  status(): ServerStatus;
}

/** Asks all servers at the same time, and waits for each no longer than all. */
export async function catalogOf(
  servers: readonly CatalogServer[],
  waitMs: number,
): Promise<Catalog> {
  const isLate = createDeferred<undefined>();
  // After a turn in which answers were read: this process may have been busy all the time.
  const timer = startTimer(() => setImmediate(() => isLate.resolve(undefined)), waitMs);
  const parts = await Promise.all(servers.map((server) => partOf(server, isLate.promise)));
  clearTimeout(timer);
  return {
    tools: sortTools(parts.flatMap(({ tools }) => tools)),
    pending: parts.flatMap(({ pending }) => pending),
    failed: parts.flatMap(({ failed }) => failed),
    withheld: parts.flatMap(({ withheld }) => withheld),
  };
}

function ofServer(server: string, tool: Tool, from: ServerTool['from']): ServerTool {
  return { server, tool, qualifiedName: qualifiedName({ server, tool: tool.name }), from };
}

async function partOf(server: CatalogServer, isLate: Promise<undefined>): Promise<Catalog> {
  const { name } = server;
  const listing = server.listing();
  // It may fail after nobody waits for it any more; its status tells.
  listing.catch(() => {});
  const nothing = { tools: [], pending: [], failed: [], withheld: [] };
  try {
    const live = await Promise.race([listing, isLate]);
    if (live === undefined) {
      const { tools } = (await server.recalled()) ?? { tools: [] };
      const cached = tools.map((tool) => ofServer(name, tool, 'cache'));
      return { ...nothing, tools: cached, pending: [name] };
    }
    return {
      ...nothing,
      tools: live.tools.map((tool) => ofServer(name, tool, 'live')),
      withheld: live.withheld.map((one) => ({ ...one, server: name })),
    };
  } catch (error) {
    const status = server.status();
    const cause = error instanceof Error ? error : new Error(String(error));
    return { ...nothing, failed: [{ ...status, error: status.error ?? cause }] };
  }
}
