import { isRecord, type Tool } from 'mcp-kit/internal';
import { meaningsIn, wordsOf } from './words.ts';

/** A tool as it is looked for. */
export interface Indexed {
  readonly tool: Tool;
  /** The name of its server, and of the tool there. */
  readonly server: string;
  readonly item: string;
  /** What its server is for. */
  readonly about: string;
}

interface Entry extends Indexed {
  /** How much each term counts for it. */
  readonly terms: ReadonlyMap<string, number>;
  readonly exact: ReadonlySet<string>;
  /** The words of its name, each with its meanings. */
  readonly named: readonly (readonly string[])[];
}

/** How much a word counts by where it stands. */
const weights = {
  item: 5,
  title: 3,
  server: 2.5,
  first: 2,
  description: 0.8,
  args: 0.8,
  about: 0.4,
};
/** What a meaning counts beside the word itself. */
const meaningShare = 0.85;
/** How much rarer than what it means a word may count. */
const commonShare = 1.9;
/** Words that a tool has often count little more than those it has once. */
const saturation = 2;
/** After so long others have their turn. */
const sliceMs = 4;

/** Finds tools by words: built in slices, kept as tools come and go. */
export class ToolIndex {
  readonly #entries = new Map<string, Entry>();
  readonly #postings = new Map<string, Set<Entry>>();

  get size(): number {
    return this.#entries.size;
  }

  /** Takes over what has changed; a bounded time at once. */
  async update(tools: readonly Indexed[]): Promise<void> {
    const wanted = new Set(tools.map(({ tool }) => tool.name));
    let begunMs = performance.now();
    const pause = async (): Promise<void> => {
      if (performance.now() - begunMs < sliceMs) return;
      await new Promise((resolve) => setImmediate(resolve));
      begunMs = performance.now();
    };
    for (const [name, entry] of this.#entries) {
      if (!wanted.has(name)) this.#remove(entry);
      await pause();
    }
    for (const one of tools) {
      const known = this.#entries.get(one.tool.name);
      if (known !== undefined && isSame(known, one)) continue;
      if (known !== undefined) this.#remove(known);
      this.#add(one);
      await pause();
    }
  }

  /** The best first; exact names before all. */
  search(query: string, most: number): readonly Indexed[] {
    const scores = new Map<Entry, number>();
    const words = [...new Set(wordsOf(query))];
    let possible = 0;
    const matched = new Map<Entry, number>();
    for (const word of words) {
      const found = this.#matches(word);
      const rarity = Math.max(0, ...Array.from(found.values(), ({ rarity: own }) => own));
      possible += rarity;
      for (const [entry, { score, rarity: own }] of found) {
        scores.set(entry, (scores.get(entry) ?? 0) + score);
        matched.set(entry, (matched.get(entry) ?? 0) + own);
      }
    }
    const exact = new Set(namesIn(query));
    for (const entry of this.#entries.values()) {
      if ([...entry.exact].some((name) => exact.has(name))) scores.set(entry, Infinity);
    }
    const asked = new Set(words.flatMap((word) => [word, ...meaningsIn(word)]));
    const whole = plain(query);
    const rank = (entry: Entry): number => {
      if (entry.tool.name === query.trim()) return 3;
      return entry.exact.has(whole) ? 2 : 1;
    };
    const scored = Array.from(scores, ([entry, score]) => {
      const covered = possible === 0 ? 1 : (matched.get(entry) ?? 0) / possible;
      return {
        entry,
        score: score * (0.4 + 0.6 * covered) * (0.4 + 0.6 * namedShare(entry, asked)),
        rank: rank(entry),
      };
    });
    scored.sort(
      (one, other) =>
        other.rank - one.rank ||
        // Infinity has no difference to itself.
        (one.score === other.score ? 0 : other.score - one.score) ||
        (one.entry.tool.name < other.entry.tool.name ? -1 : 1),
    );
    return scored.slice(0, most).map(({ entry }) => entry);
  }

