// The store in a folder: the contract of all stores, several processes, and kill -9 at any point.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { storeContract } from 'mcp-kit/testing';
import type { Store } from 'mcp-kit/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFileStore } from '../../packages/store-file/dist/index.js';
import { requireBuild } from '../support/cli.ts';
import { killWriters } from './lib/store-writers.ts';

beforeAll(requireBuild);

let folder: string;
beforeAll(async () => (folder = await mkdtemp(path.join(tmpdir(), 'store-file-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

let count = 0;
const newFolder = (): string => path.join(folder, `store${(count += 1)}`);

describe('A store in a folder', () => {
  // Its clock is that of the machine.
  test.each(storeContract(() => openFileStore(path.join(folder, 'contract'))))('$name', ({ run }) =>
    run(),
  );

  test('has what it had when it is opened again', async () => {
    const place = newFolder();
    const first = await openFileStore(place);
    await first.kv.cas('kept', undefined, 'value');
    await first.kv.cas('short', undefined, 'value', { ttlMs: 1 });
    await first.log.append('log', 7, 'entry');
    await first.close();
    const again = await openFileStore(place);
    expect(await again.kv.get('kept')).toBe('value');
    await expect.poll(() => again.kv.get('short')).toBeUndefined();
    expect(await again.log.readAfter('log', 6)).toEqual({
      entries: [{ position: 7, data: 'entry' }],
      complete: true,
    });
    await again.close();
  });

  test('is one for all who have it open', async () => {
    const place = newFolder();
    const stores = await Promise.all([1, 2, 3].map(() => openFileStore(place)));
    const claims = stores.map(async ({ kv }, at) => kv.cas('key', undefined, `${at}`));
    const won = (await Promise.all(claims)).indexOf(true);
    for (const { kv } of stores) expect(await kv.get('key')).toBe(`${won}`);
    for (const store of stores) await store.close();
  });

  test('is nobody else to read', async () => {
    const place = newFolder();
    await using store = disposable(await openFileStore(place));
    await store.kv.cas('key', undefined, 'secret');
    expect((await stat(place)).mode & 0o077).toBe(0);
    for (const name of await readdir(place)) {
      expect((await stat(path.join(place, name))).mode & 0o077).toBe(0);
    }
  });

  test('refuses what does not fit, tells it, and goes on', async () => {
    await using store = disposable(await openFileStore(newFolder(), { maxBytes: 256 * 1024 }));
    const large = 'x'.repeat(20_000);
    await store.log.append('log', 1, large);
    let kept = 0;
    const fill = async (): Promise<void> => {
      for (; kept < 100; kept += 1) await store.kv.cas(`key ${kept}`, undefined, large);
    };
    await expect(fill()).rejects.toMatchObject({ code: 'overloaded' });
    expect(kept).toBeGreaterThan(5);
    // Logs went first.
    expect(await store.log.readAfter('log', 0)).toEqual({ entries: [], complete: false });
    expect(await store.kv.get('key 0')).toBe(large);
    expect(await store.kv.cas('key 0', large, undefined)).toBe(true);
    expect(await store.kv.cas('key 0', undefined, 'small')).toBe(true);
  });

  test('cuts a log that grows too long, and says so', async () => {
    await using store = disposable(await openFileStore(newFolder(), { maxLogBytes: 10_000 }));
    for (let at = 1; at <= 10; at += 1) await store.log.append('log', at, 'x'.repeat(1000));
    const read = await store.log.readAfter('log', 0);
    expect(read.complete).toBe(false);
    expect(read.entries.map(({ position }) => position)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await store.log.readAfter('log', 1)).toMatchObject({ complete: true });
  });

  test.each([
    [
      'is damaged',
      (bytes: Buffer) => bytes.fill('no database'),
      'cannot be opened: file is not a database',
    ],
    // The version is at byte 60 of every SQLite file.
    ['is of a later version', (bytes: Buffer) => bytes.writeInt32BE(99, 60), 'a newer version'],
  ])('that %s says so and is left as it is', async (_what, change, said) => {
    const place = newFolder();
    await (await openFileStore(place)).close();
    const file = path.join(place, 'state.db');
    const bytes = await readFile(file);
    change(bytes);
    await writeFile(file, bytes);
    await expect(openFileStore(place)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(new RegExp(`${place}.*${said}`)),
      hint: expect.stringContaining('move the folder away'),
    });
    expect(await readFile(file)).toEqual(bytes);
  });

  test('refuses more than it can write while it waits for the disk, and goes on', async () => {
    await using store = disposable(await openFileStore(newFolder()));
    const large = 'x'.repeat(8 * 1024 * 1024);
    const puts = Array.from({ length: 12 }, async (_, at) =>
      store.kv.cas(`key ${at}`, undefined, large),
    );
    const settled = await Promise.allSettled(puts);
    const refused = settled.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([
      { reason: { code: 'overloaded' } },
      { reason: { code: 'overloaded' } },
      { reason: { code: 'overloaded' } },
      { reason: { code: 'overloaded' } },
    ]);
    expect(await store.kv.get('key 7')).toBe(large);
  });

  test('refuses what is asked after it was closed, and does what was asked before', async () => {
    const store = await openFileStore(newFolder());
    const put = store.kv.cas('key', undefined, 'value');
    await store.close();
    await put;
    await expect(store.kv.get('key')).rejects.toMatchObject({ code: 'closed' });
    await store.close();
  });
});

function disposable<T extends Store>(store: T): T & AsyncDisposable {
  return { ...store, [Symbol.asyncDispose]: async () => store.close() };
}

test('Processes that share a folder lose nothing that was acknowledged, whenever one is killed', () =>
  killWriters(newFolder(), 9));
