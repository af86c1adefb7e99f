import { parseArgs } from 'node:util';
import { KitError } from 'mcp-kit/base';

/** An option as data: what it takes, and what the help says about it. */
export interface Option {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  /** May be given several times. */
  readonly multiple?: true;
  /** The only values it takes. */
  readonly choices?: readonly string[];
  /** What the help calls its value. */
  readonly value?: string;
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> = O extends { readonly type: 'boolean' }
  ? boolean
  : O extends { readonly multiple: true }
    ? readonly string[]
    : O extends { readonly choices: readonly (infer Choice)[] }
      ? Choice
      : string;

/** What was given on the command line, by option name. */
export type OptionValues<O extends Options> = { readonly [Name in keyof O]?: ValueOf<O[Name]> };

/** A command line that cannot be meant; `hint` says what to type instead. */
export function usageError(message: string, hint: string): KitError {
  return new KitError('invalid_argument', message, { hint });
}

/** Reads options and positional arguments; whatever the options do not describe is a usage error. */
export function parseOptions<const O extends Options>(
  args: readonly string[],
  options: O,
  help: string,
): { readonly values: OptionValues<O>; readonly positionals: readonly string[] } {
  // Lenient, because the strict mode's messages know nothing of our options.
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { type, short }]) => [
        name,
        short === undefined ? { type } : { type, short },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values: Record<string, string | boolean | string[]> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (option === undefined) throw unknownOption(token.rawName, options, help);
    const value = readValue(option, token, help);
    const earlier = values[token.name];
    if (option.multiple && typeof value === 'string') {
      values[token.name] = Array.isArray(earlier) ? [...earlier, value] : [value];
    } else if (earlier !== undefined && option.type === 'string') {
      throw usageError(`${token.rawName} is given twice`, help);
    } else {
      values[token.name] = value;
    }
  }
  // Each value was read as its option says.
  return { values: values as OptionValues<O>, positionals };
}

interface Given {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function readValue(option: Option, given: Given, help: string): string | boolean {
  const { rawName, value, inlineValue } = given;
  if (option.type === 'boolean') {
    if (value !== undefined) throw usageError(`${rawName} takes no value`, help);
    return true;
  }
  if (value === undefined || value === '' || (inlineValue !== true && value.startsWith('-'))) {
    throw usageError(`${rawName} needs a value`, help);
  }
  if (option.choices !== undefined && !option.choices.includes(value)) {
    throw usageError(
      `${rawName} cannot be "${value}"`,
      `Use one of: ${option.choices.join(', ')}.`,
    );
  }
  return value;
}

function unknownOption(rawName: string, options: Options, help: string): KitError {
  const names = Object.keys(options).map((name) => `--${name}`);
  const near = nearest(rawName, names);
  const message = `unknown option ${rawName}`;
  return usageError(message, near === undefined ? help : `Did you mean ${near}? ${help}`);
}

/** The known word that `word` was probably meant to be, if one is close enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best !== undefined && best.distance <= 2 ? best.candidate : undefined;
}

/** How many single-character edits lead from one word to the other. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const edited = Math.min(previous[column] ?? 0, current[column - 1] ?? 0) + 1;
      current.push(Math.min(replaced, edited));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
