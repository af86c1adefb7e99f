import { parseArgs } from 'node:util';
import { KitError } from 'mcp-kit/internal';

/** An option as data: what it takes, and what the help says about it. */
export interface Option {
  readonly type: 'boolean' | 'string';
  readonly short?: string | undefined;
  /** May be given several times. */
  readonly multiple?: true | undefined;
  /** The only values it takes. */
  readonly choices?: readonly string[] | undefined;
  /** Values for a shell to offer, where they are too many to be named in the help. */
  readonly offers?: (() => Promise<readonly string[]>) | undefined;
  /** What the help calls its value. */
  readonly value?: string | undefined;
  /** What it means without a value, which then has to follow an equals sign: `--retry`, `--retry=2`. */
  readonly bare?: string | undefined;
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> = O extends { readonly type: 'boolean' }
  ? boolean
  : O extends { readonly multiple: true }
    ? readonly TextOf<O>[]
    : TextOf<O>;

type TextOf<O extends Option> = O extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : string;

/** What stands on the command line without a dash. */
export interface Positional {
  /** What the help calls it, in capitals; `SERVER` is left out when the target is given otherwise. */
  readonly name: string;
  readonly help: string;
  readonly optional?: true | undefined;
  /** Takes all that is left. */
  readonly many?: true | undefined;
  /** A shell should offer files. */
  readonly files?: true | undefined;
}

/** What was given without a dash, by the name of its place. */
export type PositionalValues<P extends readonly Positional[]> = {
  readonly [Item in P[number] as Item['name']]: Item extends { readonly many: true }
    ? readonly string[]
    : Item extends { readonly optional: true }
      ? string | undefined
      : string;
};

/** What was given on the command line, by option name. */
export type OptionValues<O extends Options> = {
  readonly [Name in keyof O]?: ValueOf<O[Name]> | undefined;
};

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
  const values: Record<string, string | boolean | string[]> = {};
  const positionals: string[] = [];
  for (const token of tokensOf(args, options)) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (option === undefined) throw strayOption(token, args, { options, help });
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

/** What each argument is, going by the options; one that they do not describe is taken for a flag. */
export function tokensOf(args: readonly string[], options: Options): readonly Token[] {
  // Lenient, because the strict mode's messages know nothing of our options.
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(options).map(([name, option]) => {
        const type = takesNext(option) ? 'string' : 'boolean';
        return [name, option.short === undefined ? { type } : { type, short: option.short }];
      }),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return tokens;
}

/** Whether the word after an option is its value. */
export function takesNext({ type, bare }: Option): boolean {
  return type === 'string' && bare === undefined;
}

/** One argument, and which in the row it is. */
export type Token =
  | { readonly kind: 'positional'; readonly index: number; readonly value: string }
  | ({ readonly kind: 'option'; readonly index: number; readonly name: string } & Given)
  | { readonly kind: 'option-terminator'; readonly index: number };

interface Given {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function readValue(option: Option, given: Given, help: string): string | boolean {
  const { rawName, inlineValue, value = option.bare } = given;
  if (option.type === 'boolean') {
    if (value !== undefined) throw usageError(`${rawName} takes no value`, help);
    return true;
  }
  // A dash alone names standard input, and before a digit it is a sign; else it begins the next option.
  const isOption = inlineValue !== true && value !== undefined && /^-[^\d.]/.test(value);
  if (value === undefined || value === '' || isOption) {
    throw usageError(
      `${rawName} needs a value`,
      `Write it as ${rawName} ${option.value ?? 'VALUE'}. ${help}`,
    );
  }
  if (option.choices !== undefined && !option.choices.includes(value)) {
    throw usageError(
      `${rawName} cannot be "${value}"`,
      `Use one of: ${option.choices.join(', ')}.`,
    );
  }
  return value;
}

/** A number with a sign is a value that stands where none is taken; anything else with a dash is an option. */
function strayOption(
  { index, rawName }: { readonly index: number; readonly rawName: string },
  args: readonly string[],
  { options, help }: { readonly options: Options; readonly help: string },
): KitError {
  const word = args[index] ?? '';
  if (!/^-\d/.test(word)) return unknownOption(rawName, options, help);
  return usageError(`unexpected value ${word}`, `Write it as --option=${word}. ${help}`);
}

/** Says that there is no such option, and which one may be meant. */
export function unknownOption(rawName: string, options: Options, help: string): KitError {
  const names = Object.keys(options).map((name) => `--${name}`);
  const near = nearest(rawName, names);
  const message = `unknown option ${rawName}`;
  return usageError(message, near === undefined ? help : `Did you mean ${near}? ${help}`);
}

const maxWordLength = 64;
const maxWords = 1000;

/** The known word that `word` was probably meant to be, if one is close enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > maxWordLength) return undefined;
  let best: string | undefined;
  let limit = Math.max(2, Math.floor(word.length / 4)) + 1;
  for (const candidate of known.slice(0, maxWords)) {
    if (Math.abs(candidate.length - word.length) >= limit) continue;
    const distance = editDistance(word, candidate);
    if (distance >= limit) continue;
    best = candidate;
    limit = distance;
  }
  // A slip leaves more than it changes.
  if (best !== undefined && limit * 2 <= best.length) return best;
  return word.length < 3 ? undefined : known.find((candidate) => candidate.startsWith(word));
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
