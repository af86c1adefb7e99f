import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { keysIn, newRing, parseRing, ringText, rotateRing, shownRing } from '#base';
import { expect, onTestFinished, test } from 'vitest';
import { openKeyRing } from './key-ring.ts';
import { createMemoryStore } from './memory.ts';

const minuteMs = 60_000;
const weekMs = 7 * 24 * 60 * minuteMs;
const hex = (keys: readonly Uint8Array[]): string[] =>
  keys.map((key) => Buffer.from(key).toString('hex'));

async function ringFile(text = ringText(newRing(Date.now()))): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ring-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'keys.json');
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

test('a new key opens at once, seals after five minutes, and the former opens for a week more', () => {
  const before = newRing(0);
  const [old] = hex(keysIn(before, 'plan', 0));
  const ring = rotateRing(before, 0);
  expect(hex(keysIn(ring, 'plan', 1))[0]).toBe(old);
  expect(keysIn(ring, 'plan', 1)).toHaveLength(2);
  const [, fresh] = hex(keysIn(ring, 'plan', 1));
  expect(hex(keysIn(ring, 'plan', 5 * minuteMs))).toEqual([fresh, old]);
  expect(hex(keysIn(ring, 'plan', 5 * minuteMs + weekMs))).toEqual([fresh]);
  expect(shownRing(ring, 1).map(({ state }) => state)).toEqual(['pending', 'seals']);
  expect(shownRing(ring, weekMs).map(({ state }) => state)).toEqual(['seals', 'opens']);
  expect(shownRing(ring, 2 * weekMs).map(({ state }) => state)).toEqual(['seals', 'lapsed']);
  expect(() => rotateRing(ring, 1)).toThrow('still to begin');
  expect(rotateRing(rotateRing(ring, weekMs), 3 * weekMs)).toHaveLength(2);
  expect(JSON.stringify(shownRing(ring, 1))).not.toContain(ring[0]?.key);
});

test('what is for one purpose is of no use for another', () => {
  const ring = newRing(0);
  const purposes = ['request-state', 'plan', 'session'] as const;
  const keys = purposes.flatMap((purpose) => hex(keysIn(ring, purpose, 0)));
  expect(new Set([...keys, Buffer.from(ring[0]?.key ?? '', 'base64').toString('hex')]).size).toBe(
    4,
  );
});

test('the ring of a store is one for all who have it, and made once', async () => {
  const store = createMemoryStore();
  const rings = await Promise.all([openKeyRing(store), openKeyRing(store), openKeyRing(store)]);
  const keys = rings.map((ring) => hex(ring.keys('session')()).join());
  expect(new Set(keys).size).toBe(1);
  await rings[0].rotate();
  await rings[1].refresh();
  expect(rings[1].list()).toEqual(rings[0].list());
  for (const ring of rings) ring.close();
});

test('of those who rotate at the same time one does', async () => {
  const file = await ringFile();
  const rings = await Promise.all([openKeyRing(file), openKeyRing(file), openKeyRing(file)]);
  const done = await Promise.allSettled(rings.map((ring) => ring.rotate()));
  expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(parseRing(await readFile(file, 'utf8'), file)).toHaveLength(2);
  for (const ring of rings) ring.close();
});

test('a file that others can read, or that has no keys, is refused; one that breaks later changes nothing', async () => {
  const file = await ringFile();
  const ring = await openKeyRing(file);
  const before = ring.list();
  for (const text of [
    '{',
    '{}',
    '{"keys":[]}',
    '{"keys":[{"kid":"a","key":"AA==","from":"2020"}]}',
  ]) {
    await writeFile(file, text);
    await expect(ring.refresh()).rejects.toThrow('the keys of');
  }
  expect(ring.list()).toEqual(before);
  ring.close();
  await writeFile(file, ringText(newRing(Date.now())));
  await chmod(file, 0o644);
  await expect(openKeyRing(file)).rejects.toThrow('can be read by others');
  await expect(openKeyRing(`${file}.not`)).rejects.toThrow('cannot be read');
});