  /** The tools that have a word, or one of its meaning. */
  #matches(word: string): Map<Entry, { readonly score: number; readonly rarity: number }> {
    const best = new Map<Entry, { readonly score: number; readonly rarity: number }>();
    const meanings = meaningsIn(word);
    const among = this.#entries.size;
    const rarityIn = (term: string): number => rarityOf(this.#postings.get(term)?.size ?? 0, among);
    // A word for something common is no rare thing, however few have the word itself.
    const common = Math.min(...meanings.map(rarityIn)) * commonShare;
    const terms = [[word, 1] as const, ...meanings.map((one) => [one, meaningShare] as const)];
    for (const [term, share] of terms) {
      const entries = this.#postings.get(term);
      if (entries === undefined) continue;
      const rarity = share * Math.min(rarityIn(term), common);
      for (const entry of entries) {
        const weight = entry.terms.get(term) ?? 0;
        const score = (rarity * weight * (saturation + 1)) / (weight + saturation);
        if (score > (best.get(entry)?.score ?? 0)) best.set(entry, { score, rarity });
      }
    }
    return best;
  }

  #add(one: Indexed): void {
    const terms = termsOf(one);
    const exact = new Set([plain(one.tool.name), plain(one.item)]);
    const server = new Set(wordsOf(one.server));
    const words = wordsOf(one.item).filter((word) => !server.has(word));
    const named = words.map((word) => [word, ...meaningsIn(word)]);
    const entry: Entry = { ...one, terms, exact, named };
    this.#entries.set(one.tool.name, entry);
    for (const term of terms.keys()) {
      const entries = this.#postings.get(term);
      if (entries === undefined) this.#postings.set(term, new Set([entry]));
      else entries.add(entry);
    }
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry.tool.name);
    for (const term of entry.terms.keys()) {
      const entries = this.#postings.get(term);
      entries?.delete(entry);
      if (entries?.size === 0) this.#postings.delete(term);
    }
  }
}

function rarityOf(having: number, all: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

/** What the tools of a server are made of does not change while it is the same object. */
function isSame(known: Indexed, { tool, about }: Indexed): boolean {
  const had = known.tool;
  return (
    known.about === about &&
    had.description === tool.description &&
    had.title === tool.title &&
    had.inputSchema === tool.inputSchema &&
    had.annotations === tool.annotations
  );
}

function termsOf({ tool, server, item, about }: Indexed): ReadonlyMap<string, number> {
  const terms = new Map<string, number>();
  const count = (text: string, weight: number): void => {
    const words = wordsOf(text);
    // A long text says each of its words less loudly.
    const each = weight / Math.max(1, Math.sqrt(words.length / 8));
    for (const word of words) {
      terms.set(word, (terms.get(word) ?? 0) + each);
      for (const meaning of meaningsIn(word)) {
        terms.set(meaning, Math.max(terms.get(meaning) ?? 0, each));
      }
    }
  };
  const { description = '', title = '', annotations } = tool;
  const [first = '', ...others] = description.split(/(?<=[.!?])\s|\n/);
  count(item, weights.item);
  count(title || (annotations?.title ?? ''), weights.title);
  count(server, weights.server);
  count(first, weights.first);
  count(others.join(' ').slice(0, 2000), weights.description);
  count(argumentsOf(tool).join(' '), weights.args);
  count(about, weights.about);
  return terms;
}

function argumentsOf({ inputSchema }: Tool): readonly string[] {
  const properties = isRecord(inputSchema) ? inputSchema['properties'] : undefined;
  return isRecord(properties) ? Object.keys(properties).slice(0, 40) : [];
}

/** A name without what people leave out or write otherwise. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** What may be names of tools in a question: words with `_`, `-`, `.` or capitals inside. */
function namesIn(query: string): readonly string[] {
  const words = query
    .split(/[\s,;:!?"'`()]+/)
    .filter((word) => /\w[_\-.]\w|\p{Ll}\p{Lu}/u.test(word));
  return [plain(query), ...words.map(plain)];
}

/** How much of the name of a tool was asked for: the rest of it says that it is for something else. */
function namedShare({ named }: Entry, asked: ReadonlySet<string>): number {
  if (named.length === 0) return 1;
  const found = named.filter((terms) => terms.some((term) => asked.has(term)));
  return found.length / named.length;
}
