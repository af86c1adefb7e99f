import { gateway, type Gateway, type GatewayOptions } from '@mcp-kit/host/gateway';
import { openSession, type Session, type SessionOptions } from 'mcp-kit/client';
import type { Service, Target } from 'mcp-kit/protocol';
import { afterEach } from 'vitest';
import { inMemory } from './memory.ts';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one[Symbol.asyncDispose]();
});

/** Closes it after the test, whatever comes of that. */
export function use<T extends AsyncDisposable>(one: T): T {
  opened.push(one);
  return one;
}

export const start = (targets: Record<string, Target>, options: GatewayOptions = {}): Gateway =>
  use(gateway(targets, options));

/** A client of a gateway, or of a part of one. */
export async function clientOf(service: Service, options: SessionOptions = {}): Promise<Session> {
  const target = inMemory(service, 'gateway');
  return use(await openSession(target, { ...options, probeTimeoutMs: 60_000 }));
}
