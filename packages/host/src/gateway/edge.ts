import { clientOf, type Era, type Exchange, type JsonSchema, type Tool } from 'mcp-kit/internal';
import { legacyTool } from './catalog.ts';
import { askDirectly, type AskUser, type Rounds } from './policy/rounds.ts';

/** What differs between clients of the two eras, of what the gateway itself says to them and on their behalf. */
interface Edge {
  readonly saysOnce: boolean;
  asking(rounds: Rounds): AskUser;
  finished(result: object, _meta: object | undefined): object;
  outputSchema(tool: Tool): JsonSchema | undefined;
}

const edges: Readonly<Record<Era, Edge>> = {
  legacy: {
    saysOnce: true,
    asking: () => askDirectly,
    finished: (result, _meta) => ({ ...result, _meta }),
    outputSchema: (tool) => legacyTool(tool).outputSchema,
  },
  modern: {
    saysOnce: false,
    asking: ({ ask }) => ask,
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

/** The result of a call that no server has given, as its client knows results. */
export function finished(exchange: Exchange, result: object, _meta?: object): object {
  return edgeOf(exchange).finished(result, _meta);
}

/** What a client was promised of the results of a tool. */
export function promised(exchange: Exchange, tool: Tool): JsonSchema | undefined {
  return edgeOf(exchange).outputSchema(tool);
}
