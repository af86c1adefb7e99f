import type { Contract, CreateContract } from 'mcp-kit/tools';

type ListedTool = ReturnType<Contract['listed']>;
type Schema = Readonly<Record<string, unknown>>;

/**
 * Lists tools in half the space: a model reads the list before everything else. Of answers only what is their own is named, and
 * what many tools take is explained once, in the instructions; `get_tool_manifest` has all of it.
 */
export function compactListing(create: CreateContract): CreateContract {
  return (set) => {
    const contract = create(set);
    return { ...contract, listed: (entry) => compact(contract.listed(entry)) };
  };
}

function compact(tool: ListedTool): ListedTool {
  const { inputSchema, outputSchema } = tool;
  return {
    ...tool,
    inputSchema: withFewWords(inputSchema),
    outputSchema: outputSchema && envelope(outputSchema),
  };
}

/** What the instructions of the server say of all tools that have it. */
const fewWords: Readonly<Record<string, Schema>> = {
  scenePath: { type: 'string' },
  dryRun: { type: 'boolean' },
  planToken: { type: 'string' },
  idempotencyKey: { type: 'string' },
  timeoutMs: { type: 'integer' },
  clientTag: { type: 'string' },
};

/** What few calls ask for: it is in the manifest, and the instructions name it. */
const unlisted = new Set(['storedNames']);

function withFewWords(schema: ListedTool['inputSchema']): ListedTool['inputSchema'] {
  const { additionalProperties: _, ...rest } = schema;
  const named = Object.entries(propertiesOf(schema)).filter(([name]) => !unlisted.has(name));
  const properties = named.map(([name, each]) => [name, fewWords[name] ?? loose(each)]);
  return { ...rest, properties: Object.fromEntries(properties) };
}

/** What only a wrong argument makes a difference to: the tool checks it, and says what is wrong. */
const bounds = new Set([
  'additionalProperties',
  'allOf',
  'maxItems',
  'maximum',
  'maxLength',
  'minItems',
  'minimum',
  'minLength',
  'minProperties',
  'pattern',
]);

/** A schema without its bounds. */
function loose(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(loose);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { properties, ...rest } = schema as Schema;
  const kept = Object.entries(rest)
    .filter(([name]) => !bounds.has(name))
    .map(([name, part]) => [name, loose(part)]);
  if (properties === undefined) return Object.fromEntries(kept);
  const named = Object.entries(Object(properties) as Schema).map(([name, part]) => [
    name,
    loose(part),
  ]);
  return { ...Object.fromEntries(kept), properties: Object.fromEntries(named) };
}

/** What an answer is around its data, and what that has by name. */
function envelope(schema: Schema): Schema {
  const { data } = propertiesOf(schema);
  const kinds = listOf(data?.['anyOf']);
  const own = Object.assign({}, ...kinds.map((each) => propertiesOf(each))) as Schema;
  const known = Object.entries(own)
    .filter(([name]) => !common.has(name))
    .map(([name]) => [name, {}]);
  return {
    type: 'object',
    properties: {
      success: { type: 'boolean' },
      data: { type: ['object', 'null'], properties: Object.fromEntries(known) as Schema },
      error: {},
      meta: {},
    },
  };
}

/** What answers of many tools have. */
const common = new Set([
  'changes',
  'dryRun',
  'expiresAt',
  'planToken',
  'riskLevel',
  'runId',
  'scenePath',
  'stages',
  'transactionId',
]);

function propertiesOf(schema: Schema): Readonly<Record<string, Schema | undefined>> {
  return (schema['properties'] ?? {}) as Readonly<Record<string, Schema | undefined>>;
}

function listOf(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? (value as readonly Schema[]) : [];
}
