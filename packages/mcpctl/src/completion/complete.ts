import { takesNext, tokensOf, type Option, type Options, type Token } from '../args.ts';
import { chooseCommand, type Chosen } from '../command-line.ts';
import type { Command, CommandEntry } from '../command.ts';
import { commonOptions, globalOptions, optionsOf, targetOptions } from '../global-options.ts';
import { isIn } from '../help.ts';
import { plainLine } from '../terminal/plain-text.ts';

/** A word that may come next, and what it stands for. */
export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** What may come next: words, or what the shell knows better. */
export type Completion =
  | { readonly kind: 'words'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'files' | 'folders' | 'programs' };

/** The place that is to be filled, and what stands before it. */
export interface Place {
  /** What the help calls it: `SERVER`, `TOOL`, … */
  readonly name: string;
  /** What fills the places before it, by their names; several words for the last. */
  readonly filled: Readonly<Record<string, readonly string[]>>;
  /** The names of the options that were given. */
  readonly given: ReadonlySet<string>;
  /** The options that say where the configuration is. */
  readonly where: Where;
}

interface Where {
  readonly root?: string | undefined;
  readonly config?: string | undefined;
  readonly 'allow-config-outside-root'?: boolean | undefined;
}

type Commands = Readonly<Record<string, CommandEntry>>;

interface Sources {
  readonly commands: Commands;
  /** What a place can be filled with. */
  fill(place: Place): Promise<readonly Candidate[]>;
}

const nothing: Completion = { kind: 'words', candidates: [] };

/** Completes the last of the words that follow the name of the program. */
export async function complete(
  words: readonly string[],
  { commands, fill }: Sources,
): Promise<Completion> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const end = before.indexOf('--');
  if (end !== -1) return { kind: end === before.length - 1 ? 'programs' : 'files' };
  if (before[0] === 'help') return listed(commandWords(commands, before.slice(1)));
  const chosen = choose(before, commands);
  if (chosen === undefined) return nothing;
  if (chosen.kind !== 'command') {
    const group = chosen.kind === 'group' ? [chosen.group] : [];
    const options = { ...globalOptions, ...targetOptions, ...commonOptions };
    const option = await completeOption(tokensOf(before, options), current, options);
    if (option !== undefined) return option;
    const next = commandWords(commands, group);
    return listed(group.length === 0 ? [...next, help] : next);
  }
  const command = await chosen.entry.load();
  const options = optionsOf(command);
  const tokens = tokensOf(chosen.args, options);
  const option = await completeOption(tokens, current, options);
  if (option !== undefined) return option;
  const place = placeOf(tokens, command);
  if (command.positionals.some(({ name, files }) => files && name === place?.name)) {
    return { kind: 'files' };
  }
  const filling = place === undefined ? [] : await fill(place);
  const isBare = chosen.args.length === 0;
  return listed(isBare ? [...commandWords(commands, [chosen.name]), ...filling] : filling);
}

const help: Candidate = { word: 'help', about: 'Show what a command takes.' };

/** Half a command line may be wrong; then there is nothing to offer. */
function choose(before: readonly string[], commands: Commands): Chosen | undefined {
  try {
    return chooseCommand(before, commands);
  } catch {
    return undefined;
  }
}

/** What a shell cannot show on one line, or would have to hide, is not offered. */
function listed(candidates: readonly Candidate[]): Completion {
  const shown = candidates.filter(({ word }) => word !== '' && word === plainLine(word));
  return {
    kind: 'words',
    candidates: shown.map(({ word, about }) => ({ word, about: plainLine(about).slice(0, 80) })),
  };
}

/** The words that go on after `said` in the names of commands. */
function commandWords(commands: Commands, said: readonly string[]): readonly Candidate[] {
  const found = new Map<string, string>();
  for (const [name, { hidden, summary }] of Object.entries(commands)) {
    if (hidden || (said.length > 0 && !isIn(said.join(' '), name))) continue;
    const [word = '', ...more] = name.split(' ').slice(said.length);
    const others = found.get(word);
    const last = more.join(' ');
    if (more.length === 0) found.set(word, summary);
    else found.set(word, others === undefined ? last : `${others}, ${last}`);
  }
  return Array.from(found, ([word, about]) => ({ word, about }));
}

/** Completes an option or the value of one; nothing when neither is meant. */
async function completeOption(
  tokens: readonly Token[],
  current: string,
  options: Options,
): Promise<Completion | undefined> {
  const last = tokens.at(-1);
  if (last?.kind === 'option' && last.value === undefined) {
    const option = optionOf(options, last.name);
    if (option !== undefined && takesNext(option)) return valuesOf(option, '');
  }
  const [, name, inline] = /^--([^=]+)=(.*)$/.exec(current) ?? [];
  if (name !== undefined && inline !== undefined) {
    const option = optionOf(options, name);
    return option?.type === 'string' ? valuesOf(option, `--${name}=`) : nothing;
  }
  if (!current.startsWith('-')) return undefined;
  const given = optionsIn(tokens);
  return listed(
    Object.entries(options)
      .filter(([option, { multiple }]) => multiple || !given.has(option))
      .map(([option, about]) => ({ word: `--${option}`, about: about.help })),
  );
}

function optionOf(options: Options, name: string): Option | undefined {
  return Object.hasOwn(options, name) ? options[name] : undefined;
}

async function valuesOf(option: Option, before: string): Promise<Completion> {
  const { value, choices = await option.offers?.() } = option;
  if (choices !== undefined) {
    return listed(choices.map((choice) => ({ word: before + choice, about: '' })));
  }
  if (value === 'DIR') return { kind: 'folders' };
  return value === 'FILE' || value === 'PATH' ? { kind: 'files' } : nothing;
}

function optionsIn(tokens: readonly Token[]): ReadonlySet<string> {
  return new Set(tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : [])));
}

/** Which place the next word without a dash takes. */
function placeOf(tokens: readonly Token[], { positionals }: Command): Place | undefined {
  const words = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  const given = optionsIn(tokens);
  const where: { -readonly [Name in keyof Where]: Where[Name] } = {};
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    if (token.name === 'allow-config-outside-root') where[token.name] = true;
    else if ((token.name === 'root' || token.name === 'config') && token.value !== undefined) {
      where[token.name] = token.value;
    } else if (token.name === 'url' || token.name === 'unix') {
      // The server is in no file, so nothing is known about it.
      return undefined;
    }
  }
  const filled: Record<string, readonly string[]> = {};
  let left = words;
  for (const { name, many } of positionals) {
    if (many || left.length === 0) {
      return { name, filled: { ...filled, [name]: left }, given, where };
    }
    filled[name] = left.slice(0, 1);
    left = left.slice(1);
  }
  return undefined;
}
