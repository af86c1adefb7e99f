import { describe, expect, test } from 'vitest';
import { failure } from '../requirements/client-script.ts';
import { managing, pidOf, shellServer } from './lib/managed-servers.ts';
import { Mark } from './lib/marked-processes.ts';

describe('a server that is being opened', () => {
  test.each(['disconnect', 'close'] as const)(
    'is ended by %s, and whoever waited is told',
    async (how) => {
      await using mark = new Mark();
      await using watched = managing([shellServer('slow', mark, { startMs: 200 })]);
      const { manager } = watched;
      const opening = manager.server('slow').connect();
      const told = failure(opening);
      await watched.until(({ state }) => state === 'starting');
      await manager[how]('slow');
      expect(await told).toMatchObject({ code: 'closed' });
      expect(mark.alive()).toEqual([]);
      // Longer than it would have taken to open.
      await new Promise((resolve) => setTimeout(resolve, 400));
      expect(mark.alive()).toEqual([]);
      expect(manager.status('slow')).toMatchObject({ state: 'idle', starts: 0 });
      expect(watched.steps.map(({ state }) => state)).toEqual(['starting', 'idle']);
    },
  );

  test('is opened anew by whoever asks after disconnect, and there is one process', async () => {
    await using mark = new Mark();
    await using watched = managing([shellServer('slow', mark, { startMs: 100 })]);
    const { manager } = watched;
    const first = manager.server('slow').connect();
    const told = failure(first);
    const ended = manager.disconnect('slow');
    const second = manager.server('slow').connect();
    expect(await told).toMatchObject({ code: 'closed' });
    await ended;
    await (await second).ping();
    expect(mark.alive().length).toBeLessThanOrEqual(2);
    expect(manager.status('slow')).toMatchObject({ state: 'ready', starts: 1 });
  });

  test('goes on for the others when one of them gives up', async () => {
    await using mark = new Mark();
    await using watched = managing([shellServer('slow', mark, { startMs: 200 })]);
    const { manager } = watched;
    const patient = manager.server('slow').connect();
    const signal = AbortSignal.abort('tired');
    await expect(manager.server('slow').connect({ signal })).rejects.toMatchObject({
      code: 'aborted',
      cause: 'tired',
    });
    const hurried = manager.server('slow').ping({ timeoutMs: 20 });
    await expect(hurried).rejects.toMatchObject({ code: 'timeout' });
    await (await patient).ping();
    expect(manager.status('slow').starts).toBe(1);
  });
});

test('closing during a wait of the ladder leaves no timer, and nothing starts', async () => {
  await using mark = new Mark();
  await using watched = managing([shellServer('it', mark, { mood: 'crashes' })]);
  const { manager } = watched;
  await manager
    .server('it')
    .connect()
    .catch(() => {});
  await watched.until(({ state }) => state === 'waiting');
  await manager.close();
  const steps = watched.steps.length;
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(watched.steps).toHaveLength(steps);
  expect(mark.alive()).toEqual([]);
});

test('a manager that is closed opens nothing, and says so', async () => {
  await using mark = new Mark();
  await using watched = managing([shellServer('it', mark)]);
  const { manager } = watched;
  const handle = manager.server('it');
  await manager.close();
  const closed = { code: 'closed', message: 'the manager is closed' };
  await expect(manager.server('it').connect()).rejects.toMatchObject(closed);
  await expect(manager.server('it').connect()).rejects.toMatchObject(closed);
  await expect(manager.tools()).rejects.toMatchObject(closed);
  await expect(manager.reload({ entries: [] })).rejects.toMatchObject(closed);
  await expect(handle.ping()).rejects.toMatchObject(closed);
  expect(mark.alive()).toEqual([]);
});

test('closing while a changed configuration is taken over starts nothing afterwards', async () => {
  await using mark = new Mark();
  const entry = shellServer('it', mark);
  await using watched = managing([entry]);
  const { manager } = watched;
  await pidOf(manager, 'it');
  const reloaded = manager.reload({ entries: [{ ...entry, tools: { deny: ['x'] } }] });
  await manager.close();
  await reloaded;
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(mark.alive()).toEqual([]);
});

test('a session that its holder closes is not opened again by itself', async () => {
  await using mark = new Mark();
  await using watched = managing([shellServer('it', mark)]);
  const { manager } = watched;
  const session = await manager.server('it').connect();
  await session.close();
  await watched.until(({ state }) => state === 'idle');
  expect(mark.alive()).toEqual([]);
  expect(watched.steps.map(({ state }) => state)).toEqual(['starting', 'ready', 'idle']);
  expect(await pidOf(manager, 'it')).toBeGreaterThan(0);
});

test('a session that was taken outlives the manager, and the manager opens another', async () => {
  await using mark = new Mark();
  await using watched = managing([shellServer('it', mark)]);
  const { manager } = watched;
  expect(manager.server('it').take()).toBeUndefined();
  const first = await pidOf(manager, 'it');
  await using session = manager.server('it').take();
  expect(manager.status('it').state).toBe('idle');
  expect(manager.isConnected('it')).toBe(false);
  expect(await pidOf(manager, 'it')).not.toBe(first);
  await manager.close();
  expect(mark.alive()).toEqual([first]);
  await session?.ping();
});

test('a listener that asks for the server in the middle of a step starts it once', async () => {
  await using mark = new Mark();
  const asked: Promise<unknown>[] = [];
  const { createManager } = await import('@mcp-kit/host');
  await using manager = createManager({
    entries: [shellServer('it', mark)],
    trust: 'trusted',
    receipts: false,
    toolCache: false,
    era: 'legacy',
    onChange: ({ state }) => {
      if (state === 'starting') asked.push(manager.server('it').connect());
      throw new Error('a bug of the listener');
    },
  });
  await manager.server('it').connect();
  await Promise.all(asked);
  expect(manager.status('it').starts).toBe(1);
  expect(mark.alive()).toHaveLength(1);
});
