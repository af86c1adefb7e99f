import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { openProject } from '@mcp-kit/cocos/project';
import type { TestProject } from './project.ts';

/** Saves one number after the other, and sees that none is replaced by what was made from an older one. */
const saver = `
  const { readFileSync, renameSync, writeFileSync } = require('node:fs');
  const [file, how] = process.argv.slice(1);
  let lost = 0, saved = 0;
  const seen = () => Number((readFileSync(file, 'utf8') || 'NaN').split(' ')[0]);
  const save = (text) => {
    if (how === 'in place') return writeFileSync(file, text);
    writeFileSync(file + '.tmp', text);
    renameSync(file + '.tmp', file);
  };
  process.once('disconnect', () => process.exit());
  process.on('message', () => process.send({ lost, saved }, () => process.exit()));
  const next = () => {
    saved += 1;
    save(saved + ' theirs');
    setTimeout(look, Math.random() * 3);
  };
  // What is there for a moment, before it is taken back, is no loss.
  const look = () => (seen() < saved ? setTimeout(judge, 50) : next());
  const judge = () => {
    if (seen() < saved) lost += 1;
    next();
  };
  next();
  process.send('begun');
`;

/** What came of a race. */
export interface Race {
  /** Saves of the other process, and how many of them were overwritten. */
  readonly saved: number;
  readonly lost: number;
  /** Writes of ours, and how many were refused for a save in between. */
  readonly done: number;
  readonly refused: number;
}

/** Writes a file of a project so many times while another process keeps saving it. */
export async function raceWithSaver(
  game: TestProject,
  how: 'in place' | 'by rename',
  rounds: number,
): Promise<Race> {
  const asset = 'assets/data/a.json';
  const other = spawn(process.execPath, ['-e', saver, path.join(game.folder, asset), how], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(other, 'message');
  using project = await openProject(game.folder);
  let done = 0;
  let refused = 0;
  while (done + refused < rounds) {
    const draft = project.draft();
    const [number = ''] = draft.text(asset).split(' ');
    if (!/^\d+$/.test(number)) continue;
    draft.write(asset, `${number} ours ${Math.random()}`);
    const outcome = await project.commit(draft, 'x').catch((error: unknown) => error);
    if (!(outcome instanceof Error)) done += 1;
    else if ((outcome as { code?: string }).code === 'E_CONFLICT') refused += 1;
    else throw outcome;
  }
  other.send('stop');
  const [report] = (await once(other, 'message')) as [{ lost: number; saved: number }];
  return { ...report, done, refused };
}
