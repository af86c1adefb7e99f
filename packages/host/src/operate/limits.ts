import { parseRate, RateLimiter, type Exchange, type Headers, type Layer } from 'mcp-kit/internal';
import { asError, type Caller, type Refusal } from 'mcp-kit/transport/http';
import { isCounted, toolsIn, type CallCounts } from './observe/calls.ts';
import { tooBusy, tooMany } from './refusals.ts';
import type { LimitSettings } from './settings.ts';

/** How much may be asked; each says why it was too much. */
export interface Limits {
  address(address: string | undefined): Refusal | undefined;
  caller(caller: Caller, headers: Headers): Refusal | undefined;
  /** Refuses requests that are too many. */
  readonly layer: Layer;
}

export function createLimits(settings: LimitSettings, counts: CallCounts): Limits {
  const addresses = limiterOf(settings.address);
  const principals = limiterOf(settings.principal);
  const sessions = limiterOf(settings.session);
  const tools = toolLimiters(settings);
  const { calls = Infinity, callsPerPrincipal = Infinity } = settings;
  const byPrincipal = (principal: string): number =>
    principals?.take(principal, performance.now()) ?? 0;

  const tooMuch = (exchange: Exchange): Refusal | undefined => {
    const { principal } = exchange;
    // It is under way itself.
    const own = isCounted(exchange) ? 1 : 0;
    if (counts.total - own >= calls) return tooBusy('calls');
    if (principal !== undefined) {
      if (counts.of(principal) - own >= callsPerPrincipal) return tooBusy('calls_per_principal');
      // The first of an array was counted when it came in.
      const mustWaitMs = exchange.isFurther ? byPrincipal(principal) : 0;
      if (mustWaitMs > 0) return tooMany('principal', mustWaitMs);
    }
    const waits = tools === undefined ? [] : toolsIn(exchange).map((tool) => tools(tool));
    const waitMs = Math.max(0, ...waits);
    return waitMs === 0 ? undefined : tooMany('tool', waitMs);
  };

  return {
    address(address) {
      if (addresses === undefined || address === undefined) return undefined;
      const waitMs = addresses.take(networkOf(address), performance.now());
      return waitMs === 0 ? undefined : tooMany('address', waitMs);
    },
    caller({ principal = '' }, headers) {
      const mustWaitMs = principal === '' ? 0 : byPrincipal(principal);
      if (mustWaitMs > 0) return tooMany('principal', mustWaitMs);
      const session = headers['mcp-session-id'];
      if (sessions === undefined || typeof session !== 'string') return undefined;
      // With its principal: whoever learns the id of a session must not use up what its owner may ask.
      const waitMs = sessions.take(`${session} ${principal}`, performance.now());
      return waitMs === 0 ? undefined : tooMany('session', waitMs);
    },
    layer: (next) => (exchange) => {
      const refusal = exchange.message.id === undefined ? undefined : tooMuch(exchange);
      if (refusal !== undefined) throw asError(refusal);
      return next(exchange);
    },
  };
}

function limiterOf(rate: string | undefined): RateLimiter | undefined {
  return rate === undefined ? undefined : new RateLimiter(parseRate(rate));
}

/** Counts a call of a tool, and says how long to wait when there were too many. */
function toolLimiters({ tool, tools = {} }: LimitSettings): ((name: string) => number) | undefined {
  const usual = limiterOf(tool);
  const own = new Map(
    Object.entries(tools).map(([name, rate]) => [name, new RateLimiter(parseRate(rate))]),
  );
  if (usual === undefined && own.size === 0) return undefined;
  return (name) => (own.get(name) ?? usual)?.take(name, performance.now()) ?? 0;
}

/** Whoever has one address of IPv6 has all of its network: 64 bits. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [front = '', back] = address.split('::');
  const left = front === '' ? [] : front.split(':');
  const right = back === undefined || back === '' ? [] : back.split(':');
  const length = back === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const zeros = Array.from({ length }, () => '0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}
