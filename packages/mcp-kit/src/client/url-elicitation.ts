import { createDeferred, type Deferred } from '#base';
import { isRecord, RpcError, type Connection, type Params } from '#jsonrpc';
import { waitWithin, within } from './limit.ts';
import type { CallOptions, ElicitVisit, InputHandlers } from './options.ts';

/** What only servers of 2025-11-25 say: a person has to visit these pages first. */
const urlElicitationRequired = -32042;

/** A page to visit, and the id under which the server says that the visit is over. */
type UrlElicitation = ElicitVisit & { readonly elicitationId: string };

/** A request of the legacy era, and who visits pages for it. */
export interface LegacyRequest {
  readonly method: string;
  readonly params: Params | undefined;
  readonly options: CallOptions & { readonly timeoutMs: number; readonly maxTotalMs: number };
  readonly elicitUrl: NonNullable<InputHandlers['elicitUrl']>;
  /** Fires when the session ends. */
  readonly ended: AbortSignal;
}

/** The visits of pages that legacy servers want before they serve a request. */
export class UrlElicitations {
  readonly #awaited = new Map<string, Deferred<void>>();

  /** Notes that a visit is over. */
  complete(params: Params | undefined): void {
    const id = params?.['elicitationId'];
    if (typeof id === 'string') this.#awaited.get(id)?.resolve();
  }

  /** Sends a request; has the pages visited that the server wants visited first, if any, and sends it once more. */
  async request(connection: Connection, request: LegacyRequest): Promise<unknown> {
    const { method, params, options } = request;
    const deadline = performance.now() + options.maxTotalMs;
    try {
      return await connection.request(method, params, options);
    } catch (error) {
      const elicitations = elicitationsOf(error);
      const { signal } = options;
      const { ended } = request;
      const limit = { subject: method, signal, ended, timeoutMs: deadline - performance.now() };
      if (elicitations.length === 0) throw error;
      if (!(await waitWithin(limit, (until) => this.#visit(elicitations, request, until)))) {
        throw error;
      }
    }
    const left = { ...options, maxTotalMs: deadline - performance.now() };
    return connection.request(method, params, left);
  }

  /** True when all visits were agreed to, and are over; not every server says so, hence no longer than an answer takes. */
  async #visit(
    elicitations: readonly UrlElicitation[],
    { elicitUrl, options }: LegacyRequest,
    signal: AbortSignal,
  ): Promise<boolean> {
    // From now on: a quick user is done before the last page has been shown.
    const over = elicitations.map(({ elicitationId }) => this.#await(elicitationId));
    try {
      for (const elicitation of elicitations) {
        if ((await elicitUrl(elicitation, { signal })).action !== 'accept') return false;
      }
      const all = Promise.all(over);
      const limit = { subject: 'elicitation/create', ended: signal };
      await waitWithin(limit, () => within(all, options.timeoutMs));
      return true;
    } finally {
      for (const { elicitationId } of elicitations) this.#awaited.delete(elicitationId);
    }
  }

  #await(id: string): Promise<void> {
    const over = createDeferred<void>();
    this.#awaited.set(id, over);
    return over.promise;
  }
}

function elicitationsOf(error: unknown): readonly UrlElicitation[] {
  if (!(error instanceof RpcError) || error.code !== urlElicitationRequired) return [];
  const list = isRecord(error.data) ? error.data['elicitations'] : undefined;
  return Array.isArray(list) && list.every(isUrlElicitation) ? list : [];
}

function isUrlElicitation(value: unknown): value is UrlElicitation {
  if (!isRecord(value)) return false;
  const { url, message, elicitationId } = value;
  return [url, message, elicitationId].every((text) => typeof text === 'string');
}
