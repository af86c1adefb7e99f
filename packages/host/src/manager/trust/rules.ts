import type { KitError } from 'mcp-kit/internal';
import type { ServerEntry } from '../config/entry.ts';
import { referencesOf } from '../config/interpolate.ts';
import { createEgress } from '../egress/egress.ts';
import type { EgressPolicy } from '../egress/policy.ts';
import { refusal } from '../egress/refusals.ts';

const sensitive: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie']);

/** Why a server that is not trusted may not be used, as far as its entry tells; empty when it may. Nothing is resolved. */
export function untrustedRules(
  entry: ServerEntry,
  policy: Partial<EgressPolicy> = {},
): readonly KitError[] {
  const { name: server, transport, provenance } = entry;
  if (transport.kind === 'stdio') return [refusal('spawn mcp server', { server })];
  if (transport.kind === 'unix') return [refusal('connect unix mcp server', { server })];
  const { url, streamUrl, headers, bearerTokenEnv, envHeaders } = transport;
  const { check } = createEgress(policy, { server });
  const fieldOf = (fact: string): string => provenance.keys[fact] ?? fact;
  const refusals = [
    check(url, fieldOf('url')),
    streamUrl === undefined ? undefined : check(streamUrl, fieldOf('streamUrl')),
    ...Object.keys(headers)
      .filter((header) => sensitive.has(header.trim().toLowerCase()))
      .map((header) => refusal('send sensitive http header', { server, more: `header=${header}` })),
  ];
  if (bearerTokenEnv !== undefined) {
    refusals.push(refusal('read bearer token env var', { server, more: `env=${bearerTokenEnv}` }));
  }
  const fromEnv = Object.keys(envHeaders);
  if (fromEnv.length > 0) {
    const more = `headers=${fromEnv.join(',')}`;
    refusals.push(refusal('read http header env vars', { server, more }));
  }
  const named = new Set([bearerTokenEnv, ...Object.values(envHeaders)]);
  // A folder tells who the user is and what they work on.
  const others = referencesOf(entry).filter((use) => !named.has(use.name));
  if (others.length > 0) {
    const names = [...new Set(others.map((use) => use.name))];
    refusals.push(refusal('resolve variables', { server, more: `names=${names.join(',')}` }));
  }
  return refusals.filter((refused) => refused !== undefined);
}

/** Why a channel that the caller brings is not used for a server that is not trusted. */
export function customChannelRefusal(kind: 'JSON-RPC client' | 'IO', server: string): KitError {
  return refusal(`attach custom ${kind}`, { server });
}
