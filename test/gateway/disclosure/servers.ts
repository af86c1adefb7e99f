import { gateway, type Gateway, type GatewayOptions } from '@mcp-kit/host/gateway';
import { openSession, type Session } from 'mcp-kit/client';
import { createServer } from 'mcp-kit/server';
import { memoryTarget } from 'mcp-kit/testing';
import { toolSet } from 'mcp-kit/tools';

type Tools = Parameters<typeof toolSet>[0];

/** A gateway before servers in this process, with these tools each. */
export async function gatewayOf(
  servers: Readonly<Record<string, Tools>>,
  options: GatewayOptions = {},
): Promise<Gateway> {
  const targets = Object.entries(servers).map(([name, tools]) => {
    const server = createServer({ name, version: '1', features: [toolSet(tools)] });
    return [name, memoryTarget(server)];
  });
  const all = gateway(Object.fromEntries(targets), { waitMs: 60_000, ...options });
  await all.settled();
  return all;
}

/** A session with a gateway, as a client of this name. */
export function sessionWith(
  all: Gateway,
  name = 'somebody',
  era?: 'legacy' | 'modern',
): Promise<Session> {
  return openSession(memoryTarget(all), { name, version: '1', era, probeTimeoutMs: 60_000 });
}

export async function namesOf(session: Session): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of session.tools()) names.push(name);
  return names;
}
