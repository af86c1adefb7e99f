import { createDeferred, startTimer, type Deferred } from '#base';
import { isRecord, RpcError, type Connection, type Params } from '#jsonrpc';
import type { ElicitVisit, InputHandlers } from './inputs.ts';
import { orAborted, waitWithin } from './limit.ts';
import type { CallOptions } from './options.ts';

/** What only servers of 2025-11-25 say: nothing before these pages have been visited. */
const urlElicitationRequired = -32042;

/** A page to visit, and the name under which the server says that the visit is over. */
type Errand = ElicitVisit & { readonly elicitationId: string };

export interface LegacyQuestion {
  readonly method: string;
  readonly params: Params | undefined;
  readonly options: CallOptions & { readonly timeoutMs: number; readonly maxTotalMs: number };
  readonly elicitUrl: NonNullable<InputHandlers['elicitUrl']>;
  /** Fires when the session ends. */
  readonly ended: AbortSignal;
}

/** The visits under way that servers of the older era want before they serve a request. */
export class Visits {
  readonly #awaited = new Map<string, Deferred<void>>();

  /** Notes that a visit is over. */
  complete(params: Params | undefined): void {
    const id = params?.['elicitationId'];
    if (typeof id === 'string') this.#awaited.get(id)?.resolve();
  }

  /** Asks a server of the older era; makes the visits it wants first, if it does, and asks once more. */
  async ask(connection: Connection, question: LegacyQuestion): Promise<unknown> {
    const { method, params, options } = question;
    const deadline = performance.now() + options.maxTotalMs;
    try {
      return await connection.request(method, params, options);
    } catch (error) {
      const errands = errandsOf(error);
      const { signal } = options;
      const { ended } = question;
      const limit = { subject: method, signal, ended, timeoutMs: deadline - performance.now() };
      if (errands.length === 0) throw error;
      if (!(await waitWithin(limit, (until) => this.#make(errands, question, until)))) throw error;
    }
    const left = { ...options, maxTotalMs: deadline - performance.now() };
    return connection.request(method, params, left);
  }

  /** True when all visits were agreed to, and are over; not every server says so, hence no longer than an answer takes. */
  async #make(
    errands: readonly Errand[],
    { elicitUrl, options }: LegacyQuestion,
    signal: AbortSignal,
  ): Promise<boolean> {
    // From now on: a quick user is done before the last page has been shown.
    const over = errands.map(({ elicitationId }) => this.#await(elicitationId));
    try {
      for (const errand of errands) {
        if ((await elicitUrl(errand, { signal })).action !== 'accept') return false;
      }
      await soon(Promise.all(over), options.timeoutMs, signal);
      return true;
    } finally {
      for (const { elicitationId } of errands) this.#awaited.delete(elicitationId);
    }
  }

  #await(id: string): Promise<void> {
    const over = createDeferred<void>();
    this.#awaited.set(id, over);
    return over.promise;
  }
}

function errandsOf(error: unknown): readonly Errand[] {
  if (!(error instanceof RpcError) || error.code !== urlElicitationRequired) return [];
  const list = isRecord(error.data) ? error.data['elicitations'] : undefined;
  return Array.isArray(list) && list.every(isErrand) ? list : [];
}

function isErrand(value: unknown): value is Errand {
  if (!isRecord(value)) return false;
  const { url, message, elicitationId } = value;
  return [url, message, elicitationId].every((text) => typeof text === 'string');
}

async function soon(promise: Promise<unknown>, ms: number, signal: AbortSignal): Promise<void> {
  const late = createDeferred<void>();
  const timer = startTimer(late.resolve, ms);
  try {
    await orAborted(signal, () => Promise.race([promise, late.promise]));
  } finally {
    clearTimeout(timer);
  }
}
