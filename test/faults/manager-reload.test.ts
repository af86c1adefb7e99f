import { describe, expect, test } from 'vitest';
import { failure } from '../requirements/client-script.ts';
import { managing, pidOf, shellServer } from './lib/managed-servers.ts';
import { Mark } from './lib/marked-processes.ts';
import { scaled } from '../support/scale.ts';

const times = scaled(400);

describe('a configuration that is read again and again', () => {
  test(`${times} times under load: no call to an unchanged server is lost, and no process is left`, async () => {
    await using mark = new Mark();
    const kept = ['a', 'b', 'c'].map((name) => shellServer(name, mark));
    /** Another one each time. */
    const changing = (at: number) => shellServer('changing', mark, { tools: ['pid', `t${at}`] });
    await using watched = managing([...kept, changing(0)]);
    const { manager } = watched;
    await manager.connectAll();
    const pids = await Promise.all(kept.map(({ name }) => pidOf(manager, name)));
    const over = new AbortController();
    let answered = 0;
    const load = kept.map(async ({ name }, at) => {
      while (!over.signal.aborted) {
        expect(await pidOf(manager, name)).toBe(pids[at]);
        answered += 1;
      }
    });
    for (let at = 1; at <= times; at += 1) {
      const reloaded = manager.reload({ entries: [...kept, changing(at)] });
      // Every tenth time nobody waits for it.
      if (at % 10 === 0) continue;
      expect(await reloaded).toMatchObject({ changed: ['changing'], kept: ['a', 'b', 'c'] });
      await pidOf(manager, 'changing');
      expect(mark.alive()).toHaveLength(4);
    }
    const { tools } = await manager.server('changing').listTools();
    expect(tools.map(({ name }) => name)).toEqual(['pid', `t${times}`]);
    over.abort();
    await Promise.all(load);
    expect(answered).toBeGreaterThan(0);
    expect(mark.alive()).toHaveLength(4);
    expect(manager.status('a')).toMatchObject({ state: 'ready', starts: 1 });
    await manager.close();
    expect(mark.alive()).toEqual([]);
  });

  test('starts what was in use and has changed, leaves alone what nobody asked for, and ends what is gone', async () => {
    await using mark = new Mark();
    const [used, unused, gone] = ['used', 'unused', 'gone'].map((name) => shellServer(name, mark));
    if (used === undefined || unused === undefined || gone === undefined) throw new Error('none');
    await using watched = managing([used, unused, gone]);
    const { manager } = watched;
    const before = await pidOf(manager, 'used');
    await pidOf(manager, 'gone');
    const outcome = await manager.reload({
      entries: [
        { ...used, tools: { deny: ['die'] } },
        { ...unused, tools: { deny: ['die'] } },
        shellServer('new', mark),
      ],
    });
    expect(outcome).toEqual({
      added: ['new'],
      removed: ['gone'],
      changed: ['unused', 'used'],
      kept: [],
    });
    await watched.until(({ name, state, entry }) => {
      return name === 'used' && state === 'ready' && entry?.tools.deny !== undefined;
    });
    expect(await pidOf(manager, 'used')).not.toBe(before);
    await expect(manager.server('used').callTool('die')).rejects.toMatchObject({
      code: 'refused_by_policy',
    });
    expect(manager.servers().map(({ name, state }) => [name, state])).toEqual([
      ['new', 'idle'],
      ['unused', 'idle'],
      ['used', 'ready'],
    ]);
    expect(mark.alive()).toHaveLength(1);
    expect(() => manager.status('gone')).toThrow('unknown mcp server: gone');
  });

  test('while servers start: those that are gone are ended, and nobody waits for ever', async () => {
    await using mark = new Mark();
    const slow = shellServer('slow', mark, { startMs: 300 });
    await using watched = managing([slow]);
    const { manager } = watched;
    const opening = manager.server('slow').connect();
    const told = failure(opening);
    await manager.reload({ entries: [] });
    expect(await told).toMatchObject({ code: 'closed' });
    expect(mark.alive()).toEqual([]);
    // Gone, and back: the same name is another server now.
    await manager.reload({ entries: [slow] });
    expect(await pidOf(manager, 'slow')).toBeGreaterThan(0);
  });

  test('keeps the handles of callers good', async () => {
    await using mark = new Mark();
    const entry = shellServer('it', mark);
    await using watched = managing([entry]);
    const handle = watched.manager.server('it');
    await handle.ping();
    await watched.manager.reload({ entries: [{ ...entry, tools: { allow: ['pid'] } }] });
    await handle.ping();
    expect(await handle.listTools()).toMatchObject({ tools: [{ name: 'pid' }], denied: ['die'] });
  });
});
