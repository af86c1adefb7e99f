import {
  nearest,
  parseOptions,
  tokensOf,
  unknownOption,
  usageError,
  type Options,
  type Positional,
  type Token,
} from './args.ts';
import { shellWord } from 'mcp-kit/internal';
import type { Command, CommandEntry, Invocation } from './command.ts';
import { commonOptions, globalOptions, optionsOf, targetOptions } from './global-options.ts';
import { readGlobals, type GlobalValues } from './globals.ts';
import { helpHint, isIn, usageOf } from './help.ts';
import type { Target } from './target.ts';

/** What the words of a command line name, before anything is loaded. */
export type Chosen =
  | { readonly kind: 'program' }
  | { readonly kind: 'group'; readonly group: string }
  | {
      readonly kind: 'command';
      readonly name: string;
      readonly entry: CommandEntry;
      /** What is left when the name of the command is taken away, up to `--`. */
      readonly args: readonly string[];
      /** What follows `--`. */
      readonly typed: readonly string[] | undefined;
    };

type Commands = Readonly<Record<string, CommandEntry>>;

const anywhere: Options = {
  ...globalOptions,
  ...targetOptions,
  ...commonOptions,
  version: { type: 'boolean', short: 'v', help: '' },
};

/** Finds the command among the global options that may precede it. */
export function chooseCommand(argv: readonly string[], commands: Commands): Chosen {
  const end = argv.indexOf('--');
  const args = end === -1 ? argv : argv.slice(0, end);
  const typed = end === -1 ? undefined : argv.slice(end + 1);
  const tokens = tokensOf(args, anywhere);
  const words = tokens.filter((token) => token.kind === 'positional');
  const [first, second] = words;
  for (const token of tokens) {
    if (token === first) break;
    if (token.kind !== 'option' || Object.hasOwn(anywhere, token.name)) continue;
    throw unknownOption(token.rawName, anywhere, `Put options after a command. ${helpHint()}`);
  }
  if (first === undefined) {
    if (typed !== undefined) {
      throw usageError('no command before --', 'Say what to do: mcpctl tools -- npx some-server');
    }
    const way = tokens.find((token) => token.kind === 'option' && /^(url|unix)$/.test(token.name));
    if (way !== undefined) {
      throw usageError('no command', `Say what to do: mcpctl tools --url URL. ${helpHint()}`);
    }
    return { kind: 'program' };
  }
  return (
    commandOf(first, second, { args, typed, commands }) ??
    groupOrNothing(first.value, second?.value, commands)
  );
}

type Word = Extract<Token, { kind: 'positional' }>;

interface Line {
  readonly args: readonly string[];
  readonly typed: readonly string[] | undefined;
  readonly commands: Commands;
}

/** The command of two words, or of one. */
function commandOf(
  first: Word,
  second: Word | undefined,
  { args, typed, commands }: Line,
): Chosen | undefined {
  const both = second === undefined ? undefined : find(`${first.value} ${second.value}`, commands);
  if (both !== undefined && second !== undefined) {
    const rest = args.filter((_, index) => index !== first.index && index !== second.index);
    return { kind: 'command', ...both, args: rest, typed };
  }
  const single = find(wordMeant(first.value, second?.value), commands);
  if (single === undefined) return undefined;
  return { kind: 'command', ...single, args: args.toSpliced(first.index, 1), typed };
}

/** Who lists a server means what it has. */
function wordMeant(first: string, second: string | undefined): string {
  return first === 'list' && second !== undefined ? 'tools' : first;
}

function groupOrNothing(first: string, second: string | undefined, commands: Commands): Chosen {
  const isGroup = Object.keys(commands).some((name) => isIn(first, name));
  if (isGroup && second === undefined) return { kind: 'group', group: first };
  const name = isGroup ? `${first} ${second}` : first;
  const known = Object.entries(commands).flatMap(([main, { aliases = [], hidden }]) =>
    hidden ? [] : [main, ...aliases],
  );
  // Whoever says only what to do means the command that ends so.
  const near = known.find((command) => command.endsWith(` ${name}`)) ?? nearest(name, known);
  const help = isGroup ? helpHint(first) : helpHint();
  throw usageError(
    `unknown command "${name}"`,
    near === undefined ? help : `Did you mean ${near}? ${help}`,
  );
}

