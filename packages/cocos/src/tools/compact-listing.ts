import type { Contract, CreateContract } from 'mcp-kit/tools';

type ListedTool = ReturnType<Contract['listed']>;
type Schema = Readonly<Record<string, unknown>>;

/**
 * Lists tools in half the space: a model reads the list before everything else. What all answers have in common is named only,
 * and arguments that every write takes are described in few words; `get_tool_manifest` has all of it.
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
    inputSchema: { ...inputSchema, properties: withFewWords(inputSchema) },
    outputSchema: outputSchema && envelope(outputSchema),
  };
}

const fewWords: Readonly<Record<string, Schema>> = {
  dryRun: { type: 'boolean', description: 'Only say what would change.' },
  planToken: { type: 'string', description: 'From a dry run: do exactly that.' },
  idempotencyKey: { type: 'string', description: 'Any text: with the same, it is done once.' },
  timeoutMs: { type: 'integer', description: 'How long to wait at most.' },
  clientTag: { type: 'string', description: 'Any text, kept in traces.' },
};

function withFewWords(schema: Schema): Schema {
  const named = Object.entries(propertiesOf(schema));
  return Object.fromEntries(named.map(([name, each]) => [name, fewWords[name] ?? each]));
}

/** What an answer is around its data. */
function envelope(schema: Schema): Schema {
  const { data } = propertiesOf(schema);
  const kinds = listOf(data?.['anyOf']);
  const own = Object.assign({}, ...kinds.map((each) => propertiesOf(each))) as Schema;
  const known = Object.entries(own)
    .filter(([name]) => !unneeded.has(name))
    .map(([name, each]) => [name, shared[name] ?? brief(each, 0)]);
  return {
    type: 'object',
    properties: {
      success: { type: 'boolean' },
      data: { type: ['object', 'null'], properties: Object.fromEntries(known) as Schema },
      error: { type: ['object', 'null'] },
      meta: { type: 'object' },
    },
    required: ['success', 'data', 'error', 'meta'],
  };
}

/** What answers of many tools have. */
const shared: Readonly<Record<string, Schema>> = {
  changes: { type: 'array' },
  stages: { type: 'array' },
  dryRun: { type: 'boolean' },
  transactionId: { type: 'string' },
};

/** What is answered for people who look at a plan, and is no argument of another call. */
const unneeded = new Set(['riskLevel', 'expiresAt']);

/** How deep the values of an answer are described. */
const deepest = 1;

/** The kind of a value, with its parts where they are near. */
function brief(schema: unknown, depth: number): Schema {
  const { type, enum: values, description, properties, items } = (schema ?? {}) as Schema;
  const parts = Object.entries((properties ?? {}) as Schema).map(
    ([name, each]) => [name, brief(each, depth + 1)] as const,
  );
  const isNear = depth < deepest;
  return {
    type,
    enum: values,
    description,
    properties: isNear && parts.length > 0 ? Object.fromEntries(parts) : undefined,
    items: isNear && items !== undefined ? brief(items, depth + 1) : undefined,
  };
}

function propertiesOf(schema: Schema): Readonly<Record<string, Schema | undefined>> {
  return (schema['properties'] ?? {}) as Readonly<Record<string, Schema | undefined>>;
}

function listOf(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? (value as readonly Schema[]) : [];
}
