import { describe, expect, test } from 'vitest';
import { hostileBodies } from './lib/hostile.ts';
import { RawHttp, requestBytes } from './lib/raw-http.ts';
import { ServerProcess } from './lib/server-process.ts';
import { StdioProcess } from './lib/stdio-process.ts';
import { messagesOf, openSession } from './lib/wire.ts';

const tries = 4;
const allowedMs = 50;

/** The shortest of several blocks: others use this machine too, but what the server itself does is in every one. */
async function blockedBy(attempt: () => Promise<void>, blocked: () => Promise<number>) {
  let least = Infinity;
  for (let at = 0; at < tries; at++) {
    await blocked();
    await attempt();
    least = Math.min(least, await blocked());
  }
  return least;
}

/** The code of an error answer, or that the tool refused its arguments. */
function verdictOn(message: Readonly<Record<string, unknown>> | undefined): unknown {
  const { error, result } = (message ?? {}) as {
    error?: { code: number };
    result?: { isError?: boolean };
  };
  return error?.code ?? (result?.isError === true ? 'refused by the tool' : 'served');
}

describe('a message made to be costly', () => {
  test('does not keep an HTTP server from others for 50 ms, nor cost it memory', async () => {
    await using server = await ServerProcess.start();
    using http = new RawHttp(server.port);
    const { headers } = await openSession(http);
    const before = await server.ask('memory');
    const took: Record<string, number> = {};
    for (const { name, body, expected } of hostileBodies) {
      const attempt = async (): Promise<void> => {
        const answer = await http.exchange(requestBytes({ headers, body }));
        expect(verdictOn(messagesOf(answer)[0])).toEqual(expected);
        expect(answer.body.length).toBeLessThan(10_000);
      };
      took[name] = await blockedBy(attempt, () => server.ask('blocked'));
    }
    const tooLong = Object.entries(took).filter(([, ms]) => ms >= allowedMs);
    expect(tooLong).toEqual([]);
    const after = await server.ask('memory');
    expect(after.used - before.used).toBeLessThan(8 * 1024 * 1024);
  });

  test('does not keep a server on a pipe from others for 50 ms', async () => {
    await using client = await StdioProcess.start();
    const took: Record<string, number> = {};
    for (const { name, body, expected } of hostileBodies) {
      const attempt = async (): Promise<void> => {
        expect(verdictOn(await client.exchange(body))).toEqual(expected);
      };
      took[name] = await blockedBy(attempt, () => client.server.ask('blocked'));
    }
    const tooLong = Object.entries(took).filter(([, ms]) => ms >= allowedMs);
    expect(tooLong).toEqual([]);
  });
});
