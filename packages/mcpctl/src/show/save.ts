import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { usageError } from '../args.ts';
import { reasonOf } from '../arguments/text-file.ts';

/** What is known of something to be saved. */
interface Saved {
  /** What it is called when nothing better is known. */
  readonly kind: string;
  readonly mimeType: string;
  /** A URI or path that ends with its name. */
  readonly name?: string | undefined;
}

/** A folder of the user's to save into. */
export interface Folder {
  /** Writes a new file, and gives its path; what is there already is never touched. */
  save(bytes: Uint8Array, about: Saved): Promise<string>;
}

const endings: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'image/svg+xml': '.svg',
  'audio/wav': '.wav',
  'audio/mpeg': '.mp3',
  'audio/ogg': '.ogg',
  'application/pdf': '.pdf',
  'application/json': '.json',
  'text/plain': '.txt',
};

/** More files of one name than anybody wants. */
const maxFiles = 10_000;

/** Saves into this folder, which is made when it is first needed. */
export function folderAt(directory: string): Folder {
  return {
    async save(bytes, about) {
      try {
        await mkdir(directory, { recursive: true });
        return await writeNew(bytes, path.join(directory, nameOf(about)));
      } catch (error) {
        throw saveError(directory, error);
      }
    },
  };
}

/** Writes the file that the user named. */
export async function saveAs(file: string, bytes: Uint8Array | string): Promise<void> {
  try {
    await writeFile(file, bytes);
  } catch (error) {
    throw saveError(file, error);
  }
}

async function writeNew(bytes: Uint8Array, wanted: string): Promise<string> {
  const { dir, name, ext } = path.parse(wanted);
  for (let number = 1; number < maxFiles; number++) {
    const file = path.join(dir, number === 1 ? `${name}${ext}` : `${name}-${number}${ext}`);
    try {
      await writeFile(file, bytes, { flag: 'wx' });
      return file;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
  throw new Error(`${wanted} exists, and so do thousands like it`);
}

/** A name that can do no harm: the server does not choose where it is, nor hide it. */
function nameOf({ kind, mimeType, name = '' }: Saved): string {
  const last =
    name
      .replace(/[?#].*$/s, '')
      .split(/[\\/]/)
      .at(-1) ?? '';
  const safe = last
    .replaceAll(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '')
    .slice(-80);
  const ending = endings[mimeType] ?? '.bin';
  if (safe === '') return `${kind}${ending}`;
  return safe.includes('.') ? safe : `${safe}${ending}`;
}

function saveError(where: string, cause: unknown): Error {
  const hint = 'Name another place with --output.';
  return usageError(`cannot write ${where} (${reasonOf(cause)})`, hint);
}
