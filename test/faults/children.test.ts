import { describe, expect, test } from 'vitest';
import { openChild } from './lib/child-session.ts';
import { killNow, Mark, shaped, shapeNames, type Shape } from './lib/marked-processes.ts';

const linux = process.platform === 'linux';

/** Starts a child, asks it something that it does not answer, and kills it. */
async function killMidCall(shape: Shape, mark: Mark): Promise<void> {
  await using child = await openChild(shaped(shape, mark));
  const { pid } = (await child.request('pid')) as { pid: number };
  const calls = Array.from({ length: 3 }, () => child.request('never'));
  const outcomes = Promise.allSettled(calls);
  killNow(pid);
  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { code: 'closed', cause: { code: 'process_failed', details: { signal: 'SIGKILL' } } },
    });
  }
}

describe.skipIf(!linux)('a child that is killed during a call', () => {
  test.each(shapeNames)('%s: every call settles, and nothing is left, 40 times', async (shape) => {
    await using mark = new Mark();
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 8 }, () => killMidCall(shape, mark)));
    }
    expect(await mark.left()).toEqual([]);
  });

  test('by the death of what it wraps: the call settles, and nothing is left', async () => {
    await using mark = new Mark();
    await using child = await openChild(shaped('wrapped by a shell', mark));
    const { pid } = (await child.request('pid')) as { pid: number };
    const outcome = Promise.allSettled([child.request('never')]);
    for (const inner of mark.alive()) if (inner !== pid) killNow(inner);
    expect(await outcome).toMatchObject([{ reason: { code: 'closed' } }]);
    expect(await mark.left()).toEqual([]);
  });
});

describe.skipIf(!linux)('a child that is told to end', () => {
  const stop = { eofMs: 300, termMs: 300 };

  test.each(shapeNames)('%s: is gone with all that it started', async (shape) => {
    await using mark = new Mark();
    // A polite one is not waited for; a deaf one has its time, and no more.
    const deaf = shape === 'deaf to SIGTERM and to the end of its input';
    const patience = deaf ? stop : { eofMs: 3_600_000, termMs: 3_600_000 };
    const child = await openChild({ ...shaped(shape, mark), stop: patience });
    await child.request('pid');
    const began = performance.now();
    await child.close();
    const ms = performance.now() - began;
    expect(await mark.left()).toEqual([]);
    expect(ms).toBeGreaterThan(deaf ? 550 : 0);
  });

  test('after SIGTERM, when it only hears that', async () => {
    await using mark = new Mark();
    const script = 'trap "exit 0" TERM; while :; do sleep 0.05; done';
    const child = await openChild({
      command: '/bin/sh',
      args: ['-c', script],
      env: mark.env,
      stop: { eofMs: 100, termMs: 3_600_000 },
    });
    await child.close();
    expect(await mark.left()).toEqual([]);
  });

  test('although it is stopped', async () => {
    await using mark = new Mark();
    for (const shape of ['plain', 'deaf to SIGTERM and to the end of its input'] as const) {
      const child = await openChild({ ...shaped(shape, mark), stop });
      const { pid } = (await child.request('pid')) as { pid: number };
      process.kill(pid, 'SIGSTOP');
      const call = Promise.allSettled([child.request('never')]);
      await child.close();
      expect(await call).toMatchObject([{ reason: { code: 'closed' } }]);
      expect(await mark.left()).toEqual([]);
    }
  });

  test('a hundred at once, while they are being asked', async () => {
    await using mark = new Mark();
    const children = await Promise.all(
      Array.from({ length: 100 }, () => openChild({ ...shaped('plain', mark), stop })),
    );
    const calls = children.map((child) => child.request('never'));
    const outcomes = Promise.allSettled(calls);
    await Promise.all(children.map((child) => child.close()));
    expect((await outcomes).filter(({ status }) => status === 'fulfilled').length).toBeLessThan(
      101,
    );
    expect(await mark.left()).toEqual([]);
  });
});

describe('a child that ends at once', () => {
  test.each([
    ['false', []],
    ['/bin/sh', ['-c', 'exit 1']],
    ['/bin/sh', ['-c', 'echo sorry >&2; exit 1']],
  ])('%s %j: the call fails and says why', async (command, args) => {
    for (let round = 0; round < 10; round++) {
      await using child = await openChild({ command, args });
      await expect(child.request('initialize')).rejects.toMatchObject({
        code: 'closed',
        cause: { code: 'process_failed', details: { exitCode: 1 } },
      });
    }
  });

  test.each(['no-such-program-anywhere', '/etc/passwd', '/tmp', './no/such/file'])(
    '%s: it is refused when it is opened',
    async (command) => {
      await expect(openChild({ command })).rejects.toMatchObject({ code: 'process_failed' });
    },
  );
});
