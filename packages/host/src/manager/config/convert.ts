import { decodeServer } from './decode.ts';
import { dialectOf } from './dialects/index.ts';
import type { Dialect } from './dialect.ts';
import { parseDocument } from './format/document.ts';
import { reviseText, serialise } from './format/edit-text.ts';
import { encodeEntry } from './encode.ts';
import type { DialectId, InputDefinition, ServerEntry } from './entry.ts';
import { factsOf } from './facts.ts';
import { variablesOf } from './interpolate.ts';
import { plainName } from './load.ts';
import type { Loss } from './restate.ts';
import { isRecord } from 'mcp-kit/internal';
import { asRecord } from './field.ts';
import { topOf } from './place.ts';
import { sameValue, valueAt } from './values.ts';

/** A configuration in the words of one host. */
export interface Conversion {
  readonly text: string;
  /** The servers that are in it now, by the names they have there. */
  readonly servers: readonly string[];
  /** Those among them that were not there before, or not like this. */
  readonly changed: readonly string[];
  /** What the host cannot be told. */
  readonly lost: readonly Loss[];
}

/** What was there before entries are written, and whether they may take its place. */
interface WriteOptions {
  /** The text to write into; a new one without. */
  readonly into?: string | undefined;
  /** Names that text in errors. */
  readonly file?: string | undefined;
  /** Whether a server of the same name may be replaced; it stays as it is otherwise. */
  readonly mayReplace?: ((name: string, there: unknown) => boolean) | undefined;
}

/** A conversion in full. */
export interface Written extends Conversion {
  /** The servers as they are in the text, by name. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The names of servers that were there, and are as they were. */
  readonly kept: readonly string[];
}

/**
 * Writes entries as one host has them: as a new text, or into one that exists, whose other content and comments stay.
 * Servers of the same name are replaced; what only that host knew of them stays. `file` names that text in errors.
 */
export async function convertConfig(
  entries: readonly ServerEntry[],
  to: DialectId,
  options: { readonly into?: string | undefined; readonly file?: string } = {},
): Promise<Conversion> {
  const { text, servers, changed, lost } = await writeEntries(entries, to, options);
  return { text, servers, changed, lost };
}

/** The same with a say in what may be replaced, and with what was written. */
export async function writeEntries(
  entries: readonly ServerEntry[],
  to: DialectId,
  { into, file = 'the text', mayReplace = () => true }: WriteOptions = {},
): Promise<Written> {
  const dialect = dialectOf(to);
  const before = into === undefined ? {} : await parseDocument(into, file, dialect.format);
  const root = asRecord(before, topOf(file));
  const existing = valueAt(root, dialect.home);
  const { servers, values, changed, kept, lost } = encodeAll(entries, dialect, {
    existing,
    mayReplace,
  });
  const written = Object.keys(values);
  if (into !== undefined && written.length === 0) {
    return { text: into, servers: [], values, changed, kept, lost };
  }
  const after = withInputs(place({ ...dialect.blank, ...root }, dialect.home, servers), {
    entries,
    dialect,
  });
  const inputs = definitionsLost(entries, dialect);
  const text =
    into === undefined
      ? await serialise(after, dialect.format)
      : await reviseText({ text: into, before, after, file }, dialect.format);
  return { text, servers: written, values, changed, kept, lost: [...lost, ...inputs] };
}

interface There {
  readonly existing: unknown;
  readonly mayReplace: (name: string, there: unknown) => boolean;
}

