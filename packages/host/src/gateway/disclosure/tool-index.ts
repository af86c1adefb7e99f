import { actionsIn, agreement, wishIn, type Wish } from './actions.ts';
import { entryOf, isSame, nameTerm, serverTerm, type Entry, type Indexed } from './indexed.ts';
import { thingsIn } from './things.ts';
import { formsOf, plainly, stem } from './words.ts';

/** What a word for the same thing counts beside the word itself, and another form of it. */
const meantShare = 0.85;
const otherForm = 0.9;
/** How much rarer a word may count than all that mean the same. */
const rarerAtMost = 1.5;
/** What a verb counts that is not the one of the question, and a noun that is. */
const verbElsewhere = 0.5;
const nounAsVerb = 0.3;
/** The share of all tools from which on a word finds none by itself. */
const commonShare = 0.2;
/** Words that a tool has often count little more than those it has once. */
const saturation = 1.5;
/** What a tool keeps that has nothing else of what is asked, or nothing of it in its name, or is of another server than the named one. */
const leastCovered = 0.4;
const leastNamed = 0.5;
const elsewhere = 0.6;
/** What is read of a question. */
const mostCharacters = 1000;
/** After so long others have their turn. */
const sliceMs = 4;

/** What a tool has of what is asked: how well, and how much of it. */
interface Match {
  score: number;
  covered: number;
}

