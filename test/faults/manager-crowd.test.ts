import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { managing, pidOf, shellServer, type Behaviour } from './lib/managed-servers.ts';
import { Mark } from './lib/marked-processes.ts';

/** 30 servers: five never answer, five end at once, twenty are well. */
function crowd(mark: Mark) {
  const moodOf = (at: number): Behaviour['mood'] => {
    if (at < 5) return 'hangs';
    return at < 10 ? 'crashes' : 'well';
  };
  return Array.from({ length: 30 }, (_, at) => {
    const name = `server${String(at).padStart(2, '0')}`;
    return shellServer(name, mark, { mood: moodOf(at) ?? 'well' });
  });
}

const well = Array.from({ length: 20 }, (_, at) => `server${at + 10}`);

describe('30 servers of which 5 hang and 5 crash', () => {
  test('the others are usable as soon as they are up, and nobody waits for the bad ones', async () => {
    await using mark = new Mark();
    await using watched = managing(crowd(mark), { connectTimeoutMs: 3_600_000 });
    const { manager } = watched;
    const all = manager.connectAll();
    // To wait for the bad ones would take an hour.
    await Promise.all(
      well.map(async (name) => expect(await pidOf(manager, name)).toBeGreaterThan(0)),
    );
    // Time enough to crash in, and as long as is waited for those that hang.
    const catalog = await manager.tools({ waitMs: 4000 });
    expect(new Set(catalog.tools.map(({ server }) => server))).toEqual(new Set(well));
    expect(catalog.pending).toEqual(['server00', 'server01', 'server02', 'server03', 'server04']);
    const failed = catalog.failed.map(({ name }) => name);
    expect(failed).toEqual(['server05', 'server06', 'server07', 'server08', 'server09']);
    expect(catalog.failed[0]?.error).toBeInstanceOf(Error);
    await manager.close();
    const states = (await all).map(({ state }) => state);
    expect(states).toHaveLength(30);
    expect(mark.alive()).toEqual([]);
  });

  test('tools are in one order, whatever order servers answered in', async () => {
    await using mark = new Mark();
    const entries = [
      shellServer('slow', mark, { tools: ['b', 'a'], startMs: 100 }),
      shellServer('fast', mark, { tools: ['c', 'b', 'B'] }),
    ];
    await using watched = managing(entries);
    const { tools } = await watched.manager.tools({ waitMs: 10_000 });
    expect(tools.map(({ server, tool }) => `${tool.name} ${server}`)).toEqual([
      'B fast',
      'a slow',
      'b fast',
      'b slow',
      'c fast',
    ]);
  });
});

test('a server that is slow to start shows the tools it had, and later those it has', async () => {
  await using mark = new Mark();
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-cache-'));
  try {
    const entry = shellServer('slow', mark, { startMs: 400 });
    const options = { toolCache: folder };
    {
      await using first = managing([entry], options);
      expect(await first.manager.tools({ waitMs: 20 })).toMatchObject({
        tools: [],
        pending: ['slow'],
      });
      await first.manager.server('slow').listTools();
    }
    await using next = managing([entry], options);
    const early = await next.manager.tools({ waitMs: 20 });
    expect(early.pending).toEqual(['slow']);
    expect(early.tools.map(({ tool, from }) => [tool.name, from])).toEqual([
      ['die', 'cache'],
      ['pid', 'cache'],
    ]);
    const later = await next.manager.tools({ waitMs: 10_000 });
    expect(later.pending).toEqual([]);
    expect(later.tools.map(({ tool, from }) => [tool.name, from])).toEqual([
      ['die', 'live'],
      ['pid', 'live'],
    ]);
    // What is configured otherwise was never seen.
    await using other = managing([{ ...entry, tools: { deny: ['die'] } }], options);
    expect(await other.manager.tools({ waitMs: 20 })).toMatchObject({ tools: [] });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
