import { Buffer } from 'node:buffer';
import { invalidParams } from '#protocol';
import type { Context, Handler } from '#server';
import { tool, type Tool } from './tool.ts';
import type { Entry } from './entry.ts';
import { fail } from './failure.ts';
import type { Manifest } from './manifest/manifest.ts';
import { manifestLine, manifestText } from './manifest/manifest-text.ts';
import { pickTrace, type Trace, type Traces } from './trace/traces.ts';
import { renderTrace } from './trace/waterfall.ts';

/** What a set knows of its tools and their calls. */
interface Known {
  readonly registry: ReadonlyMap<string, Entry>;
  readonly traces: Traces;
  readonly manifest: (entry: Entry) => Manifest;
  /** Whether a tool is there for whoever asks. */
  readonly sees: (entry: Entry, context: Context) => boolean;
}

/** Tools that tell callers about the tools they see and the calls they made, and the same as plain methods. */
export function diagnostics(known: Known): {
  readonly tools: readonly Tool[];
  readonly methods: Readonly<Record<string, Handler>>;
} {
  const { registry, traces, manifest, sees } = known;
  const manifests = (context: Context): readonly Manifest[] =>
    [...registry.values()].filter((entry) => sees(entry, context)).map(manifest);
  const manifestFor: ManifestFor = (name, context) => {
    const entry = registry.get(name);
    return entry !== undefined && sees(entry, context) ? manifest(entry) : undefined;
  };
  return {
    tools: [manifestTool(manifestFor, manifests), traceTool(traces)],
    methods: {
      get_tool_manifest({ name }, context) {
        if (typeof name !== 'string') throw invalidParams('name must be a string: a tool');
        const found = manifestFor(name, context);
        if (found === undefined) throw invalidParams(`Unknown tool: ${name}`);
        return found;
      },
      get_trace_by_id({ traceId }, { principal }) {
        if (typeof traceId !== 'string') throw invalidParams('traceId must be a string');
        const found = traces.find(traceId, principal);
        if (found === undefined) throw invalidParams(`Unknown trace: ${traceId}`);
        return found;
      },
    },
  };
}

type ManifestFor = (name: string, context: Context) => Manifest | undefined;

/** A page as it is sent has so many bytes, or one tool. */
const pageBytes = 20_000;

/** What is around the tools of a page. */
const aroundBytes = 600;

function manifestTool(
  manifestFor: ManifestFor,
  manifests: (context: Context) => readonly Manifest[],
): Tool {
  return tool({
    name: 'get_tool_manifest',
    description:
      'Returns all that is known about a tool: schemas, traits, examples, errors. Without a name, what the tools are, in short.',
    category: 'diagnostics',
    safety: 'readonly',
    annotations: { readOnlyHint: true, openWorldHint: false },
    examples: [
      { input: { name: 'get_tool_manifest' } },
      { title: 'All tools, in short', input: {} },
      { input: { name: 'get_no_such_tool' }, fails: 'E_NOT_FOUND' },
    ],
    errors: { E_NOT_FOUND: 'There is no such tool.' },
    input: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The name of a tool. Absent: all tools.' },
        full: { type: 'boolean', description: 'Without a name: all of each. Default false.' },
        offset: {
          type: 'integer',
          minimum: 0,
          description: 'How many to leave out: nextOffset of the answer before.',
        },
      },
      additionalProperties: false,
    },
    output: { type: 'object' },
    // What `run` returns.
    show: (told) => showManifests(told as unknown as Manifest | ManifestPage),
    run({ name, full = false, offset = 0 }, context) {
      if (name === undefined) {
        const all = manifests(context);
        return { ...pageOf(full ? all : all.map(briefly), offset) };
      }
      const manifest = manifestFor(name, context);
      if (manifest === undefined) throw fail('E_NOT_FOUND', `No tool is named ${name}`);
      return { ...manifest };
    },
  });
}

/** What to choose a tool by. */
interface Brief extends Pick<Manifest, 'name' | 'layer' | 'safety' | 'description'> {
  readonly errors?: readonly unknown[] | undefined;
}

interface ManifestPage {
  readonly tools: readonly Brief[];
  readonly total: number;
  readonly nextOffset?: number;
}

function briefly(manifest: Manifest): Brief {
  const { inputSchema: _input, outputSchema: _output, examples: _examples, ...brief } = manifest;
  return { ...brief, errors: manifest.errors?.map(({ code }) => code) };
}

function pageOf(all: readonly Brief[], offset: number): ManifestPage {
  let end = offset;
  for (let left = pageBytes - aroundBytes; end < all.length; end += 1) {
    left -= sentBytes(all[end]);
    if (left < 0 && end > offset) break;
  }
  const rest = end < all.length ? { nextOffset: end } : {};
  return { tools: all.slice(offset, end), total: all.length, ...rest };
}

/** How many bytes a tool is on a page: as data, and as a line of what is read. */
function sentBytes(manifest: Brief | undefined): number {
  if (manifest === undefined) return 0;
  const line = JSON.stringify(manifestLine(manifest));
  return Buffer.byteLength(JSON.stringify(manifest)) + Buffer.byteLength(line);
}

function showManifests(told: Manifest | ManifestPage): string {
  if ('name' in told) return manifestText(told);
  const { tools, total, nextOffset } = told;
  const more = nextOffset === undefined ? '' : `; go on with offset: ${nextOffset}`;
  return [`${tools.length} of ${total} tools${more}`, ...tools.map(manifestLine)].join('\n');
}

function traceTool(traces: Traces): Tool {
  return tool({
    name: 'get_trace_by_id',
    description: 'Returns what is remembered of a recent call: duration, outcome, steps.',
    category: 'diagnostics',
    safety: 'readonly',
    annotations: { readOnlyHint: true, openWorldHint: false },
    examples: [
      { title: 'After a call', input: {} },
      { title: 'After a call, the slowest', input: { pick: 'slowest' } },
      { input: { traceId: 'trc_0af7651916cd43dd8448eb211c80319c' }, fails: 'E_NOT_FOUND' },
    ],
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
    // What `run` returns.
    show: (told) => renderTrace(told as unknown as Trace),
    run({ traceId, pick = 'last' }, { principal }) {
      const trace =
        traceId === undefined
          ? pickTrace(traces.list(principal), pick)
          : traces.find(traceId, principal);
      if (trace !== undefined) return { ...trace };
      const what = traceId === undefined ? 'No call' : `No call with trace ${traceId}`;
      throw fail('E_NOT_FOUND', `${what} is remembered`);
    },
  });
}
