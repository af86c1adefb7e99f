import { isRecord } from '#jsonrpc';
import { KitError } from '#base';
import { decodeServer } from './decode.ts';
import type { Dialect } from './dialect.ts';
import { dialectOf } from './dialects/index.ts';
import type { ServerEntry } from './entry.ts';
import { factsOf, said, type Fact, type Facts } from './facts.ts';
import { restate, type Note } from './restate.ts';
import { sameValue } from './same-value.ts';

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
  const notes: Note[] = [...restated.notes, ...(own ? [] : foreignExtras(entry, from))];
  let raw = write(restated.facts, dialect, entry.name);
  if (own) raw = join(raw, entry.extras);
  for (let tries = 0; tries < maxOmissions; tries += 1) {
    try {
      const back = factsOf(decodeServer(raw, entry.name, dialect));
      notes.push(...differences(restated.facts, back, { dialect, already: notes }));
      return { raw, notes };
    } catch (error) {
      const { why, path } = refusalOf(error);
      const smaller = omit(raw, path);
      notes.push({ field: smaller === undefined ? 'transport' : path.join('/'), why });
      if (smaller === undefined) return { raw: undefined, notes };
      raw = smaller;
    }
  }
  return { raw: undefined, notes };
}

function write(facts: Facts, dialect: Dialect, name: string): Record<string, unknown> {
  const written = [...dialect.fields].flatMap(([key, field]) => {
    const value = field.write(facts);
    return value === undefined || isEmpty(value) ? [] : [[key, value] as const];
  });
  const raw = Object.fromEntries(written);
  return { ...(dialect.complete?.(raw, name) ?? raw) };
}

const isEmpty = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;

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

/** The facts that do not come back. */
function differences(
  meant: Facts,
  back: Facts,
  { dialect, already }: { readonly dialect: Dialect; readonly already: readonly Note[] },
): readonly Note[] {
  const facts = Object.entries(said(meant)) as [Fact, unknown][];
  return facts
    .filter(([fact, value]) => !sameValue(value, back[fact]) && !sameKind(fact, value, back))
    .filter(([fact]) => !already.some(({ field }) => field.split('/')[0] === fact))
    .map(([fact]) => ({ field: fact, why: whyLost(fact, back, dialect) }));
}

/** A host that finds out by itself reaches servers of the newer transport, too. */
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
