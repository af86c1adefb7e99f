import { usageError } from '../args.ts';

/** Which numbers an option takes. */
interface Range {
  readonly least?: number | undefined;
  readonly most: number;
  /** What to type instead. */
  readonly hint: string;
}

/** The whole number that an option was given; `name` is where it was given. */
export function readNumber(name: string, text: string, { least = 0, most, hint }: Range): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Infinity;
  if (number >= least && number <= most) return number;
  throw usageError(`${name} cannot be ${JSON.stringify(text)}`, hint);
}

/** A number of milliseconds that a timer can hold. */
export function readMs(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const hint = 'Use a whole number of milliseconds, such as 5000.';
  return readNumber(name, text, { least: 1, most: 2 ** 31 - 1, hint });
}

/** How many warnings are allowed; any number without the option. */
export function readMaxWarnings(text: string | undefined): number {
  if (text === undefined) return Infinity;
  return readNumber('--max-warnings', text, { most: 999_999, hint: 'Use a number, such as 0.' });
}
