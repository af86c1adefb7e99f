import {
  bindingOf,
  createSealer,
  crypto,
  invalidParams,
  isRecord,
  type Exchange,
  type InputRequest,
  type MaybePromise,
  type Params,
  type Serve,
} from 'mcp-kit/internal';

/** Goes on with a request. */
export type GoOn = (next: Serve) => Promise<unknown>;

/** Either the client is to come back with an answer, or this is it. */
type Round = { readonly result: object } | Answered;

/** What somebody has answered, and the way on. */
interface Answered {
  readonly response: unknown;
  readonly goOn: GoOn;
}

/** Asks the user of a client; `about` is what the answer is good for, beside the request itself. */
export type AskUser = (
  exchange: Exchange,
  about: string,
  request: InputRequest,
) => MaybePromise<Round>;

/** People need longer than machines. */
const personMs = 10 * 60_000;

/** By a request to the client, while its own waits. */
export const askDirectly: AskUser = async (exchange, _about, { method, params }) => {
  const limits = { timeoutMs: personMs, maxTotalMs: personMs };
  const response = await exchange.call(method, params, limits);
  return { response, goOn: async (next) => next(exchange) };
};

/** Questions that come before a server, to clients that are asked by a result, and come again with the answer. */
export interface Rounds {
  readonly ask: AskUser;
  /** The answer that a client has come back with, once; nothing where it has not, or comes for the first time. */
  returned(exchange: Exchange, about: string): Answered | undefined;
  /** Goes on with a request about which nothing is to be asked any more. */
  resume(exchange: Exchange, about: string): GoOn;
}

/** What a client carries between two rounds: a question that it was asked, or what it has answered and what the server gave it. */
type Carried = { readonly asked: string } | { readonly response: unknown; readonly inner: unknown };

const maxPending = 1000;

/** `key` is the name of the question, so that it is none of a server. */
export function createRounds(key: string): Rounds {
  const sealer = createSealer();
  /** Questions of which the answer is still to come; each is good for one. */
  const pending = new Set<string>();

  const boundTo = (exchange: Exchange, about: string): readonly unknown[] => [
    about,
    ...bindingOf(exchange),
  ];
  const open = (exchange: Exchange, about: string): Carried | undefined => {
    const state = exchange.message.params?.['requestState'];
    // The seal proves that it is what was given.
    return typeof state === 'string'
      ? (sealer.open(state, boundTo(exchange, about)) as Carried | undefined)
      : undefined;
  };
  /** Where the server asks something itself, whoever comes back with the answers is not asked again what it was asked here. */
  const goingOn =
    (exchange: Exchange, about: string, { params, response }: Going): GoOn =>
    async (next) => {
      const result = await next(exchange.forwarded(params));
      if (!isRecord(result) || result['resultType'] !== 'input_required') return result;
      const carried: Carried = { response, inner: result['requestState'] };
      return { ...result, requestState: sealer.seal(carried, boundTo(exchange, about)) };
    };
  const noted = (): string => {
    const asked = crypto().randomUUID();
    const [oldest] = pending;
    if (pending.size >= maxPending && oldest !== undefined) pending.delete(oldest);
    pending.add(asked);
    return asked;
  };

  const returned: Rounds['returned'] = (exchange, about) => {
    const { params = {} } = exchange.message;
    const { requestState: _, inputResponses, ...plain } = params;
    const carried = open(exchange, about);
    if (carried === undefined) return undefined;
    if ('inner' in carried) {
      const { response, inner } = carried;
      const resumed = withState(params, inner);
      return { response, goOn: goingOn(exchange, about, { params: resumed, response }) };
    }
    const response = isRecord(inputResponses) ? inputResponses[key] : undefined;
    if (!pending.delete(carried.asked) || response === undefined) return undefined;
    return { response, goOn: goingOn(exchange, about, { params: plain, response }) };
  };

  return {
    returned,
    ask(exchange, about, { method, params: form }) {
      const { requestState } = exchange.message.params ?? {};
      if (requestState !== undefined && open(exchange, about) === undefined) throw noSuchRound();
      const answered = returned(exchange, about);
      if (answered !== undefined) return answered;
      return {
        result: {
          resultType: 'input_required',
          inputRequests: { [key]: { method, params: form } },
          requestState: sealer.seal({ asked: noted() }, boundTo(exchange, about)),
        },
      };
    },
    resume(exchange, about) {
      const carried = open(exchange, about);
      if (carried === undefined || !('inner' in carried)) return async (next) => next(exchange);
      const params = withState(exchange.message.params ?? {}, carried.inner);
      return goingOn(exchange, about, { params, response: carried.response });
    },
  };
}

interface Going {
  readonly params: Params;
  readonly response: unknown;
}

function withState({ requestState: _, ...params }: Params, inner: unknown): Params {
  return inner === undefined ? params : { ...params, requestState: inner };
}

function noSuchRound(): Error {
  return invalidParams('requestState is not valid for this request; call again without it');
}
