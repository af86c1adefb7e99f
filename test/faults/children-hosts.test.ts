import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Child } from '../support/child-process.ts';
import { said, startHost } from './lib/child-session.ts';
import { killNow, Mark, shaped, shapeNames } from './lib/marked-processes.ts';

/** A folder for temporary files that is gone when its scope ends. */
async function scratch(): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-hosts-'));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** The watchdog of a process, by its name and its parent. */
async function watchdogOf(host: Child): Promise<number> {
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'latin1').catch(() => '');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    const command = await readFile(`/proc/${entry}/cmdline`, 'latin1').catch(() => '');
    if (parent === host.process.pid && command.includes('mcp-kit-watchdog')) return Number(entry);
  }
  throw new Error('the program has no watchdog');
}

async function recordsIn(folder: string): Promise<readonly string[]> {
  const inner = path.join(folder, `mcp-kit-${process.getuid?.()}`);
  return readdir(inner).catch(() => []);
}

const isAlive = (pid: number): Promise<boolean> =>
  readFile(`/proc/${pid}/stat`, 'latin1').then(
    (stat) => !stat.includes(') Z '),
    () => false,
  );

async function goneWithin(pid: number, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (await isAlive(pid)) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}

describe
  .skipIf(process.platform !== 'linux')
  .concurrent('a program with children of every shape', () => {
    const all = (mark: Mark) => shapeNames.map((shape) => shaped(shape, mark));

    test('that is killed with kill -9 leaves none of them, nor its watchdog', async () => {
      await using place = await scratch();
      for (let round = 0; round < 5; round++) {
        await using mark = new Mark();
        await using host = startHost({ task: 'hold', children: all(mark) }, place.folder);
        await said(host);
        const watchdog = await watchdogOf(host);
        for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
          process.kill(watchdog, signal);
        expect(mark.alive().length).toBeGreaterThanOrEqual(shapeNames.length);
        await host.stop('SIGKILL');
        expect(await mark.left()).toEqual([]);
        expect(await goneWithin(watchdog, 2000)).toBe(true);
      }
    });

    test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
      'that is ended by %s leaves none of them',
      async (signal) => {
        await using place = await scratch();
        await using mark = new Mark();
        await using host = startHost({ task: 'hold', children: all(mark) }, place.folder);
        await said(host);
        await host.stop(signal);
        expect(await mark.left()).toEqual([]);
      },
    );

    test.each([
      ['exit', 0],
      ['throw', 1],
    ])('that ends by %s leaves none of them, and no record', async (task, code) => {
      await using place = await scratch();
      await using mark = new Mark();
      await using host = startHost({ task, children: all(mark) }, place.folder);
      await said(host);
      expect(await host.ended).toMatchObject({ code });
      expect(await mark.left()).toEqual([]);
      expect(await recordsIn(place.folder)).toEqual([]);
    });

    test('that is killed together with its watchdog has them ended by the next one', async () => {
      await using place = await scratch();
      await using mark = new Mark();
      await using host = startHost({ task: 'hold', children: all(mark) }, place.folder);
      await said(host);
      killNow(await watchdogOf(host));
      await host.stop('SIGKILL');
      // The deaf one, and what a polite one has left to hold its pipes.
      expect(mark.alive().length).toBeGreaterThanOrEqual(2);
      expect((await recordsIn(place.folder)).length).toBe(shapeNames.length);
      await using other = new Mark();
      await using next = startHost(
        { task: 'close', children: [shaped('plain', other)] },
        place.folder,
      );
      expect(await next.ended).toMatchObject({ code: 0 });
      expect(await mark.left()).toEqual([]);
      expect(await recordsIn(place.folder)).toEqual([]);
    });

    test('is left alone by the next one while it lives', async () => {
      await using place = await scratch();
      await using mark = new Mark();
      await using host = startHost({ task: 'hold', children: all(mark) }, place.folder);
      await said(host);
      const before = mark.alive().length;
      await using other = new Mark();
      await using next = startHost(
        { task: 'close', children: [shaped('plain', other)] },
        place.folder,
      );
      expect(await next.ended).toMatchObject({ code: 0 });
      expect(mark.alive().length).toBeGreaterThanOrEqual(before - 1);
      expect((await recordsIn(place.folder)).length).toBe(shapeNames.length);
      await host.stop('SIGKILL');
      expect(await mark.left()).toEqual([]);
    });

    test('ends by itself when it has closed them', async () => {
      await using place = await scratch();
      await using mark = new Mark();
      const children = all(mark).map((child) => ({ ...child, stop: { eofMs: 100, termMs: 100 } }));
      await using host = startHost({ task: 'close', children }, place.folder);
      await said(host);
      expect(await host.ended).toMatchObject({ code: 0 });
      expect(mark.alive()).toEqual([]);
    });

    test('that has opened and closed a hundred holds no more than before', async () => {
      await using place = await scratch();
      await using mark = new Mark();
      const children = Array.from({ length: 5 }, () => shaped('plain', mark));
      await using host = startHost({ task: 'leaks', children, times: 20 }, place.folder);
      const { before, after } = JSON.parse(await said(host)) as Record<string, object>;
      expect(after).toEqual(before);
      expect(await recordsIn(place.folder)).toEqual([]);
      expect(await host.ended).toMatchObject({ code: 0 });
    });

    test('keeps little of 200 calls of a megabyte to one that is stopped, and all of them settle', async () => {
      await using place = await scratch();
      await using mark = new Mark();
      const stop = { eofMs: 500, termMs: 500 };
      const children = [{ ...shaped('plain', mark), stop }];
      await using host = startHost({ task: 'stopped', children, times: 200 }, place.folder);
      const { outcomes, grown } = JSON.parse(await said(host)) as {
        outcomes: string[];
        grown: number;
      };
      expect(outcomes).toHaveLength(200);
      expect(new Set(outcomes)).toEqual(new Set(['closed', 'overloaded']));
      expect(outcomes.filter((outcome) => outcome === 'overloaded').length).toBeGreaterThan(150);
      expect(grown).toBeLessThan(64 * 1024 * 1024);
      expect(await mark.left()).toEqual([]);
    });
  });
