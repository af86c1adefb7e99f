import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { usageError } from '../args.ts';

/** The project that comes with the program; it is never worked on itself. */
const original = path.join(import.meta.dirname, 'cocos-sample');

/** A copy of the sample project. */
export interface SampleCopy extends AsyncDisposable {
  readonly folder: string;
  /** It goes when it is disposed of. */
  readonly isTemporary: boolean;
}

/** A copy in a folder of its own that goes again, or in the one that is named, which stays and is used again. */
export async function copySample(wanted: string | undefined): Promise<SampleCopy> {
  const isTemporary = wanted === undefined;
  const folder = wanted ?? (await mkdtemp(path.join(tmpdir(), 'cocos-sample-')));
  const present: string[] = await readdir(folder).catch(() => []);
  if (present.length === 0) {
    await cp(original, folder, { recursive: true });
  } else if (!present.includes('assets')) {
    throw usageError(
      `${folder} is neither empty nor a project`,
      'Name another folder: the sample is copied there if it is empty or not there yet.',
    );
  }
  return {
    folder,
    isTemporary,
    async [Symbol.asyncDispose]() {
      if (isTemporary) await rm(folder, { recursive: true, force: true });
    },
  };
}