/** The command of a name or alias, under its own name. */
function find(
  word: string,
  commands: Commands,
): { readonly name: string; readonly entry: CommandEntry } | undefined {
  for (const [name, entry] of Object.entries(commands)) {
    if (name === word || entry.aliases?.includes(word)) return { name, entry };
  }
  return undefined;
}

/** A command line that has been understood: help is wanted, or work is. */
export type Understood =
  | { readonly help: true }
  | { readonly help: false; readonly invocation: Untyped };

/** An invocation before its command's definition tells the types of what was given. */
interface Untyped extends Pick<Invocation, 'globals' | 'stop'> {
  readonly values: object;
  readonly args: object;
}

/** Reads what a command was given; whatever it does not take is a usage error. */
export function understand(
  { name, args, typed }: Extract<Chosen, { kind: 'command' }>,
  command: Command,
  stop: AbortSignal,
): Understood {
  const { scope, options: own } = command;
  const help = helpHint(name);
  const { values, positionals } = parseOptions(args, optionsOf(command), help);
  if (values.help) return { help: true };
  if (typed !== undefined && scope !== 'server') {
    throw usageError(`${name} takes nothing after --`, help);
  }
  // The values were read by these options; what a command defines itself means what it says there.
  const common = Object.entries(values).filter(([option]) => !Object.hasOwn(own, option));
  const given = scope === 'own' ? {} : (Object.fromEntries(common) as GlobalValues);
  const globals = readGlobals(given, typed);
  const named = readPositionals(positionals, { name, command, target: globals.target });
  return { help: false, invocation: { values, args: named, globals, stop } };
}

interface Places {
  readonly name: string;
  readonly command: Command;
  readonly target: Target | undefined;
}

function readPositionals(
  given: readonly string[],
  { name, command, target }: Places,
): Record<string, string | readonly string[]> {
  const named: Record<string, string | readonly string[]> = {};
  let left = given;
  for (const positional of command.positionals) {
    if (positional.name === 'SERVER' && target !== undefined) {
      named[positional.name] = target.name;
    } else if (positional.many) {
      if (left.length === 0 && !positional.optional) throw missing(positional, name, command);
      named[positional.name] = left;
      left = [];
    } else {
      const [value, ...rest] = left;
      if (value === undefined && !positional.optional) throw missing(positional, name, command);
      if (value !== undefined) named[positional.name] = value;
      left = rest;
    }
  }
  const [stray] = left;
  if (stray === undefined) return named;
  throw usageError(
    `unexpected argument "${stray}"`,
    target === undefined
      ? `${fileHint(stray, command)}${helpHint(name)}`
      : `The server is given by ${wayOf(target)}: leave out the name of another. ${helpHint(name)}`,
  );
}

/** Files are named by an option; most people try without. */
function fileHint(word: string, { scope }: Command): string {
  const isFile = scope !== 'own' && /\.(?:jsonc?|toml|ya?ml)$/i.test(word);
  return isFile ? `Name a file with --config ${shellWord(word)}. ` : '';
}

function wayOf({ kind }: Target): string {
  return kind === 'command' ? 'the command after --' : `--${kind}`;
}

function missing(positional: Positional, name: string, command: Command): Error {
  const other =
    positional.name === 'SERVER' && command.scope === 'server'
      ? ' Names: mcpctl servers. Without a file: --url URL, or -- PROGRAM.'
      : '';
  return usageError(
    `${positional.name} is missing: ${positional.help}`,
    `Usage: ${usageOf(name, command)}.${other} ${helpHint(name)}`,
  );
}
