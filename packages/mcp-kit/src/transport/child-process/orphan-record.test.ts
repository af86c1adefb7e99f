import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readAllStats, readStat } from '#base';

const uid = process.getuid?.();

describe.skipIf(process.platform !== 'linux')('the record of children', () => {
  let scratch = '';
  let folder = '';
  let children: ChildProcess[] = [];

  beforeEach(async () => {
    scratch = await mkdtemp(path.join(tmpdir(), 'mcp-kit-record-'));
    folder = path.join(scratch, `mcp-kit-${uid}`);
    vi.stubEnv('TMPDIR', scratch);
    // Where the records are is found once per process.
    vi.resetModules();
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    for (const { pid } of children) if (pid !== undefined) killGroup(pid);
    children = [];
    await rm(scratch, { recursive: true, force: true });
  });

  function killGroup(pid: number): void {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }

  /** The leader of a group, which ends with its input; its child does not. */
  function lead(): ChildProcess & { readonly pid: number; readonly mark: string } {
    const mark = randomBytes(8).toString('hex');
    const args = ['-c', 'sleep 1000 & read -r line'];
    const child = spawn('/bin/sh', args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    children.push(child);
    if (child.pid === undefined) throw new Error('no shell');
    return Object.assign(child, { pid: child.pid, mark });
  }

  const livesIn = (group: number): number =>
    readAllStats().filter((stat) => stat.group === group && stat.state !== 'Z').length;

  /** Makes the only record one of a process that has ended; `change` may change more of it. */
  async function disown(change: (fields: string[]) => void = () => {}): Promise<void> {
    const [name = ''] = await readdir(folder);
    const fields = name.split('.');
    fields[2] = '4194305';
    change(fields);
    await rename(path.join(folder, name), path.join(folder, fields.join('.')));
  }

  test('is there as long as the child is ours', async () => {
    const { recordChild } = await import('./orphan-record.ts');
    const child = lead();
    const forget = recordChild(child);
    const [name] = await readdir(folder);
    expect(name?.split('.').slice(2)).toEqual(
      [process.pid, readStat('self')?.start, child.pid, readStat(child.pid)?.start, child.mark].map(
        String,
      ),
    );
    forget();
    expect(await readdir(folder)).toEqual([]);
  });

  test('has the group ended when the one that started it is gone', async () => {
    const { recordChild, sweepOrphans } = await import('./orphan-record.ts');
    const child = lead();
    recordChild(child);
    await disown();
    sweepOrphans();
    await expect.poll(() => livesIn(child.pid)).toBe(0);
    expect(await readdir(folder)).toEqual([]);
  });

  test('has what is left of the group ended when its leader is gone, too', async () => {
    const { recordChild, sweepOrphans } = await import('./orphan-record.ts');
    const child = lead();
    recordChild(child);
    await expect.poll(() => livesIn(child.pid)).toBe(2);
    const ended = once(child, 'exit');
    child.stdin?.end();
    await ended;
    expect(readStat(child.pid)).toBeUndefined();
    expect(livesIn(child.pid)).toBe(1);
    await disown();
    sweepOrphans();
    await expect.poll(() => livesIn(child.pid)).toBe(0);
  });

  test.each<[string, (fields: string[]) => void, boolean]>([
    ['a younger process that got the same number', (fields) => (fields[5] = '1'), false],
    ['an earlier boot', (fields) => (fields[0] = 'earlier'), false],
    ['another namespace', (fields) => (fields[1] = '1'), true],
    ['a living process', (fields) => (fields[2] = String(process.pid)), true],
    ['nothing we know', (fields) => fields.pop(), true],
  ])('of %s harms nobody', async (_whose, change, isKept) => {
    const { recordChild, sweepOrphans } = await import('./orphan-record.ts');
    const child = lead();
    recordChild(child);
    await disown(change);
    sweepOrphans();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(livesIn(child.pid)).toBeGreaterThan(0);
    expect(await readdir(folder)).toHaveLength(isKept ? 1 : 0);
  });

  test.each<[string, () => Promise<void>]>([
    ['others can write to', () => mkdir(folder).then(() => chmod(folder, 0o777))],
    ['is a link', () => mkdir(`${folder}x`).then(() => symlink(`${folder}x`, folder))],
    ['is a file', () => writeFile(folder, '')],
  ])('is not kept, nor believed, in a folder that %s', async (_what, make) => {
    await make();
    const { recordChild, sweepOrphans } = await import('./orphan-record.ts');
    const child = lead();
    recordChild(child)();
    sweepOrphans();
    expect(await readdir(folder).catch(() => [])).toEqual([]);
    expect(livesIn(child.pid)).toBeGreaterThan(0);
  });
});
