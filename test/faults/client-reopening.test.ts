import { expect, test } from 'vitest';
import { ServerProcess } from './lib/server-process.ts';
import { scaled } from '../support/scale.ts';

const times = scaled(10_000);

test.each(['legacy', 'modern'])(
  `${times} lost connections of one session leave nothing behind, in the %s era`,
  async (era) => {
    await using client = await ServerProcess.start({ era, times }, 'client.mjs');
    const warm = await client.ask('memory');
    expect(await client.ask('heal')).toEqual({ healed: times, lost: times, handshakes: times + 1 });
    const after = await client.ask('memory');
    expect(after.used - warm.used).toBeLessThan(8 * 1024 * 1024);
    expect(await client.ask('objects')).toMatchObject({
      // The two ends of the one connection that is open.
      Connection: 2,
      MemoryEnd: 2,
      Session: 1,
      Caller: 1,
      // The client's, and the server's.
      Conversation: 2,
      Subscriptions: 1,
    });
    await client.ask('end');
    expect(await client.ask('objects')).toMatchObject({
      Connection: 0,
      MemoryEnd: 0,
      Exchange: 0,
      Session: 0,
      Caller: 0,
      Conversation: 0,
      Subscriptions: 0,
    });
    await expect.poll(() => client.ask('timers')).toBeLessThanOrEqual(1);
    expect(client.ended).toBeUndefined();
  },
);
