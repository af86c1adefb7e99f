import { KitError } from '#base';
import { isRecord, type Connection, type Params, type RequestOptions } from '#jsonrpc';
import {
  cacheable,
  claimsModern,
  mayAskInput,
  metaKeys,
  readTask,
  type DetailedTask,
  type Era,
  type Meta,
} from '#protocol';
import type { Caller } from './caller.ts';
import type { ServerFacts } from './facts.ts';
import { waitWithin } from './limit.ts';
import { defaults, type CallOptions } from './options.ts';
import type { ResultCache } from './result-cache.ts';
import type { DiscoverResult } from './results.ts';
import type { Followed } from './tasks/follow.ts';

/** How a request differs from others like it. */
export interface AskOptions extends CallOptions {
  /** A call that goes on as a task is not waited for: its answer is the task. */
  readonly isDetached?: boolean | undefined;
}

/** A request, with what is left of its time. */
interface Asked {
  readonly method: string;
  readonly params: Params | undefined;
  readonly options: AskOptions;
}

type Headers = Readonly<Record<string, string>>;

/** What differs between the eras: how a server is spoken to. Found out when a conversation begins, and carried from then on. */
export interface Edge {
  readonly era: Era;
  /** The method by which to see whether the server is there. */
  readonly ping: string;
  /** The server keeps a session: it may forget it, is told a log level once, and tells of changes unasked. */
  readonly hasSessions: boolean;
  /** Over HTTP headers repeat arguments of tools. */
  readonly mirrors: boolean;
  /** Results say for how long they may be kept. */
  readonly keepsResults: boolean;
  /** What the server has said already of what it can do; nothing where it is asked each time. */
  discovered(facts: ServerFacts): DiscoverResult | undefined;
  /** A result that may still be used. */
  find(cache: ResultCache | undefined, method: string, params?: Params): object | undefined;
  ask(caller: Caller, connection: Connection, asked: Asked): Promise<unknown>;
  /** The parameters of a notification as they are sent. */
  told(caller: Caller, params: Params | undefined): Params | undefined;
  /** How a task is now. */
  task(caller: Caller, taskId: string, options: CallOptions): Promise<DetailedTask>;
  /** Waits for what a task gives. */
  follow(followed: Followed): Promise<unknown>;
}

/** Few calls become tasks: what that takes is loaded with the first. */
const following = () => import('./tasks/follow.ts');

const task: Edge['task'] = async (caller, taskId, options) => {
  const { getTask } = await following();
  return getTask(caller, taskId, options);
};

/** A session on the connection, or several one after the other. */
export const legacy: Edge = {
  era: 'legacy',
  ping: 'ping',
  hasSessions: true,
  mirrors: false,
  keepsResults: false,
  discovered: ({ version, capabilities, instructions, server }) => ({
    supportedVersions: [version],
    capabilities,
    instructions,
    _meta: server && { [metaKeys.serverInfo]: server },
  }),
  find: () => undefined,
  told: (_caller, params) => params,
  task,
  follow: async (followed) => (await following()).followLegacyTask(followed),
  ask(caller, connection, asked) {
    return asked.method === 'tools/call' && callsTasks(caller.facts)
      ? callAsWanted(caller, connection, asked)
      : askLegacy(caller, connection, asked);
  },
};

/** Whether a server of 2025-11-25 has calls of tools go on as tasks. */
function callsTasks({ capabilities: { tasks } }: ServerFacts): boolean {
  const requests = tasks?.['requests'];
  const tools = isRecord(requests) ? requests['tools'] : undefined;
  return isRecord(tools) && tools['call'] !== undefined;
}

/** A server of 2025-11-25 may have tools that can only be called as tasks; it says so in its list. */
async function callAsWanted(
  caller: Caller,
  connection: Connection,
  asked: Asked,
): Promise<unknown> {
  const { params, options } = asked;
  const support =
    params?.['task'] === undefined ? await caller.taskSupport(params, options) : undefined;
  const asTask = support === 'required' || (support === 'optional' && options.isDetached === true);
  if (!asTask) return askLegacy(caller, connection, asked);
  const result = await askLegacy(caller, connection, { ...asked, params: { ...params, task: {} } });
  const begun = readTask(isRecord(result) ? result['task'] : undefined);
  return begun === undefined ? result : attend(caller, begun, options);
}

