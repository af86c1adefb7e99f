import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Nobody has listened here for decades. */
export const closedPort = 9;

/**
 * A free port that stays free while nobody listens on it: below those that systems give to connections, so that a server can be
 * ended and be there again where it was.
 */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    const probe = createServer().listen(port, '127.0.0.1');
    try {
      await once(probe, 'listening');
    } catch {
      continue;
    }
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

/**
 * Listens where a server was a moment ago. Test files share a process: what another one starts has a copy of every open socket
 * until it has become its program, and for so long the port is taken.
 */
export async function listenAgain<Listening>(listen: () => Promise<Listening>): Promise<Listening> {
  for (let attempt = 1; attempt < 100; attempt += 1) {
    try {
      return await listen();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== 'address_in_use' && code !== 'EADDRINUSE') throw error;
      await sleep(20);
    }
  }
  return listen();
}
