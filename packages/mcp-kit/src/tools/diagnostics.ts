import { invalidParams } from '#protocol';
import type { Context, Handler } from '#server';
import { defineTool, type Tool } from './define-tool.ts';
import { fail } from './failure.ts';
import type { Manifest } from './manifest/manifest.ts';
import type { Trace } from './trace/traces.ts';

/** What a set can tell about its tools and their calls, to whom it is asked by. */
export interface Diagnosis {
  manifest(name: string, context: Context): Manifest | undefined;
  manifests(context: Context): readonly Manifest[];
  trace(traceId: string, context: Context): Trace | undefined;
  /** The latest call, or the slowest that is remembered. */
  pick(which: 'last' | 'slowest', context: Context): Trace | undefined;
}

/** Tools that tell about tools and calls. */
export function diagnosticTools(diagnosis: Diagnosis): readonly Tool[] {
  return [manifestTool(diagnosis), traceTool(diagnosis)];
}

/** The same as plain methods. */
export function diagnosticMethods(diagnosis: Diagnosis): Readonly<Record<string, Handler>> {
  return {
    get_tool_manifest({ name }, context) {
      if (typeof name !== 'string') throw invalidParams('name must be a string: a tool');
      const found = diagnosis.manifest(name, context);
      if (found === undefined) throw invalidParams(`Unknown tool: ${name}`);
      return found;
    },
    get_trace_by_id({ traceId }, context) {
      if (typeof traceId !== 'string') throw invalidParams('traceId must be a string');
      const found = diagnosis.trace(traceId, context);
      if (found === undefined) throw invalidParams(`Unknown trace: ${traceId}`);
      return found;
    },
  };
}

function manifestTool(diagnosis: Diagnosis): Tool {
  return defineTool({
    name: 'get_tool_manifest',
    description: 'Returns all that is known about a tool, or about all: schemas, traits, examples.',
    category: 'diagnostics',
    safety: 'readonly',
    annotations: { readOnlyHint: true, openWorldHint: false },
    examples: [{ input: { name: 'get_tool_manifest' } }, { input: {} }],
    errors: { E_NOT_FOUND: 'There is no such tool.' },
    input: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The name of a tool. Absent: all tools.' },
      },
      additionalProperties: false,
    },
    output: { type: 'object' },
    run({ name }, context) {
      if (name === undefined) return { tools: diagnosis.manifests(context) };
      const manifest = diagnosis.manifest(name, context);
      if (manifest === undefined) throw fail('E_NOT_FOUND', `No tool is named ${name}`);
      return { ...manifest };
    },
  });
}

function traceTool(diagnosis: Diagnosis): Tool {
  return defineTool({
    name: 'get_trace_by_id',
    description: 'Returns what is remembered of a recent call: duration, outcome, steps.',
    category: 'diagnostics',
    safety: 'readonly',
    annotations: { readOnlyHint: true, openWorldHint: false },
    examples: [{ input: { traceId: 'trc_0af7651916cd43dd8448eb211c80319c' } }, { input: {} }],
    errors: { E_NOT_FOUND: 'No such call is remembered.' },
    input: {
      type: 'object',
      properties: {
        traceId: {
          type: 'string',
          description: 'From the answer of the call, or the trace id of a traceparent.',
        },
        pick: {
          enum: ['last', 'slowest'],
          description: 'Without a traceId: which call. Default: last.',
        },
      },
      additionalProperties: false,
    },
    output: { type: 'object' },
    run({ traceId, pick = 'last' }, context) {
      const trace =
        traceId === undefined ? diagnosis.pick(pick, context) : diagnosis.trace(traceId, context);
      if (trace !== undefined) return { ...trace };
      const what = traceId === undefined ? 'No call' : `No call with trace ${traceId}`;
      throw fail('E_NOT_FOUND', `${what} is remembered`);
    },
  });
}
