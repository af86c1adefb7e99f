import {
  createDeferred,
  crypto,
  KitError,
  Stop,
  unref,
  type Deferred,
  type Hold,
  type Keys,
  type StopSignal,
} from '#base';
import { isRecord, RpcError, type Exchange, type Params } from '#jsonrpc';
import { createSealer, invalidParams } from '#protocol';

/** A question of the server that the client has not answered yet. */
interface Question {
  readonly method: string;
  readonly params: Params;
  readonly answered: Deferred<unknown>;
}

/** What a question gets for an answer that was put to a call which has ended: it may be another's. */
export const unanswered: unique symbol = Symbol('unanswered');

type Outcome = { readonly result: unknown } | { readonly error: unknown };

/**
 * A call of a modern client at a legacy server. When the server asks something in between, the
 * client's request ends with the questions and the call is parked: its next request brings the answers, and the call goes on.
 */
export class ParkedCall {
  readonly id: string = crypto().randomUUID();
  readonly #questions = new Map<string, Question>();
  readonly #stop = new Stop();
  #asked = 0;
  #exchange: Exchange | undefined;
  #outcome: Outcome | undefined;
  #changed: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** What it takes while it is parked. */
  #held: Hold | undefined;
  /** Called once, when a call is over that nobody came back for. */
  onForgotten: () => void = () => {};

  /** The request of the client that waits for it now; none while it is parked. */
  get exchange(): Exchange | undefined {
    return this.#exchange;
  }

  /** Fires when nobody wants it any more. */
  get signal(): StopSignal {
    return this.#stop;
  }

  /** Begins; `work` is the call at the server. */
  start(work: Promise<unknown>): void {
    const settle = (outcome: Outcome): void => {
      this.#outcome = outcome;
      this.#changed?.();
    };
    work.then(
      (result) => settle({ result }),
      (error: unknown) => settle({ error }),
    );
  }

  /** Asks the client; settles when it has come back with the answer, or with `unanswered` when it has no reason to any more. */
  async ask(method: string, params: Params, signal: StopSignal): Promise<unknown> {
    this.#asked += 1;
    const key = `question-${this.#asked}`;
    const answered = createDeferred<unknown>();
    const giveUp = (): void => answered.reject(new KitError('aborted', `${method}: taken back`));
    for (const end of [signal, this.signal]) end.addEventListener('abort', giveUp, { once: true });
    this.#questions.set(key, { method, params, answered });
    this.#changed?.();
    try {
      return await answered.promise;
    } finally {
      this.#questions.delete(key);
      for (const end of [signal, this.signal]) end.removeEventListener('abort', giveUp);
    }
  }

  /** Takes the answers that came with the next request; the questions it does not answer are asked again. */
  async answer(responses: unknown): Promise<void> {
    if (!isRecord(responses)) return;
    for (const [key, { answered }] of this.#questions) {
      if (isRecord(responses[key])) answered.resolve(responses[key]);
    }
    // Answered questions leave by themselves, and must not be asked once more.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Waits on behalf of a request for the result, or for questions: these are given back by name. */
  async attend(exchange: Exchange): Promise<Record<string, object> | undefined> {
    this.#unpark();
    this.#exchange = exchange;
    const { stop: signal } = exchange;
    const cancel = (): void => this.cancel(signal.reason);
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      while (this.#outcome === undefined && this.#questions.size === 0) {
        await new Promise<void>((resolve) => (this.#changed = resolve));
      }
      // Several that were asked at once are answered at once.
      if (this.#outcome === undefined) await new Promise((resolve) => setImmediate(resolve));
      if (this.#outcome === undefined) return this.#asking();
      for (const { answered } of this.#questions.values()) answered.resolve(unanswered);
      return undefined;
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#exchange = undefined;
      this.#changed = undefined;
    }
  }

  /** Leaves it waiting for its client, but not for ever, and only while there is room for it. */
  park(forMs: number, { link, weight }: Exchange): void {
    const letGo = (): boolean => {
      this.forget('too much is held for clients');
      return true;
    };
    this.#held = link.budget?.hold('calls', weight, { letGo });
    this.#timer = unref(setTimeout(() => this.forget('its client did not come back'), forMs));
  }

  #unpark(): void {
    clearTimeout(this.#timer);
    this.#held?.resize(0);
    this.#held = undefined;
  }

  /** Ends it while nobody waits for it. */
  forget(reason: string): void {
    this.cancel(reason);
    this.onForgotten();
  }

  /** What came of it. */
  result(): unknown {
    if (this.#outcome === undefined) throw new KitError('closed', 'the call has not ended');
    if ('error' in this.#outcome) throw this.#outcome.error;
    return this.#outcome.result;
  }

  cancel(reason: unknown): void {
    this.#unpark();
    this.#stop.abort(reason);
  }

  #asking(): Record<string, object> {
    const requests: Record<string, object> = {};
    for (const [key, { method, params }] of this.#questions) requests[key] = { method, params };
    return requests;
  }
}

/** What only servers of 2025-11-25 say: nothing before these pages have been visited. */
const urlElicitationRequired = -32042;

/** Does the work; where the server wants pages visited first, the client is asked to, and it is done once more. */
export async function withVisits(call: ParkedCall, work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    const visits = visitsOf(error);
    if (visits.length === 0) throw error;
    const answers = await Promise.all(
      visits.map((visit) => call.ask('elicitation/create', toVisit(visit), call.signal)),
    );
    const agreed = answers.every((answer) => isRecord(answer) && answer['action'] === 'accept');
    if (!agreed) throw error;
    return work();
  }
}

function visitsOf(error: unknown): readonly Record<string, unknown>[] {
  if (!(error instanceof RpcError) || error.code !== urlElicitationRequired) return [];
  const list = isRecord(error.data) ? error.data['elicitations'] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** The modern era has no names for visits. */
export function toVisit({ elicitationId: _id, ...visit }: Params): Params {
  return { mode: 'url', ...visit };
}

/** What clients carry for modern servers between questions: of use to the caller it was given to, and to nobody else. */
export interface CarriedStates {
  /** A result for a caller, with what it carries bound to it. */
  wrap(caller: string | undefined, result: unknown): unknown;
  /** Parameters of a caller, with what it carries as the server gave it; refused where it was given to somebody else. */
  unwrap(caller: string | undefined, params: Params | undefined): Params | undefined;
}

/** The server decides how long a state is of use; this is only when one is surely of no use any more. */
const ttlMs = 24 * 60 * 60_000;

/** Where callers are not told apart, everything passes as it is. */
export function createCarriedStates(keys: Keys | undefined): CarriedStates {
  const sealer = createSealer({ ttlMs, keys });
  return {
    wrap(caller, result) {
      if (caller === undefined || !isRecord(result)) return result;
      const { requestState } = result;
      if (typeof requestState !== 'string') return result;
      return { ...result, requestState: sealer.seal(requestState, caller) };
    },
    unwrap(caller, params) {
      const carried = params?.['requestState'];
      if (caller === undefined || carried === undefined) return params;
      const requestState = typeof carried === 'string' ? sealer.open(carried, caller) : undefined;
      if (requestState === undefined) throw noSuchCall();
      return { ...params, requestState };
    },
  };
}

/** Refuses what somebody else was given, or what is of no use any more. */
export function noSuchCall(): RpcError {
  const why = 'requestState is not valid for this request, or its call has ended';
  return invalidParams(`${why}; call again without it`);
}
