import { crypto } from '#base';
import type { Exchange, TraceContext } from '#jsonrpc';
import { metaOf } from './envelope.ts';

/** The trace that a request says it is part of, in its `_meta` or beside it, or one that begins with it; always the same one. */
export function traceOf(exchange: Exchange): TraceContext {
  exchange.trace ??= joinTrace(exchange);
  return exchange.trace;
}

/** The one name of a request, wherever it is told: that of its trace where the trace begins here, else with its own after it. */
export function traceIdOf(exchange: Exchange): string {
  const { traceId, spanId, parentId } = traceOf(exchange);
  return parentId === undefined ? `trc_${traceId}` : `trc_${traceId}_${spanId}`;
}

/** What to send along so that whoever is called joins the trace. */
export function traceHeaders(trace: TraceContext): Readonly<Record<string, string>> {
  const traceparent = `00-${trace.traceId}-${trace.spanId}-${trace.flags}`;
  return trace.state === undefined ? { traceparent } : { traceparent, tracestate: trace.state };
}

// Only versions to come may say more.
const pattern = /^(?!ff|00.{54})[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const maxStateLength = 512;

function joinTrace(exchange: Exchange): TraceContext {
  const traceparent = saidBy(exchange, 'traceparent');
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
  const tracestate = saidBy(exchange, 'tracestate');
  const kept = typeof tracestate === 'string' && tracestate.length <= maxStateLength;
  return { traceId, spanId, parentId, flags, state: kept ? tracestate : undefined };
}

/** What a request says in its `_meta`, or beside it. */
function saidBy({ message, headers }: Exchange, name: string): unknown {
  return metaOf(message.params)?.[name] ?? headers?.[name];
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
