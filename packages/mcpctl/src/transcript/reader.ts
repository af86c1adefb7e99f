import { isRecord, type Params } from 'mcp-kit/internal';
import { metaKeys, type ClientCapabilities, type Era } from 'mcp-kit/protocol';
import type { Event, Outcome, Question, RecordedCall, Recording } from './recording.ts';

export type Fields = Readonly<Record<string, unknown>>;
type Greeting = NonNullable<Recording['greeting']>;

interface OpenCall {
  readonly isModern: boolean;
  readonly method: string;
  readonly params: Params;
  readonly token: unknown;
  readonly events: Event[];
}

/** What belongs to a conversation and not to what is asked in it. */
const ofConversations: ReadonlySet<string> = new Set([
  'initialize',
  'logging/setLevel',
  'ping',
  'resources/subscribe',
  'resources/unsubscribe',
  'server/discover',
  'subscriptions/listen',
]);

/** Puts the messages of one server together to calls. */
export class Reader {
  readonly #calls: RecordedCall[] = [];
  /** By conversation and id. */
  readonly #open = new Map<string, OpenCall>();
  readonly #questions = new Map<string, Question>();
  /** Calls that are to be made again with answers: the modern era asks like that. */
  #parked: OpenCall[] = [];
  #greeting: Greeting | undefined;
  #era: Era = 'legacy';
  #client: ClientCapabilities = {};

  /** Takes a line of a recording. */
  take({ direction, message, conversation }: Fields): void {
    const within = `${JSON.stringify(conversation)} `;
    for (const one of Array.isArray(message) ? message : [message]) {
      if (!isRecord(one)) continue;
      const key = `${within}${JSON.stringify(one['id'])}`;
      if (direction === 'sent') this.#sent(one, key);
      else if (direction === 'received') this.#received(one, { key, within });
    }
  }

  end(): Omit<Recording, 'server'> {
    const open = [...this.#open.values()].filter(({ method }) => !ofConversations.has(method));
    return {
      era: this.#era,
      client: this.#client,
      greeting: this.#greeting,
      calls: this.#calls,
      unanswered: open.length,
    };
  }

  #sent(message: Fields, key: string): void {
    const { id, method } = message;
    if (typeof method !== 'string') {
      const question = this.#questions.get(key);
      this.#questions.delete(key);
      if (question !== undefined) question.answer = outcomeOf(message);
      return;
    }
    if (id === undefined) return;
    const params = isRecord(message['params']) ? message['params'] : {};
    const { _meta: meta, inputResponses, requestState: _state, ...rest } = params;
    const isModern = isRecord(meta) && metaKeys.protocolVersion in meta;
    const { capabilities = Object(meta)[metaKeys.clientCapabilities] } = rest;
    if (isRecord(capabilities)) this.#client = { ...this.#client, ...capabilities };
    const token: unknown = Object(meta)['progressToken'];
    const call = { isModern, method, params: rest, token, events: [] };
    const parked = this.#parked.find((one) => isSame(one, call));
    if (!isRecord(inputResponses) || parked === undefined) {
      this.#open.set(key, call);
      return;
    }
    this.#parked = this.#parked.filter((one) => one !== parked);
    answerAll(parked, inputResponses);
    this.#open.set(key, { ...parked, token });
  }

  #received(message: Fields, { key, within }: { readonly key: string; within: string }): void {
    const { method, id } = message;
    if (typeof method !== 'string') return this.#answered(message, key);
    const params = isRecord(message['params']) ? message['params'] : {};
    const newest = [...this.#open].filter(([name]) => name.startsWith(within)).at(-1)?.[1];
    if (id !== undefined) {
      const question: Question = { kind: 'question', method, params: withoutMeta(params) };
      this.#questions.set(key, question);
      newest?.events.push(question);
      return;
    }
    const { progressToken, ...rest } = params;
    const isIts = ({ token }: OpenCall): boolean => token !== undefined && token === progressToken;
    const call = [...this.#open.values()].find(isIts) ?? newest;
    call?.events.push({ kind: 'notice', method, params: rest });
  }

  #answered(message: Fields, key: string): void {
    const call = this.#open.get(key);
    const outcome = outcomeOf(message);
    this.#open.delete(key);
    if (call === undefined || outcome === undefined) return;
    const asked = inputRequestsOf(outcome);
    if (asked !== undefined) {
      for (const [name, { method, params }] of Object.entries(asked)) {
        call.events.push(named({ kind: 'question', method, params }, name));
      }
      this.#parked.push(call);
      return;
    }
    const { method, params, events } = call;
    if (method === 'initialize' || method === 'server/discover') {
      this.#greeting ??= greetingOf(outcome);
    }
    // What was answered says which era the server speaks: the other one may have been tried before.
    if ('result' in outcome) this.#era = call.isModern ? 'modern' : 'legacy';
    if (!ofConversations.has(method)) this.#calls.push({ method, params, events, outcome });
  }
}

/** The names under which a modern server wants its answers. */
const names = new WeakMap<Question, string>();

function named(question: Question, name: string): Question {
  names.set(question, name);
  return question;
}

function answerAll({ events }: OpenCall, responses: Fields): void {
  for (const event of events) {
    if (event.kind !== 'question' || event.answer !== undefined) continue;
    const name = names.get(event);
    if (name !== undefined && name in responses) event.answer = { result: responses[name] };
  }
}

function isSame(one: OpenCall, other: OpenCall): boolean {
  return one.method === other.method && JSON.stringify(one.params) === JSON.stringify(other.params);
}

function inputRequestsOf(
  outcome: Outcome,
): Readonly<Record<string, { readonly method: string; readonly params: Params }>> | undefined {
  const result = 'result' in outcome ? outcome.result : undefined;
  if (!isRecord(result) || result['resultType'] !== 'input_required') return undefined;
  const requests = isRecord(result['inputRequests']) ? result['inputRequests'] : {};
  return Object.fromEntries(
    Object.entries(requests).map(([name, request]) => {
      const { method, params = {} } = Object(request) as { method: string; params?: Params };
      return [name, { method, params: withoutMeta(params) }];
    }),
  );
}

function outcomeOf({ result, error }: Fields): Outcome | undefined {
  if (isRecord(error)) {
    const { code, message, data } = error;
    return { error: { code: Number(code), message: String(message), data } };
  }
  return result === undefined ? undefined : { result };
}

function withoutMeta({ _meta, ...rest }: Params): Params {
  return rest;
}

function greetingOf(outcome: Outcome): Greeting | undefined {
  const result = 'result' in outcome ? outcome.result : undefined;
  if (!isRecord(result)) return undefined;
  const info = result['serverInfo'] ?? Object(result['_meta'])[metaKeys.serverInfo];
  const { capabilities, instructions } = result;
  return {
    info: { name: 'unknown', version: '0', ...Object(info) },
    capabilities: isRecord(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}
