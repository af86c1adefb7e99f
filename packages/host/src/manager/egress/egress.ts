import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { KitError } from 'mcp-kit/internal';
import { guardedAgent, type GuardOptions } from './agent.ts';
import { checkUrl } from './check.ts';
import { createLookup, type Resolve } from './lookup.ts';
import { rulesOf, type EgressPolicy } from './policy.ts';
import type { Whose } from './refusals.ts';

/** Whose connections they are, and who resolves names for them. */
export interface EgressOptions extends Pick<GuardOptions, 'ca'>, Whose {
  /** Finds the addresses of names, instead of the system. */
  readonly resolve?: Resolve | undefined;
}

/** The only way out for one server: what may be reached, and the connections to it. */
export interface Egress {
  /** Why a URL may not be used, as far as its text tells; `field` says where it was found. */
  check(url: string | URL, field?: string): KitError | undefined;
  /** Makes the connections to a URL; each is checked as it is opened, by the addresses it leads to. */
  agentFor(url: string | URL): HttpAgent | HttpsAgent;
  /** Closes all connections. */
  destroy(): void;
}

/** Makes a way out that shares no connection with any other. Proxies named in the environment are not used. */
export function createEgress(policy: Partial<EgressPolicy>, options: EgressOptions): Egress {
  const { server, isTrusted, resolve, ca } = options;
  const limits = { server, isTrusted, rules: rulesOf(policy) };
  const lookup = createLookup(limits, resolve);
  return {
    check: (url, field) => checkUrl(limits, url, field),
    ...agentsBy((secure) => guardedAgent({ limits, lookup, secure, ca })),
  };
}

/** Makes an agent for each scheme when it is first needed. */
function agentsBy(
  make: (secure: boolean) => HttpAgent | HttpsAgent,
): Pick<Egress, 'agentFor' | 'destroy'> {
  const agents = new Map<boolean, HttpAgent | HttpsAgent>();
  return {
    agentFor: (url) => {
      const secure = new URL(url).protocol === 'https:';
      const agent = agents.get(secure) ?? make(secure);
      agents.set(secure, agent);
      return agent;
    },
    destroy: () => {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}
