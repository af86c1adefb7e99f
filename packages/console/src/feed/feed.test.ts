import { describe, expect, test } from 'vitest';
import { createFeed } from './feed.ts';

const said = (message: unknown) =>
  ({ wire: 'beside', direction: 'stderr', message, server: 'one' }) as const;

describe('a feed', () => {
  test('gives what came after and before a place, in order', () => {
    const feed = createFeed();
    for (let at = 1; at <= 10; at += 1) feed.add(said(`line ${at}`));
    const seqs = (entries: ReturnType<typeof feed.after>): readonly number[] =>
      entries.map(({ seq }) => seq);
    expect(seqs(feed.after(0, 3))).toEqual([1, 2, 3]);
    expect(seqs(feed.after(8, 100))).toEqual([9, 10]);
    expect(seqs(feed.after(10, 100))).toEqual([]);
    expect(seqs(feed.before(4, 2))).toEqual([2, 3]);
    expect(seqs(feed.before(1_000_000, 2))).toEqual([9, 10]);
    expect(feed.get(7)).toMatchObject({ seq: 7, message: 'line 7' });
    expect(feed.get(11)).toBeUndefined();
    expect([feed.first, feed.last]).toEqual([1, 10]);
  });

  test('lets go of the oldest when there are too many, and its numbers go on', () => {
    const feed = createFeed({ maxEntries: 5000 });
    for (let at = 1; at <= 50_000; at += 1) feed.add(said(at));
    expect([feed.first, feed.last]).toEqual([45_001, 50_000]);
    expect(feed.get(45_000)).toBeUndefined();
    expect(feed.after(0, 2).map(({ seq }) => seq)).toEqual([45_001, 45_002]);
    expect(feed.before(45_003, 100).map(({ seq }) => seq)).toEqual([45_001, 45_002]);
  });

  test('holds so much memory and no more, whatever a message is', () => {
    const feed = createFeed({ maxBytes: 1_000_000 });
    for (let at = 0; at < 100; at += 1) feed.add(said({ text: 'x'.repeat(100_000) }));
    expect(feed.last - feed.first + 1).toBe(4);
    feed.add(said('y'.repeat(10_000_000)));
    expect(feed.first).toBe(feed.last);
    feed.add(said('small'));
    expect(feed.after(0, 10).map(({ message }) => message)).toEqual(['small']);
  });

  test('tells whoever watches, until they do not', () => {
    const feed = createFeed();
    let told = 0;
    const end = feed.watch(() => (told += 1));
    feed.add(said('a'));
    end();
    feed.add(said('b'));
    expect(told).toBe(1);
  });
});
