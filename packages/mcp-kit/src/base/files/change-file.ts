import path from 'node:path';
import { files } from '../node-modules.ts';
import { whileLocked } from './lock-file.ts';
import { whileWriting } from './state-file.ts';

/** Runs what changes a file, one process at a time, once its folder is there; what goes wrong is an error that names the file. */
export function whileChanging<T>(
  file: string,
  run: () => Promise<T>,
  folderMode = 0o700,
): Promise<T> {
  return whileWriting(file, async () => {
    await files().mkdir(path.dirname(file), { recursive: true, mode: folderMode });
    return whileLocked(`${file}.busy`, run, { doing: `writing ${file}` });
  });
}
