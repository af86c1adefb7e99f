import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Heartbeat, PacedStream } from './paced-stream.ts';
import type { ResponseStream } from './responder.ts';

/** A connection whose client reads when the test says so. */
class Slow implements ResponseStream {
  waiting = 0;
  texts: string[] = [];
  ended = false;
  gone = false;
  readonly #drains: (() => void)[] = [];
  readonly #closes: (() => void)[] = [];
  write(text: string): void {
    this.texts.push(text);
    this.waiting += text.length;
  }
  onDrain(listener: () => void): void {
    this.#drains.push(listener);
  }
  onClose(listener: () => void): void {
    if (this.gone) listener();
    else this.#closes.push(listener);
  }
  end(): void {
    this.ended = true;
    if (this.waiting === 0) this.cut();
  }
  #stall: NodeJS.Timeout | undefined;
  cutAfterStall(ms: number | undefined): void {
    clearTimeout(this.#stall);
    if (ms !== undefined) this.#stall = setTimeout(() => this.cut(), ms);
  }
  cut(): void {
    if (this.gone) return;
    clearTimeout(this.#stall);
    this.gone = true;
    for (const listener of this.#closes) listener();
  }
  read(): void {
    this.waiting = 0;
    for (const listener of this.#drains) listener();
    if (this.ended) this.cut();
  }
}

const pace = { highWaterBytes: 10, stallMs: 1000 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a paced stream', () => {
  test('tells its sender to wait while the client is behind, and no longer', async () => {
    const out = new Slow();
    const stream = new PacedStream(out, { pace });
    expect(stream.write('12345')).toBe('sent');
    expect(stream.write('1234567')).toBe('full');
    expect(stream.congested).toBe(true);
    let free = false;
    const drained = stream.drained().then(() => (free = true));
    await vi.advanceTimersByTimeAsync(500);
    expect(free).toBe(false);
    out.read();
    await drained;
    expect(stream.write('x')).toBe('sent');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('cuts a client that stays behind, and lets its sender go', async () => {
    const out = new Slow();
    const stream = new PacedStream(out, { pace });
    const closed = vi.fn<() => void>();
    stream.onClose(closed);
    stream.write('x'.repeat(20));
    const drained = stream.drained();
    await vi.advanceTimersByTimeAsync(999);
    expect(out.gone).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(out.gone).toBe(true);
    await drained;
    expect(stream.open).toBe(false);
    expect(stream.write('more')).toBe('dropped');
    expect(closed).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('does not hear senders that never wait, once the client is far behind', () => {
    const stream = new PacedStream(new Slow(), { pace });
    const outcomes = Array.from({ length: 6 }, () => stream.offer('1234567890'));
    expect(outcomes).toEqual(['sent', 'full', 'full', 'full', 'full', 'dropped']);
  });

  test('cuts a client that does not read its end', async () => {
    const out = new Slow();
    const stream = new PacedStream(out, { pace });
    stream.write('12345');
    stream.end();
    expect(out.gone).toBe(false);
    await vi.advanceTimersByTimeAsync(1000);
    expect(out.gone).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('leaves no timer when the client reads its end', () => {
    const out = new Slow();
    const stream = new PacedStream(out, { pace });
    stream.write('12345');
    stream.end();
    stream.end();
    out.read();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the heartbeat', () => {
  const beats = (out: Slow): number => out.texts.filter((text) => text === ': hi\n\n').length;

  test('keeps every open stream alive with one timer, and none when there is none', async () => {
    const heartbeat = new Heartbeat({ comment: 'hi', everyMs: 100 });
    const outs = [new Slow(), new Slow(), new Slow()];
    const streams = outs.map((out) => new PacedStream(out, { pace, heartbeat }));
    expect(heartbeat.size).toBe(streams.length);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(outs.map(beats)).toEqual([1, 1, 1]);
    outs[0]?.cut();
    await vi.advanceTimersByTimeAsync(100);
    expect(outs.map(beats)).toEqual([1, 2, 2]);
    for (const out of outs) out.cut();
    expect(heartbeat.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('adds nothing to what a client is behind with', async () => {
    const heartbeat = new Heartbeat({ comment: 'hi', everyMs: 100 });
    const out = new Slow();
    const stream = new PacedStream(out, { pace, heartbeat });
    stream.write('x'.repeat(20));
    await vi.advanceTimersByTimeAsync(500);
    expect(beats(out)).toBe(0);
    out.cut();
  });

  test('sets no timer for a stream that is over before it begins', () => {
    const heartbeat = new Heartbeat({ comment: 'hi', everyMs: 100 });
    const out = new Slow();
    out.cut();
    expect(new PacedStream(out, { pace, heartbeat }).open).toBe(false);
    expect(heartbeat.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
