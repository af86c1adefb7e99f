import { clientOf, type Era, type Exchange, type JsonSchema, type Tool } from 'mcp-kit/internal';
import { legacyTool } from './catalog.ts';

/** What the eras have in other words, of what the gateway itself answers. */
interface Words {
  finished(result: object, _meta: object | undefined): object;
  outputSchema(tool: Tool): JsonSchema | undefined;
}

const words: Readonly<Record<Era, Words>> = {
  legacy: {
    finished: (result, _meta) => ({ ...result, _meta }),
    outputSchema: (tool) => legacyTool(tool).outputSchema,
  },
  modern: {
    finished: (result, _meta) => ({ resultType: 'complete', ...result, _meta }),
    outputSchema: (tool) => tool.outputSchema,
  },
};

const wordsFor = (exchange: Exchange): Words => words[clientOf(exchange).era];

/** The result of a call that no server has given, as its client knows results. */
export function finished(exchange: Exchange, result: object, _meta?: object): object {
  return wordsFor(exchange).finished(result, _meta);
}

/** What a client was promised of the results of a tool. */
export function promised(exchange: Exchange, tool: Tool): JsonSchema | undefined {
  return wordsFor(exchange).outputSchema(tool);
}
