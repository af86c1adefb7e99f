import { crypto } from '#base';
import { isRecord } from '#jsonrpc';

/** What is remembered of one call. */
export interface Trace {
  readonly traceId: string;
  readonly tool: string;
  readonly timestamp: string;
  readonly durationMs: number;
  readonly success: boolean;
  readonly errorCode: string | null;
  readonly argsSummary: Readonly<Record<string, unknown>>;
}

const shownCharacters = 120;

export function newTraceId(): string {
  return `trc_${crypto().randomUUID()}`;
}

/** The latest calls, found by trace id; the oldest make room. */
export function createTraces(limit = 300): {
  add(trace: Trace): void;
  find(traceId: string): Trace | undefined;
} {
  const traces = new Map<string, Trace>();
  return {
    add(trace) {
      traces.set(trace.traceId, trace);
      if (traces.size <= limit) return;
      const [oldest] = traces.keys();
      if (oldest !== undefined) traces.delete(oldest);
    },
    find: (traceId) => traces.get(traceId),
  };
}

/** Arguments in short: enough to recognise a call, too little to copy it. */
export function summarise(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, brief(value)]));
}

function brief(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length <= shownCharacters ? value : `${value.slice(0, shownCharacters)}…`;
  }
  if (Array.isArray(value)) return `array(${value.length})`;
  if (isRecord(value)) return `object(${Object.keys(value).length})`;
  return value;
}
