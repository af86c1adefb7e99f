import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { usageError } from '../args.ts';

/** Where a text is: a file, or `-` for standard input. */
interface TextPlace {
  /** What the user calls it. */
  readonly name: string;
  /** What to do when it cannot be read. */
  readonly hint: string;
}

/** Reads a file that the user named. */
export async function readText(file: string, { name, hint }: TextPlace): Promise<string> {
  try {
    return await (file === '-' ? readAll(process.stdin) : readFile(file, 'utf8'));
  } catch (error) {
    throw usageError(`${name} cannot be read (${reasonOf(error)})`, hint);
  }
}

/** Why the system did not do something, in a word where it has one: `ENOENT`. */
export function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
