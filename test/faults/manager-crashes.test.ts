import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { managing, pidOf, shellServer } from './lib/managed-servers.ts';
import { killNow, Mark } from './lib/marked-processes.ts';

async function scratch(): Promise<AsyncDisposable & { readonly diary: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-crashes-'));
  const diary = path.join(folder, 'diary');
  return { diary, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

const startsIn = async (diary: string): Promise<number> =>
  (await readFile(diary, 'utf8')).trimEnd().split('\n').length;

describe('a server that crashes while it is used', () => {
  test('is started again by itself, on the ladder, and the session goes on', async () => {
    await using mark = new Mark();
    await using watched = managing([shellServer('it', mark)]);
    const { manager } = watched;
    const session = await manager.server('it').connect();
    const first = await pidOf(manager, 'it');
    await expect(session.callTool('die')).rejects.toMatchObject({
      code: 'closed',
      cause: { code: 'process_failed', details: { exitCode: 3, stderr: 'out of cheese\n' } },
    });
    const waiting = await watched.until(({ state }) => state === 'waiting');
    expect(waiting.error?.message).toContain('out of cheese');
    expect((waiting.retryAt ?? Infinity) - waiting.since).toBeLessThanOrEqual(500);
    await watched.until(({ state, starts }) => state === 'ready' && starts === 2);
    expect(watched.steps.map(({ state }) => state)).toEqual([
      'starting',
      'ready',
      'waiting',
      'starting',
      'ready',
    ]);
    expect(await pidOf(manager, 'it')).not.toBe(first);
    await session.ping();
    expect(mark.alive()).toHaveLength(1);
  });

  test('opens at once when somebody asks, without waiting for its turn', async () => {
    await using mark = new Mark();
    await using watched = managing([shellServer('it', mark)], { reconnect: false });
    const { manager } = watched;
    killNow(await pidOf(manager, 'it'));
    const { error } = await watched.until(({ state }) => state === 'stopped');
    expect(error).toMatchObject({ code: 'process_failed', details: { signal: 'SIGKILL' } });
    await manager.server('it').ping();
    expect(manager.status('it')).toMatchObject({ state: 'ready', starts: 2 });
  });

  test('again and again is left alone after five starts, and says so with what it said last', async () => {
    await using mark = new Mark();
    await using place = await scratch();
    const { diary } = place;
    const entry = shellServer('it', mark, { mood: 'crashes when opened', diary });
    await using watched = managing([entry]);
    const { manager } = watched;
    await manager
      .server('it')
      .connect()
      .catch(() => {});
    const { error } = await watched.until(({ state }) => state === 'stopped');
    expect(error).toMatchObject({
      code: 'closed',
      message: 'mcp server it was started 5 times within 30 s, and is left alone now',
      hint: expect.stringContaining('connect again'),
      cause: { code: 'process_failed', message: expect.stringContaining('out of cheese') },
    });
    expect(await startsIn(diary)).toBe(5);
    // Asking does not start it either.
    for (let at = 0; at < 10; at += 1) {
      await expect(manager.server('it').ping()).rejects.toMatchObject({
        message: expect.stringContaining('left alone'),
        cause: { code: 'process_failed', message: expect.stringContaining('out of cheese') },
      });
    }
    expect(await startsIn(diary)).toBe(5);
    // A person who asks is not held to it.
    await manager
      .server('it')
      .connect({ forgive: true })
      .catch(() => {});
    expect(await startsIn(diary)).toBe(6);
    await manager.close();
    expect(mark.alive()).toEqual([]);
  });

  test('is not started by callers more often either', async () => {
    await using mark = new Mark();
    await using place = await scratch();
    const { diary } = place;
    const entry = shellServer('it', mark, { mood: 'crashes', diary });
    await using watched = managing([entry], { reconnect: false });
    const ask = (): Promise<unknown> =>
      watched.manager
        .server('it')
        .ping()
        .catch((error: unknown) => error);
    for (let at = 0; at < 20; at += 1) await ask();
    expect(await startsIn(diary)).toBe(5);
    expect(await ask()).toMatchObject({ message: expect.stringContaining('left alone') });
  });
});

test('a program that is not there is not looked for again and again', async () => {
  await using mark = new Mark();
  const entry = shellServer('it', mark);
  const missing = { ...entry, transport: { ...entry.transport, command: '/no/such/program' } };
  await using watched = managing([missing]);
  await expect(watched.manager.server('it').connect()).rejects.toMatchObject({
    code: 'process_failed',
  });
  expect(watched.manager.status('it')).toMatchObject({ state: 'stopped', starts: 0 });
});
