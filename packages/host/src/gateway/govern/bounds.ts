import {
  hideSecrets,
  isRecord,
  RateLimiter,
  RpcError,
  rpcErrors,
  startTimer,
  type Exchange,
  type Layer,
  type Serve,
} from 'mcp-kit/internal';
import type { LimitRule } from '@mcp-kit/host';
import { matcherOf, type PolicySubject } from '../policy/match.ts';
import { namedIn, subjectOf, type Known } from '../policy/subject.ts';

/** What a request is bound by. */
interface Bound {
  readonly timeoutMs: number;
  readonly redacts: boolean;
  /** How long to wait until one more is fine; 0 where it is now, and counted. */
  readonly waitMs: number;
}

/** The limits of a gateway. */
export interface Bounds {
  readonly isEmpty: boolean;
  take(subject: PolicySubject): Bound;
}

/** Makes limits ready; all that fit count. */
export function createBounds(rules: readonly LimitRule[]): Bounds {
  const ready = rules.map((rule) => ({
    rule,
    // What restricts fits whatever may be meant.
    matcher: matcherOf({ ...rule, decision: 'deny' }),
    all: rule.rate && new RateLimiter(rule.rate),
    each: rule.ratePerPrincipal && new RateLimiter(rule.ratePerPrincipal),
  }));
  return {
    isEmpty: rules.length === 0,
    take(subject) {
      const known = { item: true, args: true, principal: true };
      const found = ready.filter(({ matcher }) => matcher.fits(subject, known) === 'yes');
      const nowMs = performance.now();
      const { server, principal = '' } = subject;
      const waits = found.map(({ all, each }) =>
        Math.max(
          all?.take(server, nowMs) ?? 0,
          each?.take(JSON.stringify([server, principal]), nowMs) ?? 0,
        ),
      );
      return {
        timeoutMs: Math.min(...found.map(({ rule }) => rule.timeoutMs ?? Infinity), Infinity),
        redacts: found.some(({ rule }) => rule.redact === true),
        waitMs: Math.max(0, ...waits),
      };
    },
  };
}

/** Holds requests to the limits of a gateway. */
export function bounded(bounds: () => Bounds, known: Known): Layer {
  return (next) => (exchange) => {
    if (exchange.message.id === undefined || bounds().isEmpty) return next(exchange);
    const named = namedIn(exchange);
    if (named === undefined) return next(exchange);
    const subject = subjectOf(known, exchange, named);
    const { timeoutMs, redacts, waitMs } = bounds().take(subject);
    if (waitMs > 0) return Promise.reject(tooMany(subject, Math.ceil(waitMs)));
    const served = timeoutMs === Infinity ? next(exchange) : inTime(exchange, next, timeoutMs);
    return redacts ? Promise.resolve(served).then(withoutSecretTexts) : served;
  };
}

function tooMany({ server }: PolicySubject, retryAfterMs: number): RpcError {
  const data = { code: 'overloaded', retryable: true, mayHaveRun: false, retryAfterMs };
  const message = `its limit is reached; try again in ${retryAfterMs} ms`;
  return new RpcError(rpcErrors.overloaded, message, { server, ...data });
}

/** Gives up when the time is over, and tells the server so. */
async function inTime(exchange: Exchange, next: Serve, timeoutMs: number): Promise<unknown> {
  const inner = exchange.forwarded(exchange.message.params);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = startTimer(() => {
      const message = `it took longer than ${timeoutMs} ms`;
      const data = { code: 'timeout', retryable: false, mayHaveRun: true };
      reject(new RpcError(rpcErrors.internal, message, data));
      inner.cancel(message);
    }, timeoutMs);
  });
  try {
    return await Promise.race([next(inner), late]);
  } finally {
    clearTimeout(timer);
  }
}

const hidden = '[hidden]';

/** The same value with what looks like a secret hidden in all of its texts. */
function withoutSecretTexts(value: unknown): unknown {
  if (typeof value === 'string') return hideSecrets(value, hidden);
  if (Array.isArray(value)) return value.map(withoutSecretTexts);
  if (!isRecord(value)) return value;
  const { requestState, ...rest } = value;
  const members = Object.entries(rest).map(([name, member]) => [name, withoutSecretTexts(member)]);
  const shown: unknown = Object.fromEntries(members);
  // What the client carries for the server is nothing to read.
  return requestState === undefined ? shown : { ...Object(shown), requestState };
}
