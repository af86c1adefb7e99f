import { defaultEgress, type EgressPolicy } from 'mcp-kit/auth';
import { createEgress } from '@mcp-kit/host';
import type { ServerSettings } from '@mcp-kit/host/operate';

/** The way to whoever issues tokens: as typed to the places that the operator names, by the strictest policy to those that they name. */
export function egressFor({ auth }: ServerSettings): EgressPolicy | undefined {
  const { jwt, introspection } = auth ?? {};
  const issuer = jwt?.issuer ?? introspection?.issuer;
  if (issuer === undefined) return undefined;
  const named = [issuer, jwt?.jwksUri, introspection?.issuer, introspection?.url];
  const origins = new Set(
    named.filter((url) => url !== undefined).map((url) => new URL(url).origin),
  );
  const asTyped = defaultEgress(new URL(issuer));
  const strict = createEgress({}, { server: new URL(issuer).host });
  const wayTo = (url: string | URL): EgressPolicy => {
    const origin = URL.canParse(String(url)) ? new URL(url).origin : '';
    return origins.has(origin) ? asTyped : strict;
  };
  return {
    check: (url, field) => wayTo(url).check(url, field),
    agentFor: (url) => wayTo(url).agentFor(url),
  };
}
