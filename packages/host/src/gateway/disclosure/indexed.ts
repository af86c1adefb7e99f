import { isRecord, type Tool } from 'mcp-kit/internal';
import { actionsIn } from './actions.ts';
import { thingsIn } from './things.ts';
import { formsOf, wordsOf } from './words.ts';

/** A tool as it is looked for. */
export interface Indexed {
  readonly tool: Tool;
  /** The name of its server, and of the tool there. */
  readonly server: string;
  readonly item: string;
  /** What its server is for. */
  readonly about: string;
}

/** The same with what it can be found by. */
export interface Entry extends Indexed {
  /** How much each term counts for it. */
  readonly terms: ReadonlyMap<string, number>;
  /** The words of its name and of what it says first, as they are written. */
  readonly forms: ReadonlySet<string>;
  /** The words of its name, each with its meanings. */
  readonly named: readonly (readonly string[])[];
  /** What it does. */
  readonly actions: ReadonlySet<string>;
}

/** How much a word counts by where it stands. */
const weights = {
  item: 5,
  action: 4,
  title: 3,
  server: 2.5,
  first: 2,
  description: 0.8,
  args: 0.8,
  about: 0.4,
};
/** A text of more words says each of them less loudly. */
const shortText = 8;
const mostArguments = 40;
const mostCharacters = 2000;

export function entryOf(one: Indexed): Entry {
  const { tool, server, item, about } = one;
  const { description = '', title, annotations } = tool;
  const [first = '', ...others] = description.slice(0, mostCharacters).split(/(?<=[.!?])\s|\n/);
  const serverWords = new Set([...wordsOf(server), 'api']);
  const name = wordsOf(item).filter((word) => !serverWords.has(word));
  const actions = actionsOf(name, first);
  const terms = new Map<string, number>();
  const count = (text: string, weight: number): void => {
    const words = wordsOf(text);
    const each = weight / Math.max(1, Math.sqrt(words.length / shortText));
    for (const word of words) {
      terms.set(word, (terms.get(word) ?? 0) + each);
      for (const thing of thingsIn(word)) {
        terms.set(thing, Math.max(terms.get(thing) ?? 0, each));
      }
    }
  };
  count(item, weights.item);
  count(title ?? annotations?.title ?? '', weights.title);
  count(server, weights.server);
  count(first, weights.first);
  count(others.join(' '), weights.description);
  count(argumentsOf(tool).join(' '), weights.args);
  count(about, weights.about);
  for (const action of actions) terms.set(action, weights.action);
  for (const word of wordsOf(server)) {
    for (const term of [...shortForms(word), ...thingsIn(word)]) terms.set(serverTerm(term), 0);
  }
  for (const known of [tool.name, item]) terms.set(nameTerm(known), 0);
  return {
    ...one,
    terms,
    forms: new Set(formsOf(`${item} ${first}`)),
    named: name.map((word) => [
      word,
      ...thingsIn(word),
      ...actionsIn(word).filter((action) => actions.has(action)),
    ]),
    actions,
  };
}

const shortestName = 5;
const leftOut = 2;

/** Names of servers as people cut them: mongo for mongodb, postgres for postgresql. */
function shortForms(word: string): readonly string[] {
  const lengths = Array.from({ length: leftOut + 1 }, (_, letters) => word.length - letters);
  return lengths
    .filter((length) => length === word.length || length >= shortestName)
    .map((length) => word.slice(0, length));
}

/** The term of all tools whose server has this word in its name. */
export function serverTerm(word: string): string {
  return `@${word}`;
}

/** What a tool does: by the verb that its name begins with, else any in it; and by those that its description begins with. */
function actionsOf(name: readonly string[], first: string): ReadonlySet<string> {
  const begins = actionsIn(name[0] ?? '');
  // `Lists, adds or removes`
  const [verbs = ''] = /^\s*[\w-]+(?:(?:,? (?:or|and)|,) [\w-]+)*/.exec(first) ?? [];
  const named = begins.length > 0 ? begins : name.flatMap(actionsIn);
  return new Set([...named, ...wordsOf(verbs).flatMap(actionsIn)]);
}

function argumentsOf({ inputSchema }: Tool): readonly string[] {
  const properties = isRecord(inputSchema) ? inputSchema['properties'] : undefined;
  return isRecord(properties) ? Object.keys(properties).slice(0, mostArguments) : [];
}

/** The term of the tools of a name, without what people leave out or write otherwise. */
export function nameTerm(name: string): string {
  return `#${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')}`;
}

/** What the tools of a server are made of does not change while it is the same object. */
export function isSame(known: Indexed, { tool, about }: Indexed): boolean {
  const had = known.tool;
  return (
    known.about === about &&
    had.description === tool.description &&
    had.title === tool.title &&
    had.inputSchema === tool.inputSchema &&
    had.annotations === tool.annotations
  );
}
