import { KitError } from 'mcp-kit/internal';

/** A place in a configuration file. */
export interface Place {
  readonly file: string;
  /** A JSON pointer (RFC 6901). */
  readonly pointer: string;
}

/** Something that works, and yet is likely not what was meant. */
export interface ConfigWarning extends Place {
  readonly message: string;
}

/** Writes keys as a JSON pointer. */
export function pointerOf(...keys: readonly (string | number)[]): string {
  return keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The place some keys further down. */
export function below(place: Place, ...keys: readonly (string | number)[]): Place {
  return { file: place.file, pointer: place.pointer + pointerOf(...keys) };
}

/** The top of a file. */
export function topOf(file: string): Place {
  return { file, pointer: '' };
}

/** The line that a character is on, from 1 on. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Where a character stands in a text, for people. */
export function lineAndColumn(text: string, offset: number): string {
  return `line ${lineAt(text, offset)}, column ${offset - text.slice(0, offset).lastIndexOf('\n')}`;
}

/** The failure of reading one place of a configuration; its message begins with that place. */
export function configError(
  { file, pointer }: Place,
  message: string,
  options: { readonly hint?: string | undefined; readonly cause?: unknown } = {},
): KitError {
  return new KitError('invalid_config', `${file}#${pointer}: ${message}`, {
    ...options,
    details: { file, pointer },
  });
}
