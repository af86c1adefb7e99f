import { isRecord, KitError, withoutUndefined } from 'mcp-kit/internal';
import { decodeServer } from './decode.ts';
import type { Dialect } from './dialect.ts';
import { dialectOf } from './dialects/index.ts';
import type { ServerEntry } from './entry.ts';
import { factsOf, said, type Fact, type Facts } from './facts.ts';
import { restate, type Note } from './restate.ts';
import { sameValue } from './values.ts';

/** A server in the terms of one host, and what it cannot say; `raw` is missing when it cannot say the server at all. */
export interface Encoded {
  readonly raw: Readonly<Record<string, unknown>> | undefined;
  readonly notes: readonly Note[];
}

/** How many values may be left out before a server counts as one that the host cannot have. */
const maxOmissions = 50;

/** Says an entry as a host would have it. What is lost is found by reading it back. */
export function encodeEntry(entry: ServerEntry, dialect: Dialect): Encoded {
  const from = dialectOf(entry.provenance.dialect);
  const own = from.id === dialect.id;
  const restated = own
    ? { facts: factsOf(entry), notes: [] }
    : restate(factsOf(entry), from, dialect);
  const notes: Note[] = own ? [] : [...foreignExtras(entry, from)];
  const omitted: Note[] = [];
  let raw = write(restated.facts, dialect, entry.name);
  if (own) raw = join(raw, entry.extras);
  for (let tries = 0; tries < maxOmissions; tries += 1) {
    try {
      const back = factsOf(decodeServer(raw, entry.name, dialect));
      const kept = restated.notes.filter(({ field }) => comesBack(field, restated.facts, back));
      const lost = differences(restated.facts, back, { dialect, omitted });
      return { raw, notes: [...kept, ...notes, ...omitted, ...lost] };
    } catch (error) {
      const { why, path } = refusalOf(error);
      const smaller = omit(raw, path);
      if (smaller === undefined) {
        return { raw: undefined, notes: [...notes, ...omitted, { field: 'transport', why }] };
      }
      omitted.push({ field: path.join('/'), why });
      raw = smaller;
    }
  }
  const why = `${dialect.title} refuses too much of it`;
  return { raw: undefined, notes: [...notes, ...omitted, { field: 'transport', why }] };
}

function write(facts: Facts, dialect: Dialect, name: string): Record<string, unknown> {
  const written = [...dialect.fields].flatMap(([key, field]) => {
    const value = field.write(facts);
    // A file says nothing of what there is no value for.
    return value === undefined
      ? []
      : [[key, isRecord(value) ? withoutUndefined(value) : value] as const];
  });
  const raw = Object.fromEntries(written);
  return dialect.complete === undefined ? raw : { ...dialect.complete(raw, name) };
}

/** Both, one inside the other where they have a key in common. */
function join(
  raw: Readonly<Record<string, unknown>>,
  extras: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const joined = new Map(Object.entries(raw));
  for (const [key, extra] of Object.entries(extras)) {
    const value = joined.get(key);
    if (isRecord(value) && isRecord(extra)) joined.set(key, { ...value, ...extra });
    else if (Array.isArray(value) && Array.isArray(extra)) joined.set(key, [...value, ...extra]);
    else joined.set(key, extra);
  }
  return Object.fromEntries(joined);
}

function foreignExtras(entry: ServerEntry, from: Dialect): readonly Note[] {
  const fields = Object.entries(entry.extras)
    .filter(([, value]) => value !== null)
    .flatMap(([key, value]) =>
      // A part of a field that is known otherwise.
      from.fields.has(key) && isRecord(value)
        ? Object.keys(value).map((part) => `${key}/${part}`)
        : [key],
    );
  return fields.map((field) => ({ field, why: `only ${from.title} knows what it means` }));
}

/** Whether a text that could not be said otherwise is there as it was: the host may have no place for it at all. */
function comesBack(field: string, meant: Facts, back: Facts): boolean {
  const [fact = '', ...part] = field.split('/');
  const at = (facts: Facts): unknown => {
    const value: unknown = Reflect.get(facts, fact);
    return part.length === 0 ? value : Reflect.get(Object(value) as object, part.join('/'));
  };
  return at(back) !== undefined && sameValue(at(meant), at(back));
}

/** The facts that do not come back, except those that are known to be omitted. */
function differences(
  meant: Facts,
  back: Facts,
  { dialect, omitted }: { readonly dialect: Dialect; readonly omitted: readonly Note[] },
): readonly Note[] {
  const gone = new Set(omitted.map(({ field }) => field));
  const facts = Object.entries(said(meant)) as [Fact, unknown][];
  return facts
    .filter(([fact]) => !gone.has(fact))
    .map(([fact, value]) => [fact, withoutParts(value, fact, gone)] as const)
    .filter(([fact, value]) => !sameValue(value, back[fact]) && !sameKind(fact, value, back))
    .map(([fact]) => ({ field: fact, why: whyLost(fact, back, dialect) }));
}

/** What is left of a map of texts; nothing when all of them are gone. */
function withoutParts(value: unknown, fact: string, gone: ReadonlySet<string>): unknown {
  if (!isRecord(value)) return value;
  const members = Object.entries(value);
  const left = members.filter(([key]) => !gone.has(`${fact}/${key}`));
  if (left.length === members.length) return value;
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** A host that finds out by itself reaches servers of streamable HTTP, too. */
function sameKind(fact: Fact, value: unknown, back: Facts): boolean {
  const either: readonly unknown[] = ['http', 'auto'];
  return fact === 'kind' && either.includes(value) && either.includes(back.kind);
}

function whyLost(fact: Fact, back: Facts, { title }: Dialect): string {
  if (fact === 'kind') return `${title} cannot be told to use this transport`;
  return back[fact] === undefined ? `${title} has no such setting` : `${title} can say only a part`;
}

function refusalOf(error: unknown): { readonly why: string; readonly path: readonly string[] } {
  if (!(error instanceof KitError)) throw error;
  const pointer = error.details?.['pointer'];
  const path = typeof pointer === 'string' ? pointer.split('/').slice(1) : [];
  return {
    why: error.message.slice(error.message.indexOf(': ') + 2),
    path: path.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')),
  };
}

/** The object without the value at a path; undefined when that is no optional part of it. */
function omit(
  value: Readonly<Record<string, unknown>>,
  [key, ...deeper]: readonly string[],
): Record<string, unknown> | undefined {
  if (key === undefined || !Object.hasOwn(value, key)) return undefined;
  if (deeper.length === 0) {
    return Object.fromEntries(Object.entries(value).filter(([other]) => other !== key));
  }
  const inner = value[key];
  const smaller = isRecord(inner) ? omit(inner, deeper) : undefined;
  return smaller === undefined ? undefined : { ...value, [key]: smaller };
}