/** Waits for a call that goes on as a task, or gives the task to whoever wants only that. */
async function attend(caller: Caller, begun: DetailedTask, options: AskOptions): Promise<unknown> {
  options.onTask?.(begun.taskId);
  if (options.isDetached) return { ...begun, resultType: 'task' };
  return caller.facts.edge.follow({ caller, task: begun, options, cancels: true });
}

function askLegacy(
  caller: Caller,
  connection: Connection,
  { method, params, options: given }: Asked,
): Promise<unknown> {
  const sent = withMeta(params, given.meta);
  const headers = caller.overHttp ? traceHeadersOf(sent) : undefined;
  const options = headers === undefined ? given : { ...given, headers };
  const { urlElicitations, conversation } = caller;
  const { inputs, timeoutMs: usualMs = defaults.timeoutMs } = caller.options;
  const elicitUrl = inputs?.elicitUrl;
  if (elicitUrl === undefined || urlElicitations === undefined) {
    return connection.request(method, sent, options);
  }
  const { ended } = conversation;
  const { timeoutMs = usualMs, maxTotalMs = conversation.maxTotalMs } = options;
  const limits = { ...options, timeoutMs, maxTotalMs };
  const request = { method, params: sent, options: limits, elicitUrl, ended };
  return urlElicitations.request(connection, request);
}

/** Every request stands by itself, and says who sends it. */
export const modern: Edge = {
  era: 'modern',
  ping: 'server/discover',
  hasSessions: false,
  mirrors: true,
  keepsResults: true,
  discovered: () => undefined,
  find: (cache, method, params) =>
    cacheable.has(method) && !claimsModern(params) ? cache?.find(method, params) : undefined,
  told: ({ envelope }, params) => (claimsModern(params) ? params : enveloped(params, envelope)),
  task,
  follow: async (followed) => (await following()).followTask(followed),
  async ask(caller, connection, { method, params, options: given }) {
    const { ended, maxTotalMs: usualMs } = caller.conversation;
    const options = { ...given, maxTotalMs: given.maxTotalMs ?? usualMs };
    const sent = withMeta(params, options.meta);
    const send = claimsModern(sent) ? passOn : askInRounds;
    const ask = (limits: Limits): Promise<Answer> => {
      const headers = caller.overHttp ? headersFor(caller, method, sent) : undefined;
      return send(caller, connection, { method, params: sent, options: limits, headers });
    };
    const { changes } = caller;
    const deadline = performance.now() + options.maxTotalMs;
    try {
      const { result, mayBeKept } = await ask(options);
      // What was told meanwhile may have been about this.
      const mayKeep = mayBeKept && cacheable.has(method) && changes === caller.changes;
      if (mayKeep) caller.cache?.keep(method, params, result);
      return result;
    } catch (error) {
      if (method !== 'tools/call' || !caller.mayRelearn(error)) throw error;
      const timeoutMs = deadline - performance.now();
      const limit = { subject: method, signal: options.signal, ended, timeoutMs };
      await waitWithin(limit, (signal) => caller.relearnTools(signal));
      return (await ask({ ...options, maxTotalMs: deadline - performance.now() })).result;
    }
  },
};

type Limits = AskOptions & { readonly maxTotalMs: number };

/** A request of the modern era, with what goes beside it. */
interface Sent extends Asked {
  readonly options: Limits;
  readonly headers: Headers | undefined;
}

interface Answer {
  readonly result: Readonly<Record<string, unknown>>;
  /** No one but the server had a part in it, and no one but this session asked. */
  readonly mayBeKept: boolean;
}

