import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDeferred } from '../async.ts';
import { whileLocked } from './lock-file.ts';
import { ownProcess } from '../processes/process-identity.ts';

let folder = '';
let lock = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-lock-'));
  lock = path.join(folder, 'a.lock');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

const ran = (): Promise<string> => Promise.resolve('ran');
const token = '0123456789abcdef';
/** Gives up soon; waits for less than the silence of a lock. */
const soon = { waitMs: 60 };
const prompt = { waitMs: 8000 };

/** A lock that somebody else left or holds. */
async function leave(content: object | string, dated?: Date): Promise<void> {
  await writeFile(lock, typeof content === 'string' ? content : JSON.stringify(content));
  if (dated !== undefined) await utimes(lock, dated, dated);
}

/** The number of a process that has ended. */
async function endedPid(): Promise<number> {
  const child = spawn('/bin/sh', ['-c', 'exit 0']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

/** Lets a second pass for this process whenever it looks at the clock. */
function hurry(): void {
  let seconds = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => 1000 * seconds++);
}

const past = new Date(Date.now() - 3_600_000);
const future = new Date(Date.now() + 3_600_000);

describe('a lock whose holder is gone', () => {
  test.each([
    ['just made', undefined],
    ['dated in the future', future],
    ['dated in the past', past],
  ])('is taken over at once: %s', async (_, dated) => {
    await leave({ token, ...ownProcess(), pid: await endedPid() }, dated);
    expect(await whileLocked(lock, ran, prompt)).toBe('ran');
    expect(await readdir(folder)).toEqual([]);
  });

  test.runIf(process.platform === 'linux')(
    'is taken over when another process has got its number',
    async () => {
      await leave({ token, ...ownProcess(), start: ownProcess().start - 1 }, future);
      expect(await whileLocked(lock, ran, prompt)).toBe('ran');
    },
  );

  test('is taken over after one that was killed while taking it over', async () => {
    const pid = await endedPid();
    await leave({ token, ...ownProcess(), pid });
    const claim = { token: 'fedcba9876543210', ...ownProcess(), pid };
    await writeFile(`${lock}.${token}`, JSON.stringify(claim));
    expect(await whileLocked(lock, ran, prompt)).toBe('ran');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('a lock whose holder cannot be seen', () => {
  const elsewhere = { token, place: 'another machine', pid: 1, start: 1 };

  test.each([
    ['dated now', undefined],
    ['dated in the future', future],
    ['by a clock that is wrong', past],
  ])('is held until it has been silent for 10 s: %s', async (_, dated) => {
    await leave(elsewhere, dated);
    await expect(whileLocked(lock, ran, soon)).rejects.toMatchObject({ code: 'timeout' });
    hurry();
    expect(await whileLocked(lock, ran)).toBe('ran');
  });

  test.each([
    ['nothing', ''],
    ['half of it', '{"token":'],
    ['a path', '{"token":"../../x","place":"","pid":1,"start":1}'],
    ['too much', 'x'.repeat(5000)],
  ])('is held until it has been silent for 10 s, though it says %s', async (_, content) => {
    await leave(content, future);
    await expect(whileLocked(lock, ran, soon)).rejects.toMatchObject({ code: 'timeout' });
    await leave(content, past);
    expect(await whileLocked(lock, ran, prompt)).toBe('ran');
    expect(await readdir(folder)).toEqual([]);
  });
});

test('a lock that was taken from its holder is not removed by it', async () => {
  const inside = createDeferred<void>();
  const entered = createDeferred<void>();
  const first = whileLocked(lock, async () => {
    entered.resolve();
    await inside.promise;
  });
  await entered.promise;
  await rm(lock);
  const others = JSON.stringify({ token, ...ownProcess() });
  await writeFile(lock, others);
  inside.resolve();
  await first;
  expect(await readFile(lock, 'utf8')).toBe(others);
});

test('a folder in its place is named, and not waited for', async () => {
  await mkdir(lock);
  const error = { code: 'invalid_config', message: expect.stringContaining(lock) as unknown };
  await expect(whileLocked(lock, ran)).rejects.toMatchObject(error);
});

test('a link in its place is not followed', async () => {
  const target = path.join(folder, 'target');
  await symlink(target, lock);
  await expect(whileLocked(lock, ran, soon)).rejects.toMatchObject({ code: 'timeout' });
  expect(await readdir(folder)).toEqual(['a.lock']);
});

test('a folder that cannot be written to is an error at once', async () => {
  const nowhere = path.join(folder, 'missing', 'a.lock');
  await expect(whileLocked(nowhere, ran)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('what runs under it and fails lets go of it', async () => {
  const failing = whileLocked(lock, () => Promise.reject(new Error('failed')));
  await expect(failing).rejects.toThrow('failed');
  expect(await readdir(folder)).toEqual([]);
});
