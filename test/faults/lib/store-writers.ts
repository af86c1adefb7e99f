import path from 'node:path';
import { expect } from 'vitest';
import { openFileStore } from '../../../packages/store-file/dist/index.js';
import { Child } from '../../support/child-process.ts';

const script = path.join(import.meta.dirname, '../child/store-writer.mjs');

/** The positions that a process has said were acknowledged; its last line may have been cut. */
function acknowledged({ stdout }: Child): readonly number[] {
  const whole = stdout.slice(0, stdout.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map(Number);
}

/** Starts a process that writes to a log of this name, and kills it after so many acknowledged writes. */
async function writeAndDie(
  folder: string,
  name: string,
  least: number,
): Promise<readonly number[]> {
  await using child = new Child(process.execPath, [script, folder, name]);
  await child.until(() => acknowledged(child).length >= least || undefined);
  await child.stop('SIGKILL');
  return acknowledged(child);
}

/** Lets three processes at a time write into one folder and kills them; then everything acknowledged must be there, and whole. */
export async function killWriters(folder: string, kills: number): Promise<void> {
  const said = new Map<string, readonly number[]>();
  for (let round = 0; said.size < kills; round += 1) {
    const names = ['a', 'b', 'c'].map((writer) => `${writer}${round}`);
    await Promise.all(
      names.map(async (name, at) => {
        // After another number of writes each time.
        const least = 1 + ((round * 7 + at * 13) % 40);
        said.set(name, await writeAndDie(folder, name, least));
      }),
    );
  }
  const store = await openFileStore(folder);
  for (const [name, positions] of said) {
    const { entries } = await store.log.readAfter(name, 0);
    const kept = new Map(entries.map(({ position, data }) => [position, data]));
    for (const position of positions) expect(kept.get(position)).toBe(`${name} ${position}`);
    // Nothing before what is there is missing, acknowledged or not.
    expect(entries.map(({ position }) => position)).toEqual(entries.map((_, at) => at + 1));
    const counter = Number(await store.kv.get(`count ${name}`));
    expect(counter).toBeGreaterThanOrEqual(positions.at(-1) ?? 0);
  }
  await store.close();
}
