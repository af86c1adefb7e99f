import { isPromise, type Logger } from 'mcp-kit/internal';
import type { Admit, Caller, Refusal, Visit } from 'mcp-kit/transport/http';
import type { Authenticate } from './auth/authenticator.ts';
import type { Limits } from './limits.ts';
import { cannotTell, type Challenges } from './refusals.ts';
import type { ScopeRules } from './scopes.ts';
import type { Verdict } from './auth/verdict.ts';

export interface AdmitOptions {
  readonly limits: Limits;
  readonly logger: Logger;
  /** How callers prove who they are; nothing where everybody is let in. */
  readonly auth?:
    | {
        readonly authenticate: Authenticate;
        readonly challenges: Challenges;
        readonly scopes: ScopeRules;
      }
    | undefined;
}

const nobody: Caller = { principal: undefined };

/** Asks, in this order: does the address ask too often, who is it, may they, do they ask too often. */
export function createAdmit({ limits, auth, logger }: AdmitOptions): Admit {
  if (auth === undefined) {
    return ({ address, headers }) =>
      limits.address(address) ?? limits.caller(nobody, headers) ?? nobody;
  }
  const { authenticate, challenges, scopes } = auth;
  const { base } = scopes;

  let complainedMs = -Infinity;
  const complain = (cause: unknown): void => {
    // Once for all that come in the meantime.
    if (performance.now() - complainedMs < 1000) return;
    complainedMs = performance.now();
    logger.error('tokens cannot be checked', { error: String(cause) });
  };

  const judge = (verdict: Verdict | 'none', visit: Visit): Caller | Refusal => {
    if (verdict === 'none') return challenges.missing();
    if (verdict.kind === 'unavailable') {
      complain(verdict.cause);
      return cannotTell;
    }
    if (verdict.kind === 'invalid') {
      logger.info('refused', { why: verdict.why, address: visit.address });
      return challenges.invalid(verdict.why);
    }
    const { caller } = verdict;
    if (base.length > 0 && !scopes.covers(caller.scopes, base)) {
      logger.info('refused', { why: 'scope', principal: caller.principal });
      return challenges.insufficient(base);
    }
    return limits.caller(caller, visit.headers) ?? caller;
  };

  return (visit) => {
    const refusal = limits.address(visit.address);
    if (refusal !== undefined) return refusal;
    const verdict = authenticate(visit.headers);
    return isPromise(verdict)
      ? verdict.then((found) => judge(found, visit))
      : judge(verdict, visit);
  };
}