/** Asks what somebody else has written, who gets the answer as it is. */
async function passOn(caller: Caller, connection: Connection, sent: Sent): Promise<Answer> {
  const { method, params, headers, options } = sent;
  const result = await requestRecord(connection, { method, params }, { ...options, headers });
  if (method === 'tools/list' && Array.isArray(result['tools'])) caller.learn(result['tools']);
  return { result, mayBeKept: false };
}

const maxRounds = 10;

/** Sends a request, and answers what the server asks in return until it has a result. */
async function askInRounds(caller: Caller, connection: Connection, sent: Sent): Promise<Answer> {
  const { method, params, headers, options } = sent;
  const base = enveloped(params, caller.envelope);
  const deadline = performance.now() + options.maxTotalMs;
  let next: Params = base;
  let { maxTotalMs } = options;
  for (let rounds = 0; rounds <= maxRounds; rounds += 1) {
    const limits = Object.assign({}, options, { headers, maxTotalMs });
    const result = await requestRecord(connection, { method, params: next }, limits);
    const { resultType = 'complete' } = result;
    if (resultType === 'complete') return { result, mayBeKept: rounds === 0 };
    const begun = resultType === 'task' && method === 'tools/call' ? readTask(result) : undefined;
    if (begun !== undefined) {
      const left = { ...options, maxTotalMs: Math.max(1, deadline - performance.now()) };
      const given = await attend(caller, begun, left);
      return { result: isRecord(given) ? given : {}, mayBeKept: false };
    }
    if (resultType !== 'input_required' || !mayAskInput.has(method)) {
      const what = `${method}: a result of unknown type ${JSON.stringify(resultType)}`;
      throw new KitError('invalid_answer', what);
    }
    const { ended, inbound } = caller.conversation;
    const timeoutMs = deadline - performance.now();
    const limit = { subject: method, signal: options.signal, ended, timeoutMs };
    const responses = await waitWithin(limit, (signal) =>
      inbound.answering.respond(method, result, signal),
    );
    next = { ...base, ...responses };
    maxTotalMs = deadline - performance.now();
  }
  throw new KitError(
    'invalid_answer',
    `${method}: still more input wanted after ${maxRounds} rounds`,
  );
}

async function requestRecord(
  connection: Connection,
  { method, params }: Omit<Asked, 'options'>,
  options: RequestOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const result = await connection.request(method, params, options);
  if (isRecord(result)) return result;
  throw new KitError('invalid_answer', `${method}: the result is not an object`);
}

/** Parameters that say who sends them. */
function enveloped(params: Params | undefined, envelope: Meta): Params {
  const own = params?.['_meta'];
  const meta = isRecord(own) ? { ...own, ...envelope } : envelope;
  // Assigned, not spread: adding to what was spread first costs Node 20 a microsecond, and every call comes by here.
  return Object.assign({}, params, { _meta: meta });
}

/** Parameters with what a call sends along as `_meta`; what they have themselves goes before. */
function withMeta(params: Params | undefined, meta: Meta | undefined): Params | undefined {
  if (meta === undefined) return params;
  const own = params?.['_meta'];
  return { ...params, _meta: isRecord(own) ? { ...meta, ...own } : meta };
}

/** What a request says beside its message, for whoever passes it on. */
function headersFor(
  { tools }: Caller,
  method: string,
  params: Params | undefined,
): Headers | undefined {
  const mirrored =
    method === 'tools/call'
      ? tools?.headersFor(params?.['name'], params?.['arguments'])
      : undefined;
  const traced = traceHeadersOf(params);
  return traced === undefined ? mirrored : { ...mirrored, ...traced };
}

const traceNames = ['traceparent', 'tracestate'];
const headerValue = /^[\x20-\x7e]{1,512}$/;

/** The headers that say which trace a call is part of, for whoever does not read its `_meta`. */
function traceHeadersOf(params: Params | undefined): Headers | undefined {
  const meta = params?.['_meta'];
  if (!isRecord(meta) || meta['traceparent'] === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const name of traceNames) {
    const value = meta[name];
    if (typeof value === 'string' && headerValue.test(value)) headers[name] = value;
  }
  return headers;
}
