import type { Stats, WriteStream } from 'node:fs';
import { withoutUndefined } from '#base';
import { isRecord } from '#jsonrpc';
import type { Span, Trace } from './traces.ts';

/** Takes every trace; must not wait and must not throw. */
export type TraceSink = (trace: Trace) => void;

/** A sink that owns something, which `close` lets go of once everything is written. */
export interface TraceFile {
  readonly sink: TraceSink;
  /** How many traces were left out because the disk could not keep up, or failed. */
  readonly dropped: number;
  close(): Promise<void>;
}

const maxWaitingBytes = 1024 * 1024;
const lookEveryMs = 1000;

/** Appends each trace as a line of JSON to a file, which only its owner may read; begins it anew within a second of being moved away. */
export function traceFile(path: string): TraceFile {
  const fs = process.getBuiltinModule('node:fs');
  let out: WriteStream | undefined;
  /** What tells the open file from one that was put in its place. */
  let identity: string | undefined;
  let checkedMs = 0;
  let failedMs = -Infinity;
  let isClosed = false;
  let dropped = 0;
  const closing = new Set<Promise<void>>();
  const letGo = (stream: WriteStream): void => {
    if (out === stream) out = undefined;
    if (stream.destroyed) return;
    const closed = new Promise<void>((resolve) => stream.once('close', resolve).end());
    closing.add(closed);
    void closed.then(() => closing.delete(closed));
  };
  const open = (): WriteStream => {
    const stream = fs.createWriteStream(path, { flags: 'a', mode: 0o600 });
    checkedMs = performance.now();
    identity = undefined;
    stream.on('error', () => {
      failedMs = performance.now();
      letGo(stream);
    });
    stream.once('open', (fd) => {
      fs.fstat(fd, (_error, stats) => {
        if (out === stream) identity = identityOf(stats);
      });
    });
    return stream;
  };
  /** Whoever rotates files has moved this one away, or deleted it: the next trace begins another. */
  const check = (stream: WriteStream): void => {
    checkedMs = performance.now();
    fs.stat(path, (_error, stats) => {
      if (out === stream && identity !== undefined && identityOf(stats) !== identity) letGo(stream);
    });
  };
  const count = (error: unknown): void => {
    if (error instanceof Error) dropped += 1;
  };
  return {
    sink(trace) {
      const nowMs = performance.now();
      if (out === undefined && !isClosed && nowMs - failedMs >= lookEveryMs) out = open();
      if (out === undefined || out.writableLength > maxWaitingBytes) {
        dropped += 1;
        return;
      }
      if (nowMs - checkedMs >= lookEveryMs) check(out);
      out.write(`${JSON.stringify(trace)}\n`, count);
    },
    get dropped() {
      return dropped;
    },
    async close() {
      isClosed = true;
      if (out !== undefined) letGo(out);
      await Promise.all(closing);
    },
  };
}

function identityOf(stats: Stats | undefined): string {
  return stats === undefined ? '' : `${stats.dev} ${stats.ino}`;
}

/** The traces in the text of a trace file; lines that are none, such as a last one cut short, are left out. */
export function parseTraces(text: string): readonly Trace[] {
  return text.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isTrace(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}

function isTrace(value: unknown): value is Trace {
  if (!isRecord(value) || !isRecord(value['argsSummary'])) return false;
  const { spans = [], durationMs } = value;
  const isText = (name: string): boolean => typeof value[name] === 'string';
  return (
    ['traceId', 'tool', 'timestamp'].every(isText) &&
    isAmount(durationMs) &&
    Array.isArray(spans) &&
    spans.every(isSpan)
  );
}

function isSpan(value: unknown): value is Span {
  if (!isRecord(value) || typeof value['name'] !== 'string') return false;
  const { parent, startMs, durationMs, error = '' } = value;
  return (
    Number.isInteger(parent) &&
    isAmount(startMs) &&
    (durationMs === null || isAmount(durationMs)) &&
    typeof error === 'string'
  );
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value);
}

/** What is needed of the package `@opentelemetry/api`. */
export interface OpenTelemetryApi {
  readonly trace: {
    getTracer(name: string): OpenTelemetryTracer;
    setSpanContext(context: unknown, spanContext: object): unknown;
    setSpan(context: unknown, span: OpenTelemetrySpan): unknown;
  };
  readonly ROOT_CONTEXT: unknown;
}

interface OpenTelemetryTracer {
  startSpan(name: string, options: object, context: unknown): OpenTelemetrySpan;
}

interface OpenTelemetrySpan {
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  end(timeMs: number): void;
}

/** The API package of OpenTelemetry, where it is installed beside this library or the program. */
export function findOpenTelemetry(
  from: string | URL = import.meta.url,
): OpenTelemetryApi | undefined {
  try {
    const { createRequire } = process.getBuiltinModule('node:module');
    const found: unknown = createRequire(from)('@opentelemetry/api');
    // The package is what its name says.
    return isRecord(found) && 'ROOT_CONTEXT' in found
      ? (found as unknown as OpenTelemetryApi)
      : undefined;
  } catch {
    return undefined;
  }
}

const kindServer = 1;
const statusError = 2;

/** Reports each call and its parts as spans of OpenTelemetry; pass the API package. */
export function openTelemetrySink(api: OpenTelemetryApi): TraceSink {
  const tracer = api.trace.getTracer('mcp-kit');
  return (trace) => {
    const beginMs = Date.parse(trace.timestamp);
    const attributes = withoutUndefined({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': trace.tool,
      'mcp.trace_id': trace.traceId,
      'error.type': trace.errorCode ?? undefined,
    });
    const options = { kind: kindServer, startTime: beginMs, attributes };
    const root = tracer.startSpan(`tools/call ${trace.tool}`, options, parentOf(trace, api));
    const within = api.trace.setSpan(api.ROOT_CONTEXT, root);
    const contexts: unknown[] = [];
    for (const span of trace.spans ?? []) {
      const parent = contexts[span.parent] ?? within;
      contexts.push(report(span, { tracer, parent, beginMs, api }));
    }
    if (!trace.success) root.setStatus({ code: statusError, message: trace.errorCode ?? '' });
    root.end(beginMs + trace.durationMs);
  };
}

function report(
  { name, startMs, durationMs, error }: Span,
  place: {
    readonly tracer: OpenTelemetryTracer;
    readonly parent: unknown;
    readonly beginMs: number;
    readonly api: OpenTelemetryApi;
  },
): unknown {
  const startTime = place.beginMs + startMs;
  const span = place.tracer.startSpan(name, { startTime }, place.parent);
  if (error !== undefined) span.setStatus({ code: statusError, message: error });
  span.end(startTime + (durationMs ?? 0));
  return place.api.trace.setSpan(place.parent, span);
}

function parentOf({ traceId, parentSpanId }: Trace, api: OpenTelemetryApi): unknown {
  const [, w3cTraceId] = /^trc_([0-9a-f]{32})/.exec(traceId) ?? [];
  if (w3cTraceId === undefined || parentSpanId === undefined) return api.ROOT_CONTEXT;
  const spanContext = { traceId: w3cTraceId, spanId: parentSpanId, traceFlags: 1, isRemote: true };
  return api.trace.setSpanContext(api.ROOT_CONTEXT, spanContext);
}
