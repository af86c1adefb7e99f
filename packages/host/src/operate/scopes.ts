import type { Layer } from 'mcp-kit/internal';
import { asError, type Refusal } from 'mcp-kit/transport/http';
import { toolsIn, type Calling } from './observe/calls.ts';
import type { AuthSettings } from './settings.ts';

/** What calls need, and whether a caller has it. */
export interface ScopeRules {
  /** What everything needs. */
  readonly base: readonly string[];
  /** What this request needs, with what everything needs; nothing when that is no more. */
  neededBy(exchange: Calling): readonly string[] | undefined;
  covers(granted: ReadonlySet<string> | undefined, needed: readonly string[]): boolean;
}

/** Names of tools that are remembered; those that are longer are looked at each time. */
const maxFound = 1000;
const maxFoundLength = 128;

type Lists = Readonly<Record<string, readonly string[]>>;

export function scopeRules(
  settings: Pick<AuthSettings, 'scopes' | 'toolScopes' | 'impliedScopes'>,
): ScopeRules {
  const { scopes: base = [], toolScopes = {}, impliedScopes = {} } = settings;
  const exact = new Map(Object.entries(toolScopes).filter(([name]) => !name.endsWith('*')));
  const prefixes = Object.entries(toolScopes).filter(([name]) => name.endsWith('*'));
  const asksNoMore = Object.keys(toolScopes).length === 0;
  const stronger = strongerThan(impliedScopes);
  const found = new Map<string, { readonly needed: readonly string[] | undefined }>();
  const forTool = (tool: string): readonly string[] => {
    const shared = prefixes.filter(([name]) => tool.startsWith(name.slice(0, -1)));
    return (exact.get(tool) ?? []).concat(shared.flatMap(([, scopes]) => scopes));
  };
  const neededFor = (name: string): readonly string[] | undefined => {
    const known = found.get(name);
    if (known !== undefined) return known.needed;
    const more = forTool(name);
    const needed = more.length === 0 ? undefined : [...new Set([...base, ...more])];
    if (name.length > maxFoundLength) return needed;
    // Names that clients make up are not kept for ever.
    if (found.size >= maxFound) found.clear();
    found.set(name, { needed });
    return needed;
  };
  return {
    base,
    neededBy(exchange) {
      const [name, ...others] = asksNoMore ? [] : toolsIn(exchange);
      if (name === undefined) return undefined;
      if (others.length === 0) return neededFor(name);
      const needed = [name, ...others].flatMap((one) => neededFor(one) ?? []);
      return needed.length === 0 ? undefined : [...new Set(needed)];
    },
    covers(granted, needed) {
      for (const scope of needed) {
        if (granted === undefined) return false;
        if (granted.has(scope)) continue;
        if (!stronger(scope).some((other) => granted.has(other))) return false;
      }
      return true;
    },
  };
}

/** Refuses messages that need more than their sender has been allowed. */
export function scopeLayer(
  scopes: ScopeRules,
  insufficient: (needed: readonly string[]) => Refusal,
): Layer {
  return (next) => (exchange) => {
    const { message } = exchange;
    const needed = message.id === undefined ? undefined : scopes.neededBy(exchange);
    if (needed !== undefined && !scopes.covers(exchange.scopes, needed)) {
      throw asError(insufficient(needed));
    }
    return next(exchange);
  };
}

/** The scopes that stand for a scope, by whatever steps. */
function strongerThan(implied: Lists): (scope: string) => readonly string[] {
  const entries = Object.entries(implied);
  const reach = (scope: string, seen: Set<string>): Set<string> => {
    for (const [other, covered] of entries) {
      if (!covered.includes(scope) || seen.has(other)) continue;
      reach(other, seen.add(other));
    }
    return seen;
  };
  const known = new Map<string, readonly string[]>();
  return (scope) => {
    const found = known.get(scope) ?? [...reach(scope, new Set())];
    known.set(scope, found);
    return found;
  };
}
