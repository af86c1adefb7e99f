import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createMark, endMarked, endMarkedSoon, markName, markVariable } from './marks.ts';

let children: ChildProcess[] = [];

afterEach(() => {
  vi.unstubAllEnvs();
  for (const child of children) child.kill('SIGKILL');
  children = [];
});

/** A process with an environment, once it has said that it runs. */
async function run(env: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const options = { env: { PATH: '/usr/bin:/bin', ...env }, detached: true } as const;
  const child = spawn('/bin/sh', ['-c', 'echo; exec sleep 1000'], options);
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

describe.skipIf(process.platform !== 'linux')('by a mark', () => {
  test.each([
    ['at once', async (mark: string) => endMarked(new Set([mark]))],
    ['soon', endMarkedSoon],
  ])('all that have it are ended %s, and no others', async (_, end) => {
    const [mark, other] = [createMark(), createMark()];
    vi.stubEnv(markName, mark);
    // As a child that has children of its own would start one.
    const below = await run(markVariable(other));
    const own = await run({ [markName]: mark });
    const stranger = await run({ [`NOT_${markName}`]: mark, [markName]: other, MARK: mark });
    const ended = [below, own].map((child) => once(child, 'exit'));
    await end(mark);
    await Promise.all(ended);
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
  });

  test('those that are asked for together are ended together', async () => {
    const marks = [createMark(), createMark(), createMark()];
    const running = await Promise.all(marks.map((mark) => run({ [markName]: mark })));
    const ended = running.map((child) => once(child, 'exit'));
    await Promise.all(marks.map((mark) => endMarkedSoon(mark)));
    await Promise.all(ended);
    expect(running.map(({ signalCode }) => signalCode)).toEqual(marks.map(() => 'SIGKILL'));
  });
});
