import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openChild, said, startHost } from './lib/child-session.ts';

const mebibyte = 1024 * 1024;
const server = {
  command: process.execPath,
  args: [path.resolve(import.meta.dirname, 'child/lines.mjs')],
};

describe('a child that says much at once', () => {
  test('a line of 64 MiB is read in linear time, and in half a second, when the limit is raised', async () => {
    const children = [{ ...server, limits: { maxBytes: 128 * mebibyte } }];
    await using host = startHost({ task: 'lines', children, times: 6 });
    // Of processor time: what others do on this machine does not count.
    const { half, whole } = JSON.parse(await said(host)) as { half: number; whole: number };
    expect(whole).toBeLessThan(500);
    expect(whole / half).toBeLessThan(3);
  });

  test('a line beyond the limit fails its call at once, and the next call works', async () => {
    await using child = await openChild(server);
    const tooLarge = child.request('text', { size: 64 * mebibyte });
    await expect(tooLarge).rejects.toMatchObject({ code: 'invalid_answer' });
    expect(await child.request('text', { size: 3 })).toBe('xxx');
  });

  test('4 MiB both ways at once, many times, to a server that blocks, never deadlock', async () => {
    await using child = await openChild(server);
    const text = 'y'.repeat(4 * mebibyte);
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([
        child.request('text', { size: 4 * mebibyte }),
        child.request('length', { text }),
        child.request('text', { size: 4 * mebibyte }),
        child.request('length', { text }),
      ]);
      expect(
        answers.map((answer) => (typeof answer === 'string' ? answer.length : answer)),
      ).toEqual([text.length, text.length, text.length, text.length]);
    }
  });

  test('10 MB on standard error hold up nothing, and only the end is kept', async () => {
    let heard = 0;
    await using child = await openChild({ ...server, onStderr: (text) => (heard += text.length) });
    await child.request('complain', { size: 10_000_000 });
    expect(await child.request('text', { size: 2 })).toBe('xx');
    await expect(child.request('exit', { code: 5 })).rejects.toMatchObject({
      cause: { details: { exitCode: 5, stderr: 'e'.repeat(64 * 1024) } },
    });
    expect(heard).toBe(10_000_000);
  });
});
