import { isPromise } from '#base';
import {
  dialectOf,
  invalidParams,
  movedSchema,
  type CallToolResult,
  type JsonSchema,
} from '#protocol';
import { runCall, type Call } from './call.ts';
import type { Contract, Registry } from './contract.ts';
import { defineTool, type Tool } from './define-tool.ts';
import { listed, type Entry } from './entry.ts';
import { fail, failureCodes, type Failure } from './failure.ts';
import { listedTraits, traitsOf, type Manifest } from './manifest.ts';
import { isCallToolResult, textBlock, toFailedResult, type Outcome } from './result.ts';
import { createTraces, newTraceId, summarise, type Trace } from './traces.ts';

/** What every call returns as structured content, so that programs read all tools alike. */
export interface Envelope {
  readonly success: boolean;
  readonly data: unknown;
  readonly error: Failure | null;
  readonly meta: {
    readonly traceId: string;
    readonly tool: string;
    readonly version: string;
    readonly durationMs: number;
    readonly timestamp: string;
  };
}

/** Every tool answers with an envelope, is listed with its traits, and leaves a trace. */
export function envelopeContract(registry: Registry, version: string): Contract {
  const traces = createTraces();

  const conclude = (call: Call, ended: Outcome, begun: Begun): CallToolResult => {
    const { entry, args } = call;
    const outcome = entry.output === undefined ? heeded(ended) : ended;
    const durationMs = Math.round(performance.now() - begun.atMs);
    const { traceId, timestamp } = begun;
    const tool = entry.tool.name;
    traces.add({
      traceId,
      tool,
      timestamp,
      durationMs,
      success: outcome.ok,
      errorCode: outcome.ok ? null : outcome.failure.code,
      argsSummary: summarise(args),
    });
    return wrap(outcome, entry, { traceId, tool, version, durationMs, timestamp });
  };

  const manifest = (name: unknown): Manifest | undefined => {
    const entry = typeof name === 'string' ? registry.get(name) : undefined;
    return entry && toManifest(entry);
  };
  const trace = (traceId: unknown): Trace | undefined =>
    typeof traceId === 'string' ? traces.find(traceId) : undefined;

  return {
    listed: (entry, era) => ({
      ...listed(entry, era),
      outputSchema: envelopeSchema(entry),
      _meta: { ...entry.tool._meta, ...listedTraits(entry.tool) },
    }),
    call(call, logger) {
      const traceId = newTraceId();
      const begun = { atMs: performance.now(), traceId, timestamp: new Date().toISOString() };
      const outcome = runCall({ ...call, traceId }, logger);
      return isPromise(outcome)
        ? outcome.then((settled) => conclude(call, settled, begun))
        : conclude(call, outcome, begun);
    },
    tools: [manifestTool(manifest), traceTool(trace)],
    legacyMethods: {
      get_tool_manifest: ({ name }) => found(manifest(name), `Unknown tool: ${String(name)}`),
      get_trace_by_id: ({ traceId }) => found(trace(traceId), `Unknown trace: ${String(traceId)}`),
    },
  };
}

interface Begun {
  readonly atMs: number;
  readonly traceId: string;
  readonly timestamp: string;
}

/** A returned result that says it is an error is a failure like any other. */
function heeded(outcome: Outcome): Outcome {
  if (!outcome.ok || !isCallToolResult(outcome.value) || outcome.value.isError !== true) {
    return outcome;
  }
  const texts = outcome.value.content.map((block) => (block.type === 'text' ? block.text : ''));
  return { ok: false, failure: fail('E_INTERNAL', texts.join('\n')).failure };
}

function wrap(outcome: Outcome, { output }: Entry, meta: Envelope['meta']): CallToolResult {
  if (!outcome.ok) {
    const envelope: Envelope = { success: false, data: null, error: outcome.failure, meta };
    return { ...toFailedResult(outcome.failure), structuredContent: envelope };
  }
  const { value = null, shown } = outcome;
  const isWhole = output === undefined && shown === value;
  const data = isWhole ? (shown.structuredContent ?? null) : value;
  const envelope: Envelope = { success: true, data, error: null, meta };
  const content = shown.content.length > 0 ? shown.content : [textBlock(`${meta.tool} succeeded`)];
  return { ...shown, content, structuredContent: envelope };
}

function envelopeSchema({ output }: Entry): JsonSchema {
  const text = { type: 'string' };
  return {
    ...(output && dialectOf(output.json)),
    type: 'object',
    properties: {
      success: { type: 'boolean' },
      data: output
        ? { anyOf: [movedSchema(output.json, '/properties/data/anyOf/0'), { type: 'null' }] }
        : {},
      error: {
        type: ['object', 'null'],
        properties: {
          code: { enum: Object.keys(failureCodes) },
          message: text,
          retryable: { type: 'boolean' },
          suggestion: text,
          details: {},
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
        },
        required: ['traceId', 'tool', 'version', 'durationMs', 'timestamp'],
      },
    },
    required: ['success', 'data', 'error', 'meta'],
  };
}

function toManifest(entry: Entry): Manifest {
  const { tool, input } = entry;
  const { name, description } = tool;
  const outputSchema = envelopeSchema(entry);
  return { name, description, ...traitsOf(tool), inputSchema: input.json, outputSchema };
}

function manifestTool(find: (name: unknown) => Manifest | undefined): Tool {
  return defineTool({
    name: 'get_tool_manifest',
    description: 'Returns all that is known about a tool: schemas, traits, examples.',
    category: 'diagnostics',
    safety: 'readonly',
    annotations: { readOnlyHint: true },
    input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    run({ name }) {
      const manifest = find(name);
      if (manifest === undefined) throw fail('E_NOT_FOUND', `No tool is named ${name}`);
      return manifest;
    },
  });
}

function traceTool(find: (traceId: unknown) => Trace | undefined): Tool {
  return defineTool({
    name: 'get_trace_by_id',
    description: 'Returns what is remembered of a recent call, by the traceId of its answer.',
    category: 'diagnostics',
    safety: 'readonly',
    annotations: { readOnlyHint: true },
    input: { type: 'object', properties: { traceId: { type: 'string' } }, required: ['traceId'] },
    run({ traceId }) {
      const trace = find(traceId);
      if (trace === undefined)
        throw fail('E_NOT_FOUND', `No call with trace ${traceId} is remembered`);
      return trace;
    },
  });
}

function found<T>(value: T | undefined, otherwise: string): T {
  if (value === undefined) throw invalidParams(otherwise);
  return value;
}
