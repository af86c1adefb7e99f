import {
  canonicalJson,
  emptyLists,
  mayAskInput,
  RpcError,
  rpcErrors,
  supports,
  type Params,
  type Service,
} from 'mcp-kit/internal';
import { elicit, elicitUrl, listRoots, sample, type InputRequest } from 'mcp-kit/protocol';
import { createServer, type Context, type Feature, type Handler } from 'mcp-kit/server';
import { differences, plainOutcome } from './compare.ts';
import type { Event, Question, RecordedCall, Recording } from './recording.ts';

/** A server that answers as was recorded, to clients of either era. */
export function mockOf({ greeting, calls }: Recording): Service {
  const { info = { name: 'mock', version: '0' }, capabilities = {}, instructions } = greeting ?? {};
  const methods = new Set([...standard, ...calls.map(({ method }) => method)]);
  const answer = answersOf(calls);
  const handlers = Array.from(methods, (method): [string, Handler] => [
    method,
    (params, context) => answer(method, params, context),
  ]);
  const feature: Feature = { capabilities, methods: Object.fromEntries(handlers) };
  return createServer({ ...info, instructions: instructions ?? '', features: [feature] });
}

/** What may be asked of any server: what was not recorded is said to be so. */
const standard = [...emptyLists.keys(), ...mayAskInput, 'completion/complete'];

type Answer = (method: string, params: Params, context: Context) => Promise<unknown>;

/** Answers in the order of the recording; the last answer to the same question is given again. */
function answersOf(calls: readonly RecordedCall[]): Answer {
  const inConversations = new WeakMap<object, Map<string, number>>();
  const elsewhere = new Map<string, number>();
  const next = (key: string, conversation: object | undefined): number => {
    const counts =
      conversation === undefined
        ? elsewhere
        : (inConversations.get(conversation) ?? new Map<string, number>());
    if (conversation !== undefined) inConversations.set(conversation, counts);
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return count;
  };
  return async (method, params, context) => {
    const { _meta, inputResponses: _answers, requestState: _state, ...asked } = params;
    const recorded = matching(calls, method, asked);
    const key = `${method} ${canonicalJson(asked)}`;
    // In the modern era a call that asks is made once more with the answers: that is no other call.
    const at = await context.once('recorded', () => next(key, context.conversation));
    const call = recorded[Math.min(at, recorded.length - 1)];
    if (call === undefined) throw unknown(calls, method, asked);
    for (const [index, event] of call.events.entries()) await play(event, index, context);
    const outcome = plainOutcome(call.outcome);
    if ('result' in outcome) return outcome.result;
    const { code, message, data } = outcome.error;
    throw new RpcError(code, message, data);
  };
}

/** What was masked in a recording stands for anything. */
function matching(
  calls: readonly RecordedCall[],
  method: string,
  asked: Params,
): readonly RecordedCall[] {
  const comparing = { ignore: [], exact: true };
  return calls.filter(
    (call) => call.method === method && differences(call.params, asked, comparing).length === 0,
  );
}

async function play(event: Event, index: number, context: Context): Promise<void> {
  if (event.kind === 'question') {
    const request = requestOf(event);
    // Whoever cannot be asked gets the answer all the same.
    if (!supports(context.client.capabilities, request.needs)) return;
    await context.ask({ [`question${index}`]: request });
    return;
  }
  const { method, params } = event;
  // As a server has said it: what it left out is left out again.
  const said = params as unknown as Said;
  const { progress, total, message, level, data, logger } = said;
  await context.once(`notice${index}`, async () => {
    if (method === 'notifications/progress') await context.progress(progress, total, message);
    if (method === 'notifications/message') await context.log(level, data, logger);
    return true;
  });
}

interface Said {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
  readonly level: Parameters<Context['log']>[0];
  readonly data: unknown;
  readonly logger?: string;
}

function requestOf({ method, params }: Question): InputRequest {
  if (method === 'roots/list') return listRoots();
  if (method === 'sampling/createMessage') return sample(params as Parameters<typeof sample>[0]);
  return params['mode'] === 'url'
    ? elicitUrl(params as Parameters<typeof elicitUrl>[0])
    : elicit(params as Parameters<typeof elicit>[0]);
}

const maxShown = 5;

function unknown(calls: readonly RecordedCall[], method: string, asked: Params): RpcError {
  const name = asked['name'] ?? asked['uri'];
  const what = typeof name === 'string' ? `${method} ${name}` : method;
  const same = calls.filter((call) => call.method === method);
  const near = same.filter(({ params }) => (params['name'] ?? params['uri']) === name);
  const recorded = (near.length > 0 ? near : same).slice(0, maxShown).map(({ params }) => params);
  const how =
    same.length === 0
      ? `It has no ${method} at all.`
      : `It has: ${recorded.map((params) => JSON.stringify(params).slice(0, 200)).join(' ')}`;
  const said = `the recording has no answer to ${what} with these parameters. ${how}`;
  return new RpcError(rpcErrors.invalidParams, said, { method, params: asked, recorded });
}