interface Found {
  /** How much all of it is that was looked for. */
  asked: number;
  readonly entries: Map<Entry, Match>;
}

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
      this.#add(entryOf(one));
      await pause();
    }
  }

  /** The best first; exact names before all. */
  search(query: string, most: number): readonly Indexed[] {
    const ranks = this.#ranks(query);
    const scores = this.#scores(query);
    const found = Array.from(new Set([...ranks.keys(), ...scores.keys()]), (entry) => ({
      entry,
      rank: ranks.get(entry) ?? 0,
      score: scores.get(entry) ?? 0,
    }));
    found.sort(
      (one, other) =>
        other.rank - one.rank ||
        other.score - one.score ||
        (one.entry.tool.name < other.entry.tool.name ? -1 : 1),
    );
    return found.slice(0, most).map(({ entry }) => entry);
  }

  /** The tools that are named: by a word of what is said, or by all of it, nearly or to the letter. */
  #ranks(query: string): ReadonlyMap<Entry, number> {
    const ranks = new Map<Entry, number>();
    const ranked = (name: string, rank: number): void => {
      for (const entry of this.#postings.get(nameTerm(name)) ?? []) ranks.set(entry, rank);
    };
    for (const name of namesIn(query)) ranked(name, 1);
    ranked(query, 2);
    const known = this.#entries.get(query.trim());
    if (known !== undefined) ranks.set(known, 3);
    return ranks;
  }

  #scores(query: string): ReadonlyMap<Entry, number> {
    const said = plainly(query.slice(0, mostCharacters));
    const forms = new Map(formsOf(said).map((form) => [stem(form), form]));
    const words = [...forms.keys()];
    const wish = wishIn(said, words, (word) => this.#postings.has(serverTerm(word)));
    const terms = [...forms].flatMap(([word, form], place) =>
      termsFor(word, form, place === wish.at ? wish.actions : undefined),
    );
    const found = this.#find(terms);
    const asked = new Set([
      ...wish.actions.keys(),
      ...words.flatMap((word) => [word, ...thingsIn(word)]),
    ]);
    const servers = this.#serversIn(words);
    const surest = Math.max(0, ...servers.values());
    return new Map(
      Array.from(found.entries, ([entry, { score, covered }]) => {
        const { tool, actions, server } = entry;
        const away = surest - (servers.get(server) ?? 0);
        const shares =
          between(leastCovered, covered / found.asked) *
          between(leastNamed, namedShare(entry, asked)) *
          between(elsewhere, 1 - away) *
          agreement(wish.actions, actions, tool.annotations?.readOnlyHint);
        return [entry, score * shares];
      }),
    );
  }

  /** The tools that have the words, or something of their meaning. What is common only adds to what others find. */
  #find(terms: readonly Term[]): Found {
    const found: Found = { asked: 0, entries: new Map() };
    const sought = terms.map((term) => ({ term, having: this.#having(term) }));
    sought.sort((one, other) => one.having.size - other.having.size);
    for (const { term, having } of sought) {
      if (having.size === 0) continue;
      const isCommon = having.size > this.#entries.size * commonShare && found.entries.size > 0;
      const importance = term.share * this.#rarity(having.size);
      const own = this.#postings.get(term.word)?.size ?? 0;
      const rarity = Math.min(term.share * this.#rarity(own), importance * rarerAtMost);
      found.asked += importance;
      for (const entry of isCommon ? found.entries.keys() : having) {
        const { score, covered } = matchOf(entry, term, { importance, rarity });
        const sum = found.entries.get(entry) ?? { score: 0, covered: 0 };
        sum.score += score;
        sum.covered += covered;
        found.entries.set(entry, sum);
      }
    }
    return found;
  }

  #having({ word, meanings }: Term): ReadonlySet<Entry> {
    const having = new Set(this.#postings.get(word));
    for (const meaning of meanings.keys()) {
      for (const entry of this.#postings.get(meaning) ?? []) having.add(entry);
    }
    return having;
  }

  #rarity(having: number): number {
    return Math.log(1 + (this.#entries.size - having + 0.5) / (having + 0.5));
  }

  /** The servers that are named, and how surely: a name that is a common word says little. */
  #serversIn(words: readonly string[]): ReadonlyMap<string, number> {
    const servers = new Map<string, number>();
    for (const word of words.flatMap((one) => [one, ...thingsIn(one)])) {
      const named = this.#postings.get(serverTerm(word)) ?? new Set();
      const sure = Math.min(1, named.size / (this.#postings.get(word)?.size ?? 1));
      for (const { server } of named) {
        servers.set(server, Math.max(servers.get(server) ?? 0, sure));
      }
    }
    return servers;
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.tool.name, entry);
    for (const term of entry.terms.keys()) {
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

/** A word that is looked for, as it is written, with what it may mean and how surely, and what all of it counts. */
interface Term {
  readonly word: string;
  readonly form: string;
  readonly meanings: ReadonlyMap<string, number>;
  readonly share: number;
}

/** What is looked for by a word: what it says is to be done if it is the verb, and what it stands for. */
function termsFor(
  word: string,
  form: string,
  actions: Wish['actions'] = new Map(),
): readonly Term[] {
  const things = new Map(thingsIn(word).map((thing) => [thing, meantShare]));
  if (actions.size > 0) {
    const verb = { word, form, meanings: actions, share: 1 };
    return things.size === 0 ? [verb] : [verb, { word, form, meanings: things, share: nounAsVerb }];
  }
  const isVerb = things.size === 0 && actionsIn(word).length > 0;
  return [{ word, form, meanings: things, share: isVerb ? verbElsewhere : 1 }];
}

/** What a tool has of what is looked for, by how much the word itself counts, and all that mean the same. */
function matchOf(
  { terms, forms }: Entry,
  { word, form, meanings }: Term,
  { rarity, importance }: { readonly rarity: number; readonly importance: number },
): Match {
  const weight = terms.get(word) ?? 0;
  let score = saturated(weight) * rarity * (forms.has(form) ? 1 : otherForm);
  let covered = Math.min(1, weight);
  for (const [meaning, sure] of meanings) {
    const meant = terms.get(meaning) ?? 0;
    score = Math.max(score, saturated(meant) * importance * sure);
    covered = Math.max(covered, Math.min(1, meant) * sure);
  }
  return { score, covered: covered * importance };
}

function saturated(weight: number): number {
  return (weight * (saturation + 1)) / (weight + saturation);
}

function between(least: number, share: number): number {
  return least + (1 - least) * share;
}

/** What may be names of tools in a question: words with `_`, `-`, `.` or capitals inside. */
function namesIn(query: string): readonly string[] {
  return query.split(/[\s,;:!?"'`()]+/).filter((word) => /\w[_\-.]\w|\p{Ll}\p{Lu}/u.test(word));
}

/** How much of the name of a tool was asked for: the rest of it says that it is for something else. */
function namedShare({ named }: Entry, asked: ReadonlySet<string>): number {
  if (named.length === 0) return 1;
  const found = named.filter((terms) => terms.some((term) => asked.has(term)));
  return found.length / named.length;
}
