import { chain, describeError, type Logger, type MaybePromise } from '#base';
import { Encoded, isRecord, RpcError, type Exchange } from '#jsonrpc';
import { callerOf, traceIdOf, traceOf, type CallToolResult } from '#protocol';
import { Context } from '#server';
import { heeded, wrap, type EnvelopeMeta } from '../contract/envelope.ts';
import type { Outcome } from '../contract/contract.ts';
import type { Entry } from '../entry.ts';
import { fail } from '../failure.ts';
import { summarise, type Trace, type Traces } from '../trace/traces.ts';
import type { CallScope } from './call-scope.ts';
import type { Prepared } from './prepared.ts';
import { staged } from './staged.ts';

/** What the end of every call of a set needs. */
export interface Governed {
  readonly version: string;
  /** The same as JSON. */
  readonly versionJson: string;
  readonly logger: Logger;
  readonly traces: Traces;
  readonly preparedOf: (entry: Entry) => Prepared;
}

/** The answer to a call that has come to its end; it leaves a trace. */
export function concludeCall(
  call: CallScope,
  ended: Outcome,
  governed: Governed,
): MaybePromise<CallToolResult | Encoded> {
  const { envelope } = governed.preparedOf(call.entry);
  const { plan } = call.entry.tool;
  const outcome = staged(plan === undefined ? heeded(ended, call.entry) : ended, call);
  if (envelope === undefined) return answer(call, outcome, governed);
  const result = wrap(outcome, call.entry, aboutOf(call, outcome, governed));
  return chain(envelope.check(result.structuredContent), (fits) => {
    if (fits.ok) return answer(call, outcome, governed);
    const [issue] = fits.issues;
    return answer(call, broken(call, `broke its contract: ${issue?.message}`, governed), governed);
  });
}

function answer(call: CallScope, outcome: Outcome, governed: Governed): CallToolResult | Encoded {
  try {
    return write(call, outcome, governed);
  } catch (error) {
    const what = `returned what is not JSON: ${describeError(error)}`;
    return write(call, broken(call, what, governed), governed);
  }
}

/** The failure that a bug of the tool is to its caller. */
function broken({ entry, traceId }: CallScope, what: string, { logger }: Governed): Outcome {
  logger.error(`tool ${entry.tool.name} ${what}`, { traceId });
  return { ok: false, failure: fail('E_INTERNAL', `Internal error, trace ${traceId}`).failure };
}

function write(call: CallScope, outcome: Outcome, governed: Governed): CallToolResult | Encoded {
  const { entry, trace } = call;
  const code = outcome.ok ? null : outcome.failure.code;
  call.end(code ?? undefined);
  const about = aboutOf(call, outcome, governed);
  const joins = trace.parentId !== undefined;
  const isWhole = outcome.ok && outcome.shown === outcome.value;
  const plain = outcome.ok && !joins && !isWhole && outcome.shown.content.length > 0;
  const result = plain
    ? encodeSuccess(outcome, about, governed.versionJson)
    : wrap(outcome, entry, about);
  remember(call, { code, about }, governed);
  if (!joins || result instanceof Encoded) return result;
  // Whoever sent a trace along is told where in it this call is.
  return { ...result, _meta: { ...result._meta, ...call.traceHeaders } };
}

/** What the envelope of a call says of it. */
function aboutOf(call: CallScope, { replayed }: Outcome, { version }: Governed): EnvelopeMeta {
  const { traceId, timestamp, durationMs } = call;
  return { traceId, tool: call.entry.tool.name, version, durationMs, timestamp, replayed };
}

/** Lets pass what is no answer of the tool: a question to the client, or a refusal of the protocol. */
export function passOn(call: CallScope, error: unknown, governed: Governed): never {
  const refused = error instanceof RpcError;
  const code = refused ? refusalCode(error) : 'INPUT_REQUIRED';
  call.end(code);
  const about = aboutOf(call, { ok: true, value: null, shown: { content: [] } }, governed);
  remember(call, { code, about }, governed);
  throw refused ? withTraceId(error, call.traceId) : error;
}

interface Ended {
  readonly code: string | null;
  readonly about: EnvelopeMeta;
}

function remember(call: CallScope, { code, about }: Ended, governed: Governed): void {
  const { entry, context, trace, control, spans } = call;
  const { traceId, tool, timestamp, durationMs, replayed } = about;
  const remembered: Trace = {
    traceId,
    tool,
    timestamp,
    durationMs,
    success: code === null,
    errorCode: code,
    argsSummary: summarise(call.received, governed.preparedOf(entry).isSecret),
    spanId: trace.spanId,
    spans,
    parentSpanId: trace.parentId,
    clientTag: control.clientTag,
    dryRun: control.dryRun ? true : undefined,
    replayed,
  };
  keep(remembered, Context.exchangeOf(context), governed);
}

function keep(trace: Trace, exchange: Exchange, { traces, logger }: Governed): void {
  logger.info('tools/call', trace);
  try {
    traces.add(trace, callerOf(exchange), exchange.principal ?? '');
  } catch (error) {
    // Watching a call must not change how it ends.
    logger.error('a trace could not be kept', { error: describeError(error) });
  }
}

/** A call that reached no tool leaves a trace as well, and its refusal names it. One that did leaves its own when it ends. */
export function refuseCall(error: RpcError, exchange: Exchange, governed: Governed): RpcError {
  const hasBegun = exchange.trace !== undefined;
  const traceId = traceIdOf(exchange);
  if (hasBegun) return withTraceId(error, traceId);
  const { spanId, parentId } = traceOf(exchange);
  const name = exchange.message.params?.['name'];
  const refused: Trace = {
    traceId,
    tool: typeof name === 'string' ? name.slice(0, 128) : '',
    timestamp: new Date().toISOString(),
    durationMs: 0,
    success: false,
    errorCode: refusalCode(error),
    argsSummary: {},
    spanId,
    spans: [],
    parentSpanId: parentId,
  };
  keep(refused, exchange, governed);
  return withTraceId(error, traceId);
}

function refusalCode({ code }: RpcError): string {
  return `RPC${code}`;
}

function withTraceId({ code, message, data, http }: RpcError, traceId: string): RpcError {
  const named = new RpcError(code, message, isRecord(data) ? { ...data, traceId } : { traceId });
  named.http = http;
  return named;
}

/**
 * The result of a call whose value is not a whole result, as JSON: most of an envelope is known to need no escaping, and a value that
 * is shown as its own JSON is written once.
 */
function encodeSuccess(
  { value = null, shown }: Outcome & { readonly ok: true },
  meta: EnvelopeMeta,
  version: string,
): Encoded {
  const [block] = shown.content;
  const text = shown.content.length === 1 && block?.type === 'text' ? block.text : undefined;
  const textJson = text === undefined ? '' : JSON.stringify(text);
  const data = value === text ? textJson : (JSON.stringify(value) ?? 'null');
  const content =
    text === undefined ? JSON.stringify(shown.content) : `[{"type":"text","text":${textJson}}]`;
  const { traceId, tool, durationMs, timestamp } = meta;
  const replayed = meta.replayed === true ? ',"replayed":true' : '';
  return new Encoded(
    `{"content":${content},"structuredContent":{"success":true,"data":${data},"error":null,` +
      `"meta":{"traceId":"${traceId}","tool":"${tool}","version":${version},` +
      `"durationMs":${durationMs},"timestamp":"${timestamp}"${replayed}}}}`,
  );
}