function encodeAll(
  entries: readonly ServerEntry[],
  dialect: Dialect,
  { existing, mayReplace }: There,
): Pick<Written, 'changed' | 'kept' | 'lost'> & {
  readonly servers: Record<string, unknown>;
  readonly values: Record<string, unknown>;
} {
  const servers = new Map(Object.entries(isRecord(existing) ? existing : {}));
  const taken = new Map<string, number>();
  const lost: Loss[] = [];
  const kept: string[] = [];
  const values = new Map<string, unknown>();
  const changed: string[] = [];
  for (const entry of entries) {
    const name = freeName(nameFor(entry, dialect), taken);
    const there = servers.get(name);
    if (there !== undefined && !mayReplace(name, there)) {
      kept.push(name);
      continue;
    }
    if (name !== entry.name) {
      lost.push({ server: entry.name, field: 'name', why: `it becomes ${name}` });
    }
    const { raw, notes } = encodeEntry({ ...entry, name }, dialect);
    lost.push(...notes.map((note) => ({ server: entry.name, ...note })));
    if (raw === undefined) continue;
    const value = merged(raw, there, { entry, dialect });
    if (!sameValue(there, value)) changed.push(name);
    servers.set(name, value);
    values.set(name, value);
  }
  return {
    servers: Object.fromEntries(servers),
    values: Object.fromEntries(values),
    changed,
    kept,
    lost,
  };
}

function nameFor(entry: ServerEntry, { names }: Dialect): string {
  return names === undefined || names.test(entry.name) ? entry.name : plainName(entry.name);
}

/** The name, with a number if it is taken; `taken` keeps the next number of each. */
function freeName(name: string, taken: Map<string, number>): string {
  let free = name;
  let number = taken.get(name) ?? 1;
  while (taken.has(free)) {
    number += 1;
    free = `${name}_${number}`;
  }
  taken.set(name, number);
  taken.set(free, taken.get(free) ?? 1);
  return free;
}

/** What was there stays when it says the same; else what only the host knows of it stays. */
function merged(
  raw: Readonly<Record<string, unknown>>,
  existing: unknown,
  { entry, dialect }: { readonly entry: ServerEntry; readonly dialect: Dialect },
): unknown {
  if (!isRecord(existing)) return raw;
  const own = entry.provenance.dialect === dialect.id;
  const kept = Object.entries(existing).filter(([key]) => !own && !dialect.fields.has(key));
  const joined = { ...Object.fromEntries(kept), ...raw };
  try {
    const facts = (server: Readonly<Record<string, unknown>>): unknown => {
      const decoded = decodeServer(server, entry.name, dialect);
      return [factsOf(decoded), decoded.extras];
    };
    return sameValue(facts(existing), facts(joined)) ? existing : joined;
  } catch {
    return joined;
  }
}

/** The document with a value at a path. */
function place(
  document: Readonly<Record<string, unknown>>,
  [key = '', ...deeper]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  if (deeper.length === 0) return { ...document, [key]: value };
  const inner = document[key];
  return { ...document, [key]: place(isRecord(inner) ? inner : {}, deeper, value) };
}

/** Whether a host defines its questions in the file. */
const definesInputs = ({ id }: Dialect): boolean => id === 'vscode';

function withInputs(
  document: Record<string, unknown>,
  { entries, dialect }: { readonly entries: readonly ServerEntry[]; readonly dialect: Dialect },
): Record<string, unknown> {
  if (!definesInputs(dialect)) return document;
  const known: readonly unknown[] = Array.isArray(document['inputs']) ? document['inputs'] : [];
  const ids = new Set(known.map((input) => valueAt(input, ['id'])));
  const added: InputDefinition[] = [];
  for (const entry of entries) {
    const used = variablesOf(entry).filter(({ scheme }) => scheme === 'input');
    for (const { name } of used) {
      if (ids.has(name)) continue;
      ids.add(name);
      const definition = entry.inputs.find(({ id }) => id === name);
      added.push(
        definition ?? { id: name, type: 'promptString', description: name, password: true },
      );
    }
  }
  return added.length === 0 ? document : { ...document, inputs: [...known, ...added] };
}

function definitionsLost(entries: readonly ServerEntry[], dialect: Dialect): readonly Loss[] {
  if (definesInputs(dialect)) return [];
  return entries.flatMap((entry) =>
    entry.inputs.map(({ id }) => ({
      server: entry.name,
      field: `inputs/${id}`,
      why: `${dialect.title} has no place for what is asked`,
    })),
  );
}
