import path from 'node:path';
import { adHocEntry, type ServerEntry } from '@mcp-kit/host';
import { describe, expect, test } from 'vitest';
import { Child } from '../support/child-process.ts';
import { shellServer } from './lib/managed-servers.ts';
import { Mark } from './lib/marked-processes.ts';

const script = path.resolve(import.meta.dirname, 'child/manager-host.mjs');

/** Servers in every state there is. */
function servers(mark: Mark): readonly ServerEntry[] {
  return [
    ...['a', 'b', 'c'].map((name) => shellServer(name, mark)),
    shellServer('hanging', mark, { mood: 'hangs' }),
    shellServer('starting', mark, { startMs: 30_000 }),
    shellServer('crashing', mark, { mood: 'crashes when opened' }),
    adHocEntry({ url: 'http://127.0.0.1:9/mcp' }, 'unreachable'),
  ];
}

function start(task: string, entries: readonly ServerEntry[], times = 1): Child {
  const ready = ['a', 'b', 'c'];
  return new Child(process.execPath, [script, JSON.stringify({ task, entries, ready, times })]);
}

interface Vitals {
  readonly fds: number;
  readonly resources: number;
  readonly listeners: number;
}

describe.skipIf(process.platform !== 'linux')('a program with a manager', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'that is ended by %s leaves no server: not one that runs, starts or is started again',
    async (signal) => {
      await using mark = new Mark();
      await using host = start('hold', servers(mark));
      await host.until(() => (host.stdout.includes('ready') ? true : undefined));
      expect(mark.alive().length).toBeGreaterThanOrEqual(5);
      await host.stop(signal);
      expect(await mark.left()).toEqual([]);
    },
  );

  test('that closes it ends by itself, and so do all servers', async () => {
    await using mark = new Mark();
    await using host = start('close', servers(mark));
    expect(await host.ended).toEqual({ code: 0, signal: null });
    expect([host.stdout, host.stderr]).toEqual(['"closed"\n', '']);
    expect(mark.alive()).toEqual([]);
  });

  test('that opens and disconnects again and again keeps nothing of it', async () => {
    await using mark = new Mark();
    const entries = servers(mark).filter(({ name }) => /^[abc]$/.test(name));
    await using host = start('cycles', entries, 30);
    expect(await host.ended).toEqual({ code: 0, signal: null });
    const { before, after } = JSON.parse(host.stdout) as Record<'before' | 'after', Vitals>;
    expect(after.fds).toBeLessThanOrEqual(before.fds + 3);
    expect(after.resources).toBeLessThanOrEqual(before.resources + 3);
    expect(after.listeners).toBe(before.listeners);
    expect(mark.alive()).toEqual([]);
  });
});
