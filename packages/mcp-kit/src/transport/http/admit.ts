import type { MaybePromise } from '#base';
import type { Headers, Identify, Refusal } from './responder.ts';

/** A request as it is known before its body is read. */
export interface Visit {
  readonly headers: Headers;
  /** Where it comes from; behind trusted proxies, where they say that it does. Nothing where the runtime does not tell. */
  readonly address: string | undefined;
}

/** Who sends a request. */
export interface Caller {
  /** Sessions, and what clients carry for us, are its own. Nothing where nobody is told apart. */
  readonly principal: string | undefined;
  /** The program through which the principal calls, where that is known: its sessions are not those of another program. */
  readonly client?: string | undefined;
  /** What it has been allowed; nothing where that is not asked. */
  readonly scopes?: ReadonlySet<string> | undefined;
}

/** Lets a request in before its body is read, and says who sends it. Never rejects. */
export type Admit = (visit: Visit) => MaybePromise<Caller | Refusal>;

/** A request that has been let in. */
export interface Incoming {
  readonly headers: Headers;
  readonly caller: Caller;
}

export function isRefusal(entered: Caller | Refusal): entered is Refusal {
  return 'status' in entered;
}

const nobody: Caller = { principal: undefined };

/** Lets everybody in; `identify` tells them apart. */
export function admitAll(identify?: Identify): Admit {
  return ({ headers }) => (identify === undefined ? nobody : { principal: identify(headers) });
}
