import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Child } from '../support/child-process.ts';

const processes = 8;
const kills = Number(process.env['LOCK_KILLS'] ?? 150);

/** Takes the lock again and again, and notes in one line each when it has it and when it has not. */
const holder = `
import { appendFileSync } from 'node:fs';
import { whileLocked } from 'mcp-kit/internal';
const [lock, notes] = process.argv.slice(-2);
for (;;) {
  await whileLocked(lock, async () => {
    appendFileSync(notes, 'has ' + process.pid + '\\n');
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
    appendFileSync(notes, 'had ' + process.pid + '\\n');
  });
}
`;

test(`no two of ${processes} processes hold a lock at once, while ${kills} of them are killed`, async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'mcp-kit-locks-'));
  const [lock, notes] = [path.join(folder, 'a.lock'), path.join(folder, 'notes')];
  const start = (): Child =>
    new Child(process.execPath, ['--input-type=module', '-e', holder, lock, notes]);
  const lines = (): readonly string[] =>
    readdirSync(folder).includes('notes')
      ? readFileSync(notes, 'utf8').split('\n').slice(0, -1)
      : [];
  const running = Array.from({ length: processes }, start);
  const killed = new Set<number | undefined>();
  try {
    for (let count = 0; count < kills; count += 1) {
      // Somebody must get it after each that was killed, whatever that one was at.
      const before = lines().length;
      await expect
        .poll(() => lines().length, { timeout: 60_000, interval: 5 })
        .toBeGreaterThan(before + 4);
      // Whoever has it now, or any.
      const owner = Number(lines().at(-1)?.split(' ')[1]);
      const at = running.findIndex((child) => child.process.pid === owner);
      const chosen = at >= 0 && count % 2 === 0 ? at : Math.floor(Math.random() * running.length);
      const [victim] = running.splice(chosen, 1);
      killed.add(victim?.process.pid);
      await victim?.stop('SIGKILL');
      running.push(start());
    }
  } finally {
    for (const child of running) {
      killed.add(child.process.pid);
      await child.stop('SIGKILL');
    }
  }
  const overlaps: string[] = [];
  let holding: string | undefined;
  for (const line of lines()) {
    const [verb, pid] = line.split(' ');
    const isFree = holding === undefined || killed.has(Number(holding));
    if (verb === 'had' ? pid !== holding : !isFree)
      overlaps.push(`${line} while ${holding} has it`);
    holding = verb === 'has' ? pid : undefined;
  }
  expect(overlaps).toEqual([]);
  // The lock of the last, and what those left behind that were killed while they took another's away.
  expect(readdirSync(folder).length).toBeLessThan(10);
  await rm(folder, { recursive: true, force: true });
}, 600_000);
