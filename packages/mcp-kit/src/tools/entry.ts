import { KitError, withoutUndefined } from '#base';
import {
  headerBindings,
  structured,
  type Era,
  type HeaderBinding,
  type Tool as ListedTool,
} from '#protocol';
import { compileSchema, type CompiledSchema } from '#schema';
import { assertAmounts } from './amounts.ts';
import type { Tool } from './define-tool.ts';

/** A tool made ready: schemas compiled, names checked, once. */
export interface Entry {
  readonly tool: Tool;
  readonly input: CompiledSchema;
  readonly output: CompiledSchema | undefined;
  readonly headers: readonly HeaderBinding[];
}

const toolName = /^[A-Za-z0-9_.-]{1,128}$/;
const noArguments = { type: 'object', additionalProperties: false } as const;

export function createEntry(tool: Tool): Entry {
  const { name, input = noArguments, output } = tool;
  if (!toolName.test(name)) {
    throw new KitError('invalid_argument', `tool name "${name}" is not valid`, {
      hint: 'Use 1 to 128 letters, digits, "_", "-" or ".".',
    });
  }
  const { timeoutMs, limit } = tool;
  const { concurrent, perMinute } = limit ?? {};
  assertAmounts(`tool ${name}`, {
    timeoutMs,
    'limit.concurrent': concurrent,
    'limit.perMinute': perMinute,
  });
  const compiled = compileSchema(input, { subject: `input of tool ${name}`, direction: 'input' });
  return {
    tool,
    input: compiled,
    output:
      output && compileSchema(output, { subject: `output of tool ${name}`, direction: 'output' }),
    headers: headerBindings(compiled.json),
  };
}

/** What `tools/list` says of a tool. */
export function listed({ tool, input, output }: Entry, era: Era): ListedTool {
  const { name, title, description, annotations, icons, _meta } = tool;
  return withoutUndefined({
    name,
    title,
    description,
    inputSchema: input.json,
    outputSchema: output && structured[era].schema(output.json),
    annotations,
    icons,
    _meta,
  });
}
