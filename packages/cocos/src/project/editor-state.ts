import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ownProcess, parseProcess, processState } from 'mcp-kit/internal';
import { readJsonFile } from './json-file.ts';
import { knownFolder, ownFolder } from './own-folder.ts';
import { statOf } from './stamp.ts';

/** Whether the editor has the project open, and how that is known. */
export interface EditorState {
  /** `maybe`: there are signs, and nobody who could be asked. */
  readonly running: 'yes' | 'maybe' | 'no';
  readonly evidence?: string | undefined;
  readonly pid?: number | undefined;
  /** Where the extension in the editor listens. */
  readonly url?: string | undefined;
}

const presenceName = 'editor.json';

/** Files that an open editor writes to again and again. */
const signs = ['temp/logs/project.log', 'temp/asset-db', 'temp/programming', 'profiles/v2'];
const freshMs = 60_000;

/** Says whether the editor has a project open: what its extension announced, or else fresh files of the editor. */
export function readEditorState(root: string): EditorState {
  const folder = knownFolder(root);
  const presence = folder === undefined ? undefined : readJsonFile(path.join(folder, presenceName));
  const editor = parseProcess(presence);
  const state = editor && processState(editor);
  if (editor !== undefined && state !== 'gone') {
    const evidence = 'the extension in the editor has announced itself';
    // Of another machine, or container, one cannot see more than that it did once.
    if (state === 'unseen') return { running: 'maybe', evidence: `${evidence} on ${editor.host}` };
    const { url } = presence ?? {};
    const { pid } = editor;
    return { running: 'yes', evidence, pid, url: typeof url === 'string' ? url : undefined };
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
  const file = path.join(await ownFolder(root), presenceName);
  const draft = `${file}.${process.pid}`;
  await rm(draft, { force: true });
  await writeFile(draft, JSON.stringify({ ...ownProcess(), url }), { flag: 'wx' });
  await rename(draft, file);
  return { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
}
