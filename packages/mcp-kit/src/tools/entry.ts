import { KitError, withoutUndefined } from '#base';
import { headerBindings, type HeaderBinding, type Tool as ListedTool } from '#protocol';
import { compileSchema, type CompiledSchema } from '#schema';
import type { Tool } from './tool.ts';

/** A tool made ready: schemas compiled, names checked, once. */
export interface Entry {
  readonly tool: Tool;
  readonly input: CompiledSchema;
  readonly output: CompiledSchema | undefined;
  readonly headers: readonly HeaderBinding[];
}

const toolName = /^[A-Za-z0-9_.-]{1,128}$/;
const noArguments = { type: 'object', additionalProperties: false } as const;

/** Compiles the schemas of a tool; throws when the tool is not valid. */
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
export function listed({ tool, input, output }: Entry): ListedTool {
  const { name, title, description, annotations, icons } = tool;
  return withoutUndefined({
    name,
    title,
    description,
    inputSchema: input.json,
    outputSchema: output?.json,
    annotations,
    icons,
    _meta: toolMeta(tool),
  });
}

/** What a tool says of itself in `_meta`. */
export function toolMeta({ app, _meta }: Tool): Tool['_meta'] {
  return app === undefined ? _meta : { ..._meta, ui: withoutUndefined({ ...app }) };
}

/** Refuses amounts that nobody can mean: each must be a number above zero, where there is one. */
export function assertAmounts(
  subject: string,
  amounts: Readonly<Record<string, number | undefined>>,
): void {
  for (const [name, amount] of Object.entries(amounts)) {
    if (amount === undefined || (typeof amount === 'number' && amount > 0)) continue;
    const message = `${subject}: ${name} must be a number above zero, not ${String(amount)}`;
    throw new KitError('invalid_argument', message, { hint: 'Leave it out for the default.' });
  }
}
