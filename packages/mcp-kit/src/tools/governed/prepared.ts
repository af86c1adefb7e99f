import { KitError, withoutUndefined, type Logger } from '#base';
import { dialectOf, movedSchema, type JsonSchema } from '#protocol';
import { compileSchema, type CompiledSchema } from '#schema';
import { changesSchema, riskSchema } from '../changes.ts';
import { dataPointer, envelopeOf, envelopeSchema } from '../contract/envelope.ts';
import type { Entry } from '../entry.ts';
import { failureCodes, type FailureCode } from '../failure.ts';
import {
  isWriting,
  riskOf,
  traitsOf,
  type Manifest,
  type ManifestError,
} from '../manifest/manifest.ts';
import { secretsOf } from '../trace/traces.ts';
import { withControlFields } from './control-fields.ts';
import { guard, stackLayers, type Handle, type Layer } from './layer.ts';

/** A tool made ready to be governed: everything that is the same for all its calls. */
export interface Prepared {
  readonly handle: Handle;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly isSecret: (name: string) => boolean;
  readonly writes: boolean;
  /** Checks whole envelopes, where that is wanted. */
  readonly envelope: CompiledSchema | undefined;
}

interface PrepareOptions {
  readonly layers: readonly Layer[];
  readonly logger: Logger;
  readonly checkResults: boolean;
}

export function prepare(entry: Entry, options: PrepareOptions): Prepared {
  const { layers, logger, checkResults } = options;
  const { tool } = entry;
  const outputSchema = tool.plan === undefined ? envelopeSchema(entry) : writeSchema(entry);
  const subject = `envelope of tool ${tool.name}`;
  return {
    handle: guard(stackLayers(layers, entry), logger),
    inputSchema: isWriting(entry) ? withControlFields(entry) : entry.input.json,
    outputSchema,
    isSecret: secretsOf(entry.input.json),
    writes: isWriting(entry),
    envelope: checkResults
      ? compileSchema(outputSchema, { subject, direction: 'output' })
      : undefined,
  };
}

const text = { type: 'string' };
const common = { changes: changesSchema, riskLevel: riskSchema };
const preview: JsonSchema = {
  type: 'object',
  properties: { dryRun: { const: true }, ...common, planToken: text, expiresAt: text },
  required: ['dryRun', 'changes', 'riskLevel', 'planToken', 'expiresAt'],
};

function writeSchema(entry: Entry): JsonSchema {
  const { tool, output } = entry;
  const own = output?.json ?? { type: 'object' };
  const refuse = (what: string, hint: string): KitError =>
    new KitError('invalid_argument', `tool ${tool.name}: output ${what}`, { hint });
  if (own['type'] !== 'object') {
    throw refuse('must have type "object" at its root', 'What was changed is told beside it.');
  }
  const properties: unknown = own['properties'] ?? {};
  const taken = Object.keys(common).find((name) => Object.hasOwn(Object(properties), name));
  if (taken !== undefined) {
    throw refuse(`has a property "${taken}"`, 'Leave it out: what was planned is told beside it.');
  }
  return writeEnvelopeSchema(entry);
}

/** Describes the envelopes of a tool that writes: its own values are those of what was done, beside a dry run's. */
function writeEnvelopeSchema({ output }: Entry): JsonSchema {
  const own = output === undefined ? {} : movedSchema(output.json, dataPointer);
  const required = Array.isArray(own['required']) ? own['required'] : [];
  const done = {
    ...own,
    type: 'object',
    properties: { ...Object(own['properties']), ...common },
    required: [...required, ...Object.keys(common)],
  };
  const data = { anyOf: [done, preview, { type: 'null' }] };
  return envelopeOf(data, output === undefined ? {} : dialectOf(output.json));
}

/** What the framework itself can answer, by kind of tool. */
const always: Partial<Record<FailureCode, string>> = {
  E_INVALID_ARGUMENT: 'An argument is missing or wrong.',
  E_TIMEOUT: 'It took longer than allowed.',
  E_UNAVAILABLE: 'Too many calls at once, or something it needs is away.',
  E_INTERNAL: 'A bug of the tool.',
};
const forWrites: Partial<Record<FailureCode, string>> = {
  E_CONFLICT: 'The plan is out of date, or the idempotencyKey is in use.',
  E_PRECONDITION_FAILED: 'It is not permitted, or needs a dry run first.',
};

/** All there is to know about a governed tool. */
export function toManifest(entry: Entry, prepared: Prepared): Manifest {
  const { tool } = entry;
  const { name, description, errors = {} } = tool;
  const { inputSchema, outputSchema, writes } = prepared;
  const usual = writes ? { ...always, ...forWrites } : always;
  const listedErrors: ManifestError[] = [];
  for (const [code, when] of Object.entries({ ...usual, ...errors }) as [FailureCode, string][]) {
    listedErrors.push({ code, when, retryable: failureCodes[code].retryable });
  }
  const mayHarm = writes || tool.riskLevel !== undefined;
  return withoutUndefined({
    name,
    description,
    ...traitsOf(tool),
    riskLevel: mayHarm ? riskOf({}, tool) : undefined,
    errors: listedErrors,
    inputSchema,
    outputSchema,
  });
}
