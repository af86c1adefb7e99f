import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { silentLogger } from '#base';
import { createMemoryStore, type Log } from '#store';
import { EventStream } from './event-stream.ts';
import { PacedStream } from './paced-stream.ts';
import type { ResponseStream } from './responder.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);
const schedules = Math.ceil(numRuns / 10);

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A connection whose client takes as much as the test says, and may vanish at any byte. */
class Wire implements ResponseStream {
  #sent = '';
  #taken = 0;
  #ended = false;
  closed = false;
  readonly #drains: (() => void)[] = [];
  readonly #closes: (() => void)[] = [];

  get waiting(): number {
    return this.#sent.length - this.#taken;
  }
  get received(): string {
    return this.#sent.slice(0, this.#taken);
  }
  write(text: string): void {
    assert.ok(!this.#ended, 'written after its end');
    if (!this.closed) this.#sent += text;
  }
  onDrain(listener: () => void): void {
    this.#drains.push(listener);
  }
  onClose(listener: () => void): void {
    if (this.closed) listener();
    else this.#closes.push(listener);
  }
  end(): void {
    this.#ended = true;
    this.take(0);
  }
  cutAfterStall(): void {}
  cut(): void {
    if (this.closed) return;
    this.closed = true;
    for (const listener of this.#closes) listener();
  }
  /** The client reads this much. */
  take(bytes: number): void {
    if (this.closed) return;
    this.#taken = Math.min(this.#sent.length, this.#taken + bytes);
    if (this.waiting > 0) return;
    for (const listener of this.#drains) listener();
    if (this.#ended) this.cut();
  }
}

/** Reads events as the HTML standard says; one that is not complete does not count. */
function parse(text: string): { readonly id: string; readonly data: string }[] {
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks.flatMap((block) => {
    const lines = block.split('\n').filter((line) => !line.startsWith(':'));
    const valueOf = (name: string): string[] =>
      lines
        .filter((line) => line.startsWith(`${name}:`))
        .map((line) => line.slice(name.length + 1).replace(/^ /, ''));
    const data = valueOf('data');
    return data.length === 0 ? [] : [{ id: valueOf('id').at(-1) ?? '', data: data.join('\n') }];
  });
}

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
    eventId: (at) => String(at),
    retryMs: 1000,
    retainMs: 60_000,
  });
}

const pace = { highWaterBytes: 200, stallMs: 60_000 };

/** A client that comes back after each loss and says what it saw last. */
class Client {
  readonly seen: { readonly id: string; readonly data: string }[] = [];
  wire = new Wire();
  #collected: Wire | undefined;

  connect(stream: EventStream): void {
    this.collect();
    this.wire = new Wire();
    stream.attach(new PacedStream(this.wire, { pace }), Number(this.seen.at(-1)?.id ?? 0));
  }
  lose(): void {
    this.wire.cut();
  }
  /** Reads what this connection brought, once. */
  collect(): void {
    if (this.#collected === this.wire) return;
    this.#collected = this.wire;
    this.seen.push(...parse(this.wire.received));
  }
}

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('emit' as const), size: fc.nat(120) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('take' as const), bytes: fc.nat(300) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lose' as const), bytes: fc.nat(100) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('connect' as const), bytes: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), bytes: fc.nat(50) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('turn' as const), bytes: fc.nat(0) }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A stream, what was said on it, and the client that hears it. */
class Story {
  readonly stream: EventStream;
  readonly client = new Client();
  readonly said: string[] = [];

  constructor(log: Log) {
    this.stream = createStream(log);
    this.stream.prime();
    this.client.connect(this.stream);
  }

  async act(action: Step): Promise<void> {
    const { stream, client } = this;
    switch (action.do) {
      case 'emit':
        if (stream.finished) break;
        this.said.push(JSON.stringify([this.said.length, 'é\n'.repeat(action.size)]));
        stream.emit(this.said.at(-1) ?? '');
        break;
      case 'take':
        client.wire.take(action.bytes);
        break;
      case 'release':
        stream.release(10);
        break;
      case 'turn':
        await turn();
        break;
      case 'connect':
        client.connect(stream);
        break;
      case 'lose':
        client.wire.take(action.bytes);
        client.lose();
        break;
    }
  }

  finish(): void {
    if (this.stream.finished) return;
    this.said.push('"answer"');
    this.stream.finish('"answer"');
  }

