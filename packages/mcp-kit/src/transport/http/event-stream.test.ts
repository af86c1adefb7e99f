import { setImmediate as turn } from 'node:timers/promises';
import { createDeferred, silentLogger } from '#base';
import { createMemoryStore, type Log } from '#store';
import { describe, expect, test } from 'vitest';
import { EventStream } from './event-stream.ts';
import { KeptAnswers } from './sessions/kept-answers.ts';
import { defaultPace, PacedStream } from './paced-stream.ts';
import type { ResponseStream } from './responder.ts';

/** A client that takes everything at once, and says when it was hung up on. */
function createClient(): { readonly stream: PacedStream; readonly received: Promise<string> } {
  let text = '';
  let closed = (): void => {};
  const received = new Promise<string>((resolve) => {
    closed = () => resolve(text);
  });
  const out: ResponseStream = {
    waiting: 0,
    write: (more) => {
      text += more;
    },
    onDrain: () => {},
    onClose: () => {},
    end: () => closed(),
    cutAfterStall: () => {},
    cut: () => closed(),
  };
  return { stream: new PacedStream(out, { pace: defaultPace }), received };
}

/** A log that takes its time, as one on another machine does. */
function slow(log: Log): Log {
  return {
    append: async (...args) => {
      await turn();
      return log.append(...args);
    },
    readAfter: async (...args) => {
      await turn();
      return log.readAfter(...args);
    },
    watch: log.watch,
    delete: (key) => log.delete(key),
  };
}

function createStream(log: Log): EventStream {
  let position = 0;
  return new EventStream({
    log,
    logger: silentLogger,
    key: 'stream',
    nextPosition: () => ++position,
    eventId: (at) => `e${at}`,
    retryMs: 1000,
    retainMs: 60_000,
  });
}

describe.each([
  ['a log in memory', (log: Log) => log],
  ['a slow log', slow],
])('a client that is let go, with %s,', (_name, wrap) => {
  test('has been told where to come back, and gets the rest when it does', async () => {
    const stream = createStream(wrap(createMemoryStore().log));
    const first = createClient();
    stream.prime();
    stream.attach(first.stream, 0);
    stream.emit('"before"');
    stream.release(70);
    expect(await first.received).toBe(
      'id: e1\nretry: 1000\ndata: \n\nevent: message\nid: e2\ndata: "before"\n\nretry: 70\n\n',
    );

    stream.emit('"while away"');
    stream.finish('"answer"');
    const second = createClient();
    stream.attach(second.stream, 2);
    expect(await second.received).toBe(
      'event: message\nid: e3\ndata: "while away"\n\nevent: message\nid: e4\ndata: "answer"\n\n',
    );
  });
});

test('a client whose events are no longer there is cut off at once, and nobody looks for them again', async () => {
  const { log } = createMemoryStore();
  let reads = 0;
  const stream = createStream({
    ...log,
    readAfter: (...args) => {
      reads += 1;
      // Without an end to it nothing else would have its turn, this test included.
      if (reads > 100) throw new Error('looked for again and again');
      return log.readAfter(...args);
    },
  });
  stream.prime();
  stream.finish('"answer"');
  log.delete('stream');
  const client = createClient();
  stream.attach(client.stream, 1);
  expect(await client.received).toBe('');
  await turn();
  expect({ reads, attached: stream.attached }).toEqual({ reads: 1, attached: false });
});

test('what follows each event of an answer is known, and nothing of others', () => {
  const answers = new KeptAnswers();
  answers.keep({ primingId: '1.1', finalId: '1.2', final: 'final' });
  expect([answers.after('1.1'), answers.after('1.2'), answers.after('2.1')]).toEqual([
    'final',
    '',
    undefined,
  ]);
});

test('only the latest answers are kept', () => {
  const answers = new KeptAnswers();
  for (let at = 1; at <= 100; at++) {
    answers.keep({ primingId: `${at}.1`, finalId: `${at}.2`, final: `answer ${at}` });
  }
  const kept = Array.from({ length: 100 }, (_, at) => answers.after(`${at + 1}.1`)).filter(Boolean);
  expect(kept).toHaveLength(8);
  expect(kept.at(-1)).toBe('answer 100');
});

test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  'no event is on the wire before a slow log has it, %i steps after the one before',
  async (steps) => {
    const { log } = createMemoryStore();
    const first = createDeferred<void>();
    const stream = createStream({
      ...log,
      append: async (...given) => {
        await (given[1] === 1 ? first.promise : new Promise(() => {}));
        return log.append(...given);
      },
    });
    const client = createClient();
    stream.attach(client.stream, 0);
    stream.emit('"one"');
    await turn();
    first.resolve();
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    stream.emit('"two"');
    await turn();
    client.stream.cut();
    expect(await client.received).not.toContain('"two"');
  },
);

test('an event that cannot be stored ends the log, which never has a gap', async () => {
  const { log } = createMemoryStore();
  const stream = createStream({
    ...log,
    append: async (...given) => {
      if (given[1] === 2) throw new Error('down');
      return log.append(...given);
    },
  });
  const client = createClient();
  stream.attach(client.stream, 0);
  for (const text of ['"one"', '"two"', '"three"']) stream.emit(text);
  await turn();
  client.stream.cut();
  expect(await client.received).toContain('"three"');
  expect(log.readAfter('stream', 0).entries.map(({ position }) => position)).toEqual([1]);
});
