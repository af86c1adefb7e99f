import { KitError } from 'mcp-kit/internal';
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
  const egress = createEgress(policy, { server });
  const check = (fact: 'url' | 'streamUrl', text: string): KitError | undefined => {
    const field = provenance.keys[fact] ?? fact;
    return isOfHttp(text) ? egress.check(text, field) : notOfHttp(server, field);
  };
  const refusals = [
    check('url', url),
    streamUrl === undefined ? undefined : check('streamUrl', streamUrl),
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

function isOfHttp(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** No approval would make it usable. */
function notOfHttp(server: string, field: string): KitError {
  const message = `mcp server ${server}: ${field} is not an http or https URL`;
  return new KitError('invalid_argument', message, { hint: 'Write it as https://host/path.' });
}

/** Why a channel that the caller brings is not used for a server that is not trusted. */
export function customChannelRefusal(kind: 'JSON-RPC client' | 'IO', server: string): KitError {
  return refusal(`attach custom ${kind}`, { server });
}
