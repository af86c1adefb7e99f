import {
  clientOf,
  elicitUrl,
  RpcError,
  type Era,
  type Exchange,
  type InputRequest,
  type JsonSchema,
  type Tool,
} from 'mcp-kit/internal';
import { legacyTool } from './catalog.ts';
import { askDirectly, type AskUser, type Rounds } from './policy/rounds.ts';

/** A page that somebody has to visit before a request can be served. */
export interface Visit {
  readonly id: string;
  readonly url: string;
  readonly message: string;
}

/** What differs between clients of the two eras, of what the gateway itself says to them and on their behalf. */
interface Edge {
  readonly saysOnce: boolean;
  asking(rounds: Rounds): AskUser;
  visit(visit: Visit): InputRequest;
  mustVisit(visit: Visit): RpcError | undefined;
  hasVisited(exchange: Exchange, id: string): unknown;
  finished(result: object, _meta: object | undefined): object;
  outputSchema(tool: Tool): JsonSchema | undefined;
}

const urlElicitationRequired = -32042;

/** The legacy era wants a name for each visit, and is told by it when that is over. */
function namedVisit({ id: elicitationId, url, message }: Visit): InputRequest {
  const request = elicitUrl({ url, message });
  return { ...request, params: { ...request.params, elicitationId } };
}

const edges: Readonly<Record<Era, Edge>> = {
  legacy: {
    saysOnce: true,
    asking: () => askDirectly,
    visit: namedVisit,
    mustVisit: (visit) =>
      new RpcError(urlElicitationRequired, `${visit.message} ${visit.url}`, {
        elicitations: [namedVisit(visit).params],
      }),
    hasVisited: ({ link }, elicitationId) =>
      link.notify('notifications/elicitation/complete', { elicitationId }),
    finished: (result, _meta) => ({ ...result, _meta }),
    outputSchema: (tool) => legacyTool(tool).outputSchema,
  },
  modern: {
    saysOnce: false,
    asking: ({ ask }) => ask,
    visit: ({ url, message }) => elicitUrl({ url, message }),
    mustVisit: () => undefined,
    hasVisited: () => undefined,
    finished: (result, _meta) => ({ resultType: 'complete', ...result, _meta }),
    outputSchema: (tool) => tool.outputSchema,
  },
};

const edgeOf = (exchange: Exchange): Edge => edges[clientOf(exchange).era];

/** Whether a client says once who it is, and what it wants to hear: then each server is to be told before it is asked. */
export function saysOnce(exchange: Exchange): boolean {
  return edgeOf(exchange).saysOnce;
}

/** The way to ask the user of a client something; `rounds` are for those who cannot be asked but by a result. */
export function asking(exchange: Exchange, rounds: Rounds): AskUser {
  return edgeOf(exchange).asking(rounds);
}

/** Asks for the visit of a page. */
export function visitFor(exchange: Exchange, visit: Visit): InputRequest {
  return edgeOf(exchange).visit(visit);
}

/** The error that has a client visit a page and ask again, where there is one; for requests during which it cannot be asked. */
export function mustVisit(exchange: Exchange, visit: Visit): RpcError | undefined {
  return edgeOf(exchange).mustVisit(visit);
}

/** Tells a client that a visit it was asked for is over, where it waits for that. */
export async function hasVisited(exchange: Exchange, { id }: Visit): Promise<void> {
  // Who has gone meanwhile need not know.
  await Promise.resolve(edgeOf(exchange).hasVisited(exchange, id)).catch(() => {});
}

/** The result of a call that no server has given, as its client knows results. */
export function finished(exchange: Exchange, result: object, _meta?: object): object {
  return edgeOf(exchange).finished(result, _meta);
}

/** What a client was promised of the results of a tool. */
export function promised(exchange: Exchange, tool: Tool): JsonSchema | undefined {
  return edgeOf(exchange).outputSchema(tool);
}
