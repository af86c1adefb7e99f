import { dialectOf, movedSchema, type CallToolResult, type JsonSchema } from '#protocol';
import type { Entry } from '../entry.ts';
import { fail, failureCodes, type Failure } from '../failure.ts';
import { isCallToolResult, textBlock, toFailedResult } from '../call.ts';
import type { Outcome } from './contract.ts';

/** What every call returns as structured content, so that programs read all tools alike. */
export interface Envelope {
  readonly success: boolean;
  readonly data: unknown;
  readonly error: Failure | null;
  readonly meta: EnvelopeMeta;
}

/** What an envelope says of the call itself. */
export interface EnvelopeMeta {
  readonly traceId: string;
  readonly tool: string;
  readonly version: string;
  readonly durationMs: number;
  readonly timestamp: string;
  /** The answer is that of an earlier call with the same idempotency key. */
  readonly replayed?: true | undefined;
}

/** A returned result that says it is an error is a failure like any other. */
export function heeded(outcome: Outcome, { output }: Entry): Outcome {
  if (output !== undefined || !outcome.ok) return outcome;
  if (!isCallToolResult(outcome.value) || outcome.value.isError !== true) return outcome;
  const texts = outcome.value.content.map((block) => (block.type === 'text' ? block.text : ''));
  const { failure } = fail('E_INTERNAL', texts.join('\n'));
  return { ok: false, failure, replayed: outcome.replayed };
}

/** The result of a call, with the envelope around its value or its failure. */
export function wrap(outcome: Outcome, { output }: Entry, meta: EnvelopeMeta): CallToolResult {
  if (!outcome.ok) {
    const envelope: Envelope = { success: false, data: null, error: outcome.failure, meta };
    return { ...toFailedResult(outcome.failure), structuredContent: envelope };
  }
  const { value = null, shown } = outcome;
  const isWhole = output === undefined && shown === value;
  const data = isWhole ? (shown.structuredContent ?? null) : value;
  const structuredContent: Envelope = { success: true, data, error: null, meta };
  const content = shown.content.length > 0 ? shown.content : [textBlock(`${meta.tool} succeeded`)];
  // Only what a tool made itself can have more than content.
  return isWhole ? { ...shown, content, structuredContent } : { content, structuredContent };
}

/** Where the data of a call is within its envelope. */
export const dataPointer = '/properties/data/anyOf/0';

/** Describes the envelopes of a tool whose data its output schema describes. */
export function envelopeSchema({ output }: Entry): JsonSchema {
  if (output === undefined) return envelopeOf({}, {});
  return envelopeOf(
    { anyOf: [movedSchema(output.json, dataPointer), { type: 'null' }] },
    dialectOf(output.json),
  );
}

/** Describes envelopes around such data. */
export function envelopeOf(data: JsonSchema, dialect: JsonSchema): JsonSchema {
  const text = { type: 'string' };
  return {
    ...dialect,
    type: 'object',
    properties: {
      success: { type: 'boolean' },
      data,
      error: {
        type: ['object', 'null'],
        properties: {
          code: { enum: Object.keys(failureCodes) },
          message: text,
          retryable: { type: 'boolean' },
          suggestion: text,
          details: {},
          stage: text,
        },
        required: ['code', 'message', 'retryable'],
      },
      meta: {
        type: 'object',
        properties: {
          traceId: text,
          tool: text,
          version: text,
          durationMs: { type: 'number' },
          timestamp: text,
          replayed: { type: 'boolean' },
        },
        required: ['traceId', 'tool', 'version', 'durationMs', 'timestamp'],
      },
    },
    required: ['success', 'data', 'error', 'meta'],
  };
}