  /** Comes back as often as it takes. */
  async fetchAll(): Promise<void> {
    const { stream, client } = this;
    for (let round = 0; round < 200 && client.seen.at(-1)?.data !== '"answer"'; round++) {
      if (client.wire.closed) client.connect(stream);
      await turn();
      client.wire.take(10_000);
      await turn();
      if (client.wire.closed) client.collect();
    }
    await turn();
    client.wire.take(10_000);
    await turn();
  }
}

test('wherever connections are lost, every message arrives once and in order, the last one too', async () => {
  const schedule = fc.array(step, { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(schedule, fc.nat(40), fc.boolean(), async (steps, finishAt, remote) => {
      const { log } = createMemoryStore();
      const story = new Story(remote ? slow(log) : log);
      for (const [at, action] of steps.entries()) {
        if (at === finishAt) story.finish();
        await story.act(action);
      }
      story.finish();
      await story.fetchAll();
      const heard = story.client.seen.map(({ data }) => data).filter((data) => data !== '');
      assert.deepEqual(heard, story.said);
      assert.equal(story.stream.attached, false);
      story.stream.close();
    }),
    { numRuns: schedules },
  );
});

test('any JSON text survives the framing', async () => {
  const { log } = createMemoryStore();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.json({ maxDepth: 1 }), { maxLength: 3 }), async (texts) => {
      const stream = createStream(log);
      const client = new Client();
      client.connect(stream);
      client.wire.take(0);
      for (const text of texts) stream.emit(JSON.stringify(JSON.parse(text)));
      stream.finish(undefined);
      while (!client.wire.closed) {
        client.wire.take(1_000_000);
        await Promise.resolve();
      }
      client.collect();
      assert.deepEqual(
        client.seen.map(({ data }) => JSON.parse(data) as unknown),
        texts.map((text) => JSON.parse(text) as unknown),
      );
      stream.close();
    }),
    { numRuns },
  );
});

test('a store that fails costs the chance to come back, not the events of a client that stays', async () => {
  const failing: Log = {
    append: () => Promise.reject(new Error('down')),
    readAfter: () => Promise.reject(new Error('down')),
    watch: () => () => undefined,
    delete: () => Promise.reject(new Error('down')),
  };
  const stream = createStream(failing);
  const client = new Client();
  client.connect(stream);
  stream.emit('"a"');
  await turn();
  stream.finish('"b"');
  await turn();
  client.wire.take(10_000);
  await turn();
  expect(client.wire.received).toMatch(/data: "a"\n\n[^]*data: "b"\n\n$/);
  expect(client.wire.closed).toBe(true);
  stream.close();
});

test('a sender that waits is let go when the client leaves and there is room to keep what it says', async () => {
  const stream = createStream(createMemoryStore().log);
  const client = new Client();
  client.connect(stream);
  expect(stream.emit(JSON.stringify('x'.repeat(300)))).toBe('full');
  let free = false;
  const drained = stream.drained().then(() => (free = true));
  await turn();
  expect(free).toBe(false);
  client.lose();
  await drained;
  expect(stream.emit('"more"')).toBe('sent');
  stream.close();
});

test('a sender that waits is let go when the client has caught up', async () => {
  const stream = createStream(createMemoryStore().log);
  const client = new Client();
  client.connect(stream);
  for (let round = 0; round < 3; round++) {
    expect(stream.emit(JSON.stringify('x'.repeat(300)))).toBe('full');
    let free = false;
    const drained = stream.drained().then(() => (free = true));
    await turn();
    expect(free).toBe(false);
    client.wire.take(1000);
    await drained;
  }
  stream.close();
});

test('what a detached client has not fetched is kept whole while its sender waits when told', async () => {
  const stream = createStream(createMemoryStore().log);
  const client = new Client();
  stream.prime();
  client.connect(stream);
  client.wire.take(1000);
  client.lose();
  const said: string[] = [];
  for (let at = 0; at < 100_000; at++) {
    const text = JSON.stringify([at, 'x'.repeat(at % 2 === 0 ? 50 : 2000)]);
    said.push(text);
    if (stream.emit(text) !== 'sent') break;
  }
  expect(said.length).toBeLessThan(100_000);
  stream.finish('"answer"');
  client.connect(stream);
  while (!client.wire.closed) {
    client.wire.take(1_000_000);
    await turn();
  }
  client.collect();
  const messages = client.seen.filter(({ data }) => data !== '').map(({ data }) => data);
  assert.ok(JSON.stringify(messages) === JSON.stringify([...said, '"answer"']), 'some were lost');
  stream.close();
});
