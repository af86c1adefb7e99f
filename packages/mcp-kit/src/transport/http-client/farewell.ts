import { createDeferred } from '#base';
import type { Handshake } from './handshake.ts';
import type { Wire } from './wire.ts';

/** Lets the server forget a session that it may still know; whether it does is its own affair. */
export function sayFarewell(wire: Wire, { headers }: Handshake, timeoutMs: number): Promise<void> {
  const { promise, resolve } = createDeferred<void>();
  const done = (): void => {
    clearTimeout(timer);
    asking.abort();
    resolve();
  };
  const asking = wire.ask({ method: 'DELETE', headers }, { answered: done, failed: done });
  const timer = setTimeout(done, timeoutMs);
  return promise;
}
