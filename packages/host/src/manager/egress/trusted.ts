import { net } from 'mcp-kit/internal';
import { createAgent, proxyFor, type HttpClientOptions } from 'mcp-kit/transport/http-client';
import { kindOf } from './address.ts';
import { createEgress, type Egress, type EgressOptions } from './egress.ts';
import { placeOf } from './check.ts';
import { hostOf, nameKindOf, withDefaults, type EgressPolicy } from './policy.ts';

/** How far in a place is, as far as its name tells. */
type Depth = 'internet' | 'around' | 'here';

interface Options extends Pick<EgressOptions, 'server'>, Pick<HttpClientOptions, 'proxy' | 'ca'> {}

/**
 * The way out for a server that its user trusts: to the places that the user has named, wherever they are, and to those
 * that the server names, which may be no further in than the server itself. Through a proxy, which looks names up by
 * itself, that is judged by the name alone.
 */
export function trustedEgress(
  named: readonly string[],
  policy: Partial<EgressPolicy>,
  { server, ca, proxy }: Options,
): Egress {
  const places = named.filter((url) => URL.canParse(url)).map((url) => new URL(url));
  const origins = new Set(places.map(({ origin }) => origin));
  const depths = places.map(depthOf);
  const open = openEgress({ ca, proxy });
  const ways = new Map<string, Egress>();
  const wayTo = (url: string | URL): Egress => {
    const place = URL.canParse(String(url)) ? new URL(url) : undefined;
    if (place !== undefined && origins.has(place.origin)) return open;
    const rules = place === undefined ? policy : policyFor(place, depths, policy);
    const key = JSON.stringify(rules);
    const way = ways.get(key) ?? createEgress(rules, { server, ca, isTrusted: true });
    ways.set(key, way);
    const isProxied = place !== undefined && proxyFor(place, proxy) !== undefined;
    return isProxied ? { ...open, check: way.check } : way;
  };
  return {
    check: (url, field) => wayTo(url).check(url, field),
    agentFor: (url) => {
      const way = wayTo(url);
      const refused = way.check(url);
      if (refused !== undefined) throw refused;
      return way.agentFor(url);
    },
    destroy: () => {
      for (const way of [open, ...ways.values()]) way.destroy();
      ways.clear();
    },
  };
}

/** What the server may lead to. At which port somebody issues tokens is theirs to say. */
function policyFor(
  place: URL,
  depths: readonly Depth[],
  policy: Partial<EgressPolicy>,
): EgressPolicy {
  const isHere = depths.includes('here');
  const isIn = isHere || depths.includes('around');
  const given = withDefaults(policy);
  return {
    ...given,
    allowLocalhost: given.allowLocalhost || isHere,
    allowPrivateIps: given.allowPrivateIps || isIn,
    requireHttps: given.requireHttps && !(isIn && depthOf(place) !== 'internet'),
    allowedHosts: [],
    allowedPorts: [placeOf(place).port],
  };
}

function depthOf(place: URL): Depth {
  const host = hostOf(place);
  const isLiteral = net().isIP(host) !== 0;
  const kind = isLiteral ? kindOf(host) : nameKindOf(host);
  if (kind === 'loopback' || kind === 'localhost') return 'here';
  return kind === 'private' || kind === 'local' ? 'around' : 'internet';
}

/** A way that leads everywhere. */
function openEgress(options: Pick<HttpClientOptions, 'proxy' | 'ca'>): Egress {
  const agents = new Map<string, ReturnType<typeof createAgent>>();
  return {
    check: () => undefined,
    agentFor: (url) => {
      const place = new URL(url);
      const agent = agents.get(place.origin) ?? createAgent(place, options);
      agents.set(place.origin, agent);
      return agent;
    },
    destroy: () => {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}
