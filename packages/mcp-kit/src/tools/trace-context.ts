import { crypto } from '#base';

/** Which trace a call is part of, in the terms of W3C Trace Context. */
export interface TraceContext {
  /** 32 hexadecimal digits, shared by all calls of a trace. */
  readonly traceId: string;
  /** 16 hexadecimal digits, the call's own. */
  readonly spanId: string;
  /** The call this one was made from, where it said so. */
  readonly parentId: string | undefined;
  readonly flags: string;
  readonly state: string | undefined;
}

// Only versions to come may say more.
const pattern = /^(?!ff|00.{54})[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const maxStateLength = 512;

/** Joins the trace that `traceparent` names, or begins one where it names none. */
export function joinTrace(traceparent: unknown, tracestate: unknown): TraceContext {
  const spanId = randomDigits(16);
  const [, traceId = '', parentId = '', flags = ''] =
    typeof traceparent === 'string' ? (pattern.exec(traceparent) ?? []) : [];
  if (traceId === '' || !isNonZero(traceId) || !isNonZero(parentId)) {
    return {
      traceId: randomDigits(32),
      spanId,
      parentId: undefined,
      flags: '01',
      state: undefined,
    };
  }
  const kept = typeof tracestate === 'string' && tracestate.length <= maxStateLength;
  return { traceId, spanId, parentId, flags, state: kept ? tracestate : undefined };
}

/** What to send along so that whoever is called joins the trace. */
export function traceHeaders(trace: TraceContext): Readonly<Record<string, string>> {
  const traceparent = `00-${trace.traceId}-${trace.spanId}-${trace.flags}`;
  return trace.state === undefined ? { traceparent } : { traceparent, tracestate: trace.state };
}

/** The name of one call: that of its trace where the trace begins here, else with its own after it. */
export function callTraceId({ traceId, spanId, parentId }: TraceContext): string {
  return parentId === undefined ? `trc_${traceId}` : `trc_${traceId}_${spanId}`;
}

function isNonZero(hex: string): boolean {
  return /[1-9a-f]/.test(hex);
}

const drawnBytes = 4096;
let digits = '';
let taken = 0;

/** Random digits, drawn in bulk: asking for a few costs as much as for thousands. */
function randomDigits(count: number): string {
  if (taken + count > digits.length) {
    digits = crypto().randomBytes(drawnBytes).toString('hex');
    taken = 0;
  }
  taken += count;
  return digits.slice(taken - count, taken);
}
