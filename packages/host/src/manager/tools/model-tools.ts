import { isVisibleTo, type Tool } from 'mcp-kit/internal';
import type { ServerTool } from './catalog.ts';

/** A JSON Schema of an object, as all model APIs take it. */
interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, unknown>>;
  readonly [keyword: string]: unknown;
}

interface Function {
  readonly name: string;
  readonly description: string;
  readonly parameters: ObjectSchema;
}

/** Tools in the shapes of model APIs, as plain data. */
export interface ModelTools {
  /** `tools` of OpenAI's chat completions, and of the many that imitate them. */
  readonly 'openai-chat': readonly { readonly type: 'function'; readonly function: Function }[];
  /** `tools` of OpenAI's responses. */
  readonly openai: readonly ({
    readonly type: 'function';
    readonly strict: false;
  } & Function)[];
  /** `tools` of Anthropic's messages. */
  readonly anthropic: readonly {
    readonly name: string;
    readonly description: string;
    readonly input_schema: ObjectSchema;
  }[];
  /** `config.tools` of Gemini. */
  readonly gemini: readonly {
    readonly functionDeclarations: readonly {
      readonly name: string;
      readonly description: string;
      readonly parametersJsonSchema: ObjectSchema;
    }[];
  }[];
  /** By name, for `tools` of the AI SDK; its `jsonSchema` has to be put around each schema. */
  readonly 'ai-sdk': Readonly<
    Record<string, { readonly description: string; readonly inputSchema: ObjectSchema }>
  >;
  /** For `bindTools` of LangChain. */
  readonly langchain: readonly {
    readonly name: string;
    readonly description: string;
    readonly schema: ObjectSchema;
  }[];
}

/** A model API whose shape of tools is known. */
export type ModelApi = keyof ModelTools;

/**
 * The tools of a catalog as a model API wants them. The names are those that `callTool` of the manager takes or, for the tools of a
 * gateway, those that it knows: `catalog().tool(name)` says whose a tool is. Tools that are only for apps are left out.
 */
export function modelTools<Api extends ModelApi>(
  tools: readonly (ServerTool | Tool)[],
  api: Api,
): ModelTools[Api] {
  const described = tools.flatMap((one) => {
    const tool = 'qualifiedName' in one ? one.tool : one;
    const name = 'qualifiedName' in one ? one.qualifiedName : one.name;
    if (!isVisibleTo('model', tool)) return [];
    return [{ name, description: descriptionOf(tool), schema: schemaOf(tool) }];
  });
  return shapes[api](described);
}

interface Described {
  readonly name: string;
  readonly description: string;
  readonly schema: ObjectSchema;
}

const shapes: { readonly [Api in ModelApi]: (tools: readonly Described[]) => ModelTools[Api] } = {
  'openai-chat': (tools) =>
    tools.map(({ schema: parameters, ...named }) => ({
      type: 'function',
      function: { ...named, parameters },
    })),
  openai: (tools) =>
    tools.map(({ schema: parameters, ...named }) => ({
      type: 'function',
      ...named,
      parameters,
      strict: false,
    })),
  anthropic: (tools) =>
    tools.map(({ schema: input_schema, ...named }) => ({ ...named, input_schema })),
  gemini: (tools) => {
    const functionDeclarations = tools.map(({ schema: parametersJsonSchema, ...named }) => ({
      ...named,
      parametersJsonSchema,
    }));
    return functionDeclarations.length === 0 ? [] : [{ functionDeclarations }];
  },
  'ai-sdk': (tools) =>
    Object.fromEntries(
      tools.map(({ name, description, schema: inputSchema }) => [
        name,
        { description, inputSchema },
      ]),
    ),
  langchain: (tools) => tools,
};

/** Models choose by it, so there is always one. */
function descriptionOf({ name, title, description }: Tool): string {
  return description || title || name;
}

/** Some APIs refuse an object without properties, or a schema that does not say that it is one. */
function schemaOf({ inputSchema }: Tool): ObjectSchema {
  const { $schema: _, properties, ...rest } = inputSchema as Readonly<Record<string, unknown>>;
  const known = typeof properties === 'object' && properties !== null ? properties : {};
  return { ...rest, type: 'object', properties: { ...known } };
}
