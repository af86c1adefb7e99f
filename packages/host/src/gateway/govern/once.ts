import {
  callerOf,
  canonicalJson,
  crypto,
  describeError,
  invalidParams,
  isRecord,
  metaOf,
  RpcError,
  rpcErrors,
  unref,
  type Exchange,
  type Layer,
  type Logger,
  type MaybePromise,
  type Serve,
} from 'mcp-kit/internal';
import { createMemoryStore, type Values } from 'mcp-kit/store';
import { troubleOf } from '../layers.ts';

/** Where in `_meta` a caller names what is to be done once, however often it is asked. */
const keyName = 'mcp-kit/idempotencyKey';
/** Where a result says that it is an earlier one. */
const replayedName = 'mcp-kit/replayed';
const maxKeyLength = 256;
const keepMs = 24 * 60 * 60_000;
const maxAnswer = 256 * 1024;
/** How long a call that says nothing is taken to be alive. */
const leaseMs = 30_000;

/** What is known of a key: it is under way, this came of it, or nobody knows what did. */
interface KeyRecord {
  readonly phase: 'running' | 'done' | 'unknown';
  /** Digest of the arguments. */
  readonly args: string;
  /** While it is under way: until when that is sure. Whoever did it may be gone. */
  readonly untilMs?: number | undefined;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data: unknown };
}

/** Where keys are kept. */
export interface KeyStore {
  readonly kv: Values;
}

export function createKeyStore(): KeyStore {
  return createMemoryStore({ maxBytes: 32 * 1024 * 1024, maxEntries: 50_000 });
}

export interface OnceOptions {
  readonly server: string;
  readonly keys: KeyStore;
  readonly logger: Logger;
  /** Whether a tool may run twice without doing more than once what it does. */
  isHarmless(tool: string): boolean;
}

/** Does what is asked under one key once, and answers alike however often it is asked; for tools that do not say they are harmless. */
export function once(options: OnceOptions): Layer {
  return (next) => (exchange) => {
    const { id, method, params } = exchange.message;
    const key = method === 'tools/call' ? metaOf(params)?.[keyName] : undefined;
    if (id === undefined || key === undefined || options.isHarmless(String(params?.['name']))) {
      return next(exchange);
    }
    if (typeof key !== 'string' || key === '' || key.length > maxKeyLength) {
      throw invalidParams(`_meta["${keyName}"] must be a text of up to ${maxKeyLength} characters`);
    }
    return keyed(options, { exchange, next, key });
  };
}

interface Keyed {
  readonly exchange: Exchange;
  readonly next: Serve;
  readonly key: string;
}

async function keyed(options: OnceOptions, { exchange, next, key }: Keyed): Promise<unknown> {
  const { server, keys, logger } = options;
  const { kv } = keys;
  const { name, arguments: args = {} } = exchange.message.params ?? {};
  const at = digest([callerOf(exchange) ?? null, server, name, key]);
  const own = { args: digest(args) };
  const running = (): string =>
    JSON.stringify({ ...own, phase: 'running', untilMs: Date.now() + leaseMs });
  const report = (error: unknown): void =>
    logger.error('idempotency: the store failed', { server, error: describeError(error) });
  /** What this call wrote last: it writes over nothing else. */
  let held: string | undefined;
  const write = async (text: string | undefined): Promise<boolean> => {
    const isWritten = await kv.cas(at, held, text, { ttlMs: keepMs });
    if (isWritten) held = text;
    return isWritten;
  };
  const isNew = await write(running()).catch((error: unknown) => {
    report(error);
    throw conflict('what was done under which key cannot be kept now. Ask again later', true);
  });
  if (!isNew) return replayed(parse(await kv.get(at)), own.args);
  let writing: Promise<unknown> = Promise.resolve();
  // What was done is answered, whatever becomes of the record: one that cannot be written reads as unknown in the end, which is true.
  const put = async (text: string | undefined): Promise<void> => {
    writing = writing.then(() => write(text)).catch(report);
    await writing;
  };
  const forget = (): Promise<void> => put(undefined);
  const keep = (record: Omit<KeyRecord, 'args'>): Promise<void> => {
    const whole = JSON.stringify({ ...record, ...own });
    return put(whole.length <= maxAnswer ? whole : JSON.stringify({ ...notKept, ...own }));
  };
  try {
    const result = await whileRenewed(
      () => put(running()),
      () => next(exchange),
    );
    // It has not come to an end: the client comes again with answers, under the same key.
    if (isRecord(result) && result['resultType'] === 'input_required') await forget();
    else await keep({ phase: 'done', result });
    return result;
  } catch (error) {
    const trouble = troubleOf(error);
    if (trouble === undefined && error instanceof RpcError) {
      const { code, message, data } = error;
      await keep({ phase: 'done', error: { code, message, data } });
    } else if (trouble?.data['mayHaveRun'] === false) await forget();
    else await keep({ phase: 'unknown' });
    throw error;
  }
}

/** Says again and again that work is under way, until it is not. */
async function whileRenewed<T>(
  renew: () => Promise<void>,
  work: () => MaybePromise<T>,
): Promise<T> {
  const timer = unref(setInterval(() => void renew(), leaseMs / 3));
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

const notKept: Omit<KeyRecord, 'args'> = {
  phase: 'done',
  result: { content: [{ type: 'text', text: 'This was done before; its answer is not kept.' }] },
};

/** What an earlier call with the same key came to. */
function replayed(record: KeyRecord | undefined, args: string): unknown {
  if (record !== undefined && record.args !== args) {
    throw conflict('this key was used with other arguments. Use a new key for a new call', false);
  }
  const isUnderWay = record?.phase === 'running' && (record.untilMs ?? Infinity) > Date.now();
  if (record === undefined || isUnderWay) {
    throw conflict('a call with this key is under way. Ask again a moment later', true);
  }
  if (record.phase !== 'done') {
    const advice = 'Look at the present state; if it is still to be done, use a new key';
    throw conflict(`a call with this key broke off, and may have taken effect. ${advice}`, false);
  }
  const { error, result } = record;
  if (error !== undefined) throw new RpcError(error.code, error.message, error.data);
  if (!isRecord(result)) return result;
  return { ...result, _meta: { ...metaOf(result), [replayedName]: true } };
}

function conflict(message: string, retryable: boolean): RpcError {
  const data = { conflict: 'idempotencyKey', retryable, mayHaveRun: false };
  return new RpcError(rpcErrors.invalidRequest, `Nothing was done: ${message}.`, data);
}

function parse(text: string | undefined): KeyRecord | undefined {
  // Only this module writes there.
  return text === undefined ? undefined : (JSON.parse(text) as KeyRecord);
}

function digest(value: unknown): string {
  return crypto().hash('sha256', canonicalJson(value), 'base64url');
}
