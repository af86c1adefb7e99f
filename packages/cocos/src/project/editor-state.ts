import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readJsonFile } from './json-file.ts';
import { isAlive } from './lock.ts';
import { statOf } from './stamp.ts';

/** Whether the editor has the project open, and how that is known. */
export interface EditorState {
  /** `maybe`: there are signs, and nobody who could be asked. */
  readonly running: 'yes' | 'maybe' | 'no';
  readonly evidence?: string;
  readonly pid?: number;
  /** Where the extension in the editor listens. */
  readonly url?: string;
}

const presenceFile = (root: string) => path.join(root, 'local', 'mcp-kit', 'editor.json');

/** Files that an open editor writes to again and again. */
const signs = ['temp/logs/project.log', 'temp/asset-db', 'temp/programming', 'profiles/v2'];
const freshMs = 60_000;

/** Says whether the editor has a project open: what its extension announced, or else fresh files of the editor. */
export function readEditorState(root: string): EditorState {
  const presence = readJsonFile(presenceFile(root));
  const { pid, url } = presence ?? {};
  if (typeof pid === 'number' && isAlive(pid)) {
    const evidence = 'the extension in the editor has announced itself';
    return { running: 'yes', evidence, pid, ...(typeof url === 'string' ? { url } : {}) };
  }
  for (const sign of signs) {
    const stat = statOf(path.join(root, sign));
    const ageMs = stat === undefined ? Infinity : Date.now() - Number(stat.mtimeMs);
    if (ageMs < freshMs) {
      return { running: 'maybe', evidence: `${sign} changed ${Math.round(ageMs / 1000)} s ago` };
    }
  }
  return { running: 'no' };
}

/** Lets others know that this process is the editor with the project open, until it is disposed of. */
export async function announceEditor(root: string, url?: string): Promise<AsyncDisposable> {
  const file = presenceFile(root);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ pid: process.pid, url }));
  return { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
}
