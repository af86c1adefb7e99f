import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBudget, silentLogger } from '#base';
import { enclose } from '#protocol';
import { createMemoryStore } from '#store';
import { defaultPace, Heartbeat } from '../paced-stream.ts';
import { profiles } from '../profile.ts';
import type { ResponseStream } from '../responder.ts';
import { sessionIds } from './session-ids.ts';
import { Session } from './session.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);

const protocolVersion = '2025-11-25';
const serve = enclose({
  serve: () => ({ protocolVersion }),
  mirroredHeaders: () => [],
  describe: () => ({}),
});
const greeting = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion } };

/** A connection that takes everything, and keeps it. */
class Taker implements ResponseStream {
  text = '';
  readonly waiting = 0;
  readonly #closes: (() => void)[] = [];
  write(text: string): void {
    this.text += text;
  }
  onDrain(): void {}
  onClose(listener: () => void): void {
    this.#closes.push(listener);
  }
  end(): void {
    this.cut();
  }
  cutAfterStall(): void {}
  cut(): void {
    for (const listener of this.#closes.splice(0)) listener();
  }
}

/** One log per profile: sessions of one endpoint share theirs. */
const logs = { spec: createMemoryStore().log, '2025-06-18': createMemoryStore().log };

function openSession(id: string, name: keyof typeof logs): Session {
  const profile = profiles[name];
  const session = new Session(
    { id },
    {
      serve,
      ids: sessionIds(undefined),
      profile,
      log: logs[name],
      logger: silentLogger,
      heartbeat: new Heartbeat(profile.heartbeat),
      pace: defaultPace,
      retryMs: 1000,
      retainMs: 60_000,
      budget: createBudget(),
      connection: {},
      end() {},
    },
    { principal: undefined },
  );
  session.connection.message(greeting);
  return session;
}

/** A session that has said something on three streams, and the ids it gave out. */
function talkative(id: string, name: keyof typeof logs) {
  const session = openSession(id, name);
  const takers = Array.from({ length: 3 }, (_, at) => {
    const taker = new Taker();
    const stream = session.openStream(taker);
    for (let event = 0; event <= at * 4; event++) stream.emit(`"${id} ${at} ${event}"`);
    return taker;
  });
  const ids = takers.flatMap(({ text }) =>
    [...text.matchAll(/^id: (.*)$/gm)].map(([, at]) => at ?? ''),
  );
  return { session, ids };
}

describe.each(['spec', '2025-06-18'] as const)(
  'an event id, as the profile %s writes it,',
  (name) => {
    const mine = talkative('session-a', name);
    const theirs = talkative('session-b', name);

    test('is given out once', () => {
      expect(mine.ids).toHaveLength(3 + 1 + 5 + 9);
      expect(new Set(mine.ids).size).toBe(mine.ids.length);
    });

    test('is found exactly when it was given out by this session, and any other text is not', async () => {
      const claimed = fc.oneof(
        fc.constantFrom(...mine.ids, ...theirs.ids),
        fc
          .tuple(fc.nat(5), fc.constantFrom('.', '-', ':', ''), fc.integer({ min: -1, max: 12 }))
          .map((parts) => parts.join('')),
        fc
          .tuple(fc.constantFrom('session-a', 'session-b', ''), fc.integer({ min: -1, max: 30 }))
          .map((parts) => parts.join('-')),
        fc
          .tuple(fc.constantFrom(...mine.ids), fc.constantFrom(' ', '0', '.0', 'e1', '\0', '\n'))
          .map((parts) => parts.join('')),
        fc.string({ unit: 'binary' }),
      );
      await fc.assert(
        fc.asyncProperty(claimed, async (text) => {
          const found = await mine.session.locate(text);
          assert.equal(found !== undefined, mine.ids.includes(text));
        }),
        { numRuns },
      );
    });

    test('is worth nothing once its session is closed', async () => {
      const { session, ids } = talkative('session-c', name);
      await session.connection.close();
      for (const id of ids) expect(await session.locate(id)).toBeUndefined();
    });
  },
);

test('what belongs to no request goes to the newest open stream, and waits while none is open', () => {
  const session = openSession('session-d', 'spec');
  const [older, newer, next] = [new Taker(), new Taker(), new Taker()];
  session.listen(older);
  session.listen(newer);
  session.send('"one"');
  newer.cut();
  session.send('"two"');
  older.cut();
  session.send('"three"');
  session.listen(next);
  expect(newer.text).toContain('data: "one"');
  expect(older.text).toContain('data: "two"');
  expect(older.text).not.toContain('one');
  expect(next.text).toContain('data: "three"');
});

test('a session is idle when nobody listens, whatever is still being served for those who left', () => {
  const session = openSession('session-e', 'spec');
  expect(session.isIdle()).toBe(true);
  const taker = new Taker();
  session.listen(taker);
  expect(session.isIdle()).toBe(false);
  taker.cut();
  expect(session.isIdle()).toBe(true);
});
