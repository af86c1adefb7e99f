import { isRecord, nearMiss, type KitError } from 'mcp-kit/internal';
import type { Dialect, Section, Surroundings } from './dialect.ts';
import type { ConfigScope, InputDefinition, ServerEntry } from './entry.ts';
import {
  applies,
  said,
  settingsOf,
  transportOf,
  type Fact,
  type Facts,
  type Kind,
} from './facts.ts';
import { parseTemplate } from './template.ts';
import { mapTexts } from './texts.ts';
import { below, configError, topOf, type ConfigWarning, type Place } from './place.ts';
import { asRecord, readField, type Reading } from './field.ts';
import { requirePlain } from './format/plain-value.ts';
import { valueAt } from './values.ts';

/** What is known of a file besides its content. */
export interface Source {
  readonly file: string;
  readonly scope: ConfigScope;
  readonly rank: number;
  readonly surroundings?: Surroundings | undefined;
}

/** An entry and how strongly its file counts; lower wins. */
export interface RankedEntry {
  readonly entry: ServerEntry;
  readonly rank: number;
}

/** What a file says. One broken server does not hide the others, unless the host refuses the whole file. */
export interface Decoded {
  readonly entries: readonly RankedEntry[];
  readonly errors: readonly KitError[];
  readonly warnings: readonly ConfigWarning[];
}

/** Collects what is wrong without giving up. */
class Findings {
  readonly errors: KitError[] = [];
  readonly warnings: ConfigWarning[] = [];

  attempt<Type>(read: () => Type): Type | undefined {
    try {
      return read();
    } catch (error) {
      this.errors.push(error as KitError);
      return undefined;
    }
  }

  warn(place: Place, message: string): void {
    this.warnings.push({ ...place, message });
  }
}

/** Reads the servers of a parsed document as one host would. */
export function decodeDocument(document: unknown, dialect: Dialect, source: Source): Decoded {
  const findings = new Findings();
  const top = topOf(source.file);
  const entries: RankedEntry[] = [];
  findings.attempt(() => {
    const root = asRecord(document, top);
    dialect.checkDocument?.(root, top);
    const sections = dialect.sections?.(root, source.surroundings) ?? [{ path: dialect.home }];
    for (const section of sections) {
      entries.push(...decodeSection({ root, section, dialect, source, findings }));
    }
    if (entries.length === 0) noteOtherKey(root, { dialect, top, findings });
  });
  const refused = dialect.strict && findings.errors.length > 0 && dialect.id === 'mcp-kit';
  const { errors, warnings } = findings;
  return { entries: refused ? [] : entries, errors, warnings };
}

const mapKeys = ['mcpServers', 'servers', 'mcp_servers', 'context_servers'];

/** A map of servers under the key of another host is one that this host does not see. */
function noteOtherKey(
  root: Readonly<Record<string, unknown>>,
  { dialect, top, findings }: { dialect: Dialect; top: Place; findings: Findings },
): void {
  const [own = ''] = dialect.home;
  const other = mapKeys.find((key) => key !== own && isRecord(root[key]));
  if (other === undefined || Object.hasOwn(root, own)) return;
  const message = `${dialect.title} reads \`${dialect.home.join('.')}\`, and does not see \`${other}\``;
  findings.warn(below(top, other), message);
}

interface Task {
  readonly root: Readonly<Record<string, unknown>>;
  readonly section: Section;
  readonly dialect: Dialect;
  readonly source: Source;
  readonly findings: Findings;
}

function decodeSection({ root, section, dialect, source, findings }: Task): RankedEntry[] {
  const place = below(topOf(source.file), ...section.path);
  const map = valueAt(root, section.path);
  if (map === undefined || map === null) return [];
  const servers = findings.attempt(() => Object.entries(asRecord(map, place))) ?? [];
  const { rank = source.rank, scope = source.scope, except = [] } = section;
  const inputs = inputsOf(root, dialect);
  const names = new Set<string>();
  const found: RankedEntry[] = [];
  for (const [key, raw] of servers) {
    if (except.includes(key)) continue;
    const at = below(place, key);
    findings.attempt(() => {
      requirePlain({ [key]: raw }, place);
      const name = serverName(key, { dialect, at, names });
      const record = asRecord(raw, at);
      dialect.check?.(record, name, at);
      const entry = decodeEntry(record, { name, dialect, at, scope, inputs, findings });
      requirePlain(entry.inputs, below(topOf(source.file), 'inputs'));
      const isOff = dialect.isOff?.(root, name) ?? false;
      found.push({ entry: isOff ? { ...entry, enabled: false } : entry, rank });
    });
  }
  return found;
}

function serverName(
  key: string,
  { dialect, at, names }: { dialect: Dialect; at: Place; names: Set<string> },
): string {
  const name = key.trim();
  if (name === '') throw configError(at, 'server name must not be empty');
  if (dialect.names !== undefined && !dialect.names.test(name)) {
    const allowed = dialect.names.source.slice(1, -1);
    throw configError(at, `invalid server name: ${name} (allowed: ${allowed})`);
  }
  if (names.has(name)) {
    const message = `duplicate mcp server name after normalization: ${JSON.stringify(key)} -> ${name}`;
    throw configError(at, message);
  }
  names.add(name);
  return name;
}

interface EntryTask {
  readonly name: string;
  readonly dialect: Dialect;
  readonly at: Place;
  readonly scope: ConfigScope;
  readonly inputs: readonly InputDefinition[];
  readonly findings: Findings;
}

function decodeEntry(raw: Readonly<Record<string, unknown>>, task: EntryTask): ServerEntry {
  const { name, dialect, at, scope, findings } = task;
  const { facts, keys, extras } = readFields(raw, task);
  const kind = kindOf(facts, task);
  for (const [fact, key] of keys) {
    if (applies(fact, kind)) continue;
    if (dialect.strict) throw configError(below(at, key), `not for servers reached by ${kind}`);
    findings.warn(below(at, key), `has no effect on a server that is reached by ${kind}`);
    extras.set(key, raw[key]);
  }
  const differing = [...keys].filter(([fact, key]) => fact !== key && applies(fact, kind));
  const entry: ServerEntry = {
    name,
    transport: transportOf(facts, kind),
    ...settingsOf(facts),
    inputs: [],
    extras: Object.fromEntries(extras),
    provenance: {
      ...at,
      dialect: dialect.id,
      scope,
      keys: Object.fromEntries(differing),
    },
    shadows: [],
  };
  return task.inputs.length === 0 ? entry : { ...entry, inputs: inputsUsed(entry, task) };
}

/** Reads one server as a host would, outside any file; throws what the host would refuse. */
export function decodeServer(
  raw: Readonly<Record<string, unknown>>,
  name: string,
  dialect: Dialect,
): ServerEntry {
  const at = topOf('');
  dialect.check?.(raw, name, at);
  const findings = new Findings();
  return decodeEntry(raw, { name, dialect, at, scope: 'explicit', inputs: [], findings });
}

interface FieldsRead {
  readonly facts: Facts;
  /** The key that each fact was found under. */
  readonly keys: Map<Fact, string>;
  readonly extras: Map<string, unknown>;
}

function readFields(raw: Readonly<Record<string, unknown>>, task: EntryTask): FieldsRead {
  const { dialect, at, findings } = task;
  const facts: Facts = {};
  const keys = new Map<Fact, string>();
  const extras = new Map<string, unknown>();
  for (const [key, value] of Object.entries(raw)) {
    if (dialect.fields.has(key) && (value !== null || dialect.strict)) continue;
    if (!dialect.fields.has(key)) noteUnknown(key, { dialect, place: below(at, key), findings });
    extras.set(key, value);
  }
  // In the order of the dialect, not of the file: where two keys say the same, the later field counts.
  for (const [key, field] of dialect.fields) {
    if (!Object.hasOwn(raw, key) || extras.has(key)) continue;
    const {
      rest,
      keys: deeper = {},
      ...read
    }: Reading = readField(field, raw[key], below(at, key));
    if (rest !== undefined) extras.set(key, rest);
    if (facts.oauth && read.oauth) read.oauth = { ...facts.oauth, ...read.oauth };
    Object.assign(facts, read);
    for (const fact of Object.keys(read) as Fact[]) keys.set(fact, deeper[fact] ?? key);
  }
  return { facts: said(facts), keys, extras };
}

function noteUnknown(
  key: string,
  { dialect, place, findings }: { dialect: Dialect; place: Place; findings: Findings },
): void {
  const { alsoKnown = new Set() } = dialect;
  if (alsoKnown.has(key)) return;
  const near = nearMiss(key, [...dialect.fields.keys(), ...alsoKnown]);
  const hint = near === undefined ? undefined : `Did you mean ${near}?`;
  if (dialect.strict) throw configError(place, `unknown field \`${key}\``, { hint });
  const message = `${dialect.title} has no field \`${key}\``;
  findings.warn(place, hint === undefined ? message : `${message}. ${hint}`);
}

function kindOf(facts: Facts, task: EntryTask): Kind {
  const { at } = task;
  const { command, url, path } = facts;
  const kind = facts.kind ?? impliedKind(facts, task);
  if (path !== undefined) return 'unix';
  if (kind === 'stdio') {
    if (command === undefined || command === '') throw configError(at, 'needs a command');
    return kind;
  }
  if (url === undefined || url === '') throw configError(at, 'needs a URL');
  return kind;
}

function impliedKind({ command, url, path }: Facts, { dialect, at, findings }: EntryTask): Kind {
  if (command !== undefined && url !== undefined) {
    throw configError(at, 'set either a command or a URL, not both');
  }
  if (command !== undefined) return 'stdio';
  if (path !== undefined) return 'unix';
  if (url === undefined) throw configError(at, 'needs a command or a URL');
  if (dialect.urlAlone !== undefined) return dialect.urlAlone;
  // What is meant is plain, also where the host insists.
  findings.warn(at, `${dialect.title} needs a \`type\` beside a URL: add "type": "http"`);
  return 'http';
}

/** The questions that a document defines. */
function inputsOf(root: unknown, dialect: Dialect): readonly InputDefinition[] {
  const inputs = valueAt(root, ['inputs']);
  if (!dialect.syntax.forms.includes('input') || !Array.isArray(inputs)) return [];
  return inputs.filter(
    (input): input is InputDefinition =>
      isRecord(input) && typeof input['id'] === 'string' && typeof input['type'] === 'string',
  );
}

function inputsUsed(entry: ServerEntry, { dialect, inputs }: EntryTask): InputDefinition[] {
  const used = new Set<string>();
  mapTexts(entry, (text) => {
    for (const part of parseTemplate(text, dialect.syntax)) {
      for (const { scheme, name } of typeof part === 'string' ? [] : part.choices) {
        if (scheme === 'input') used.add(name);
      }
    }
    return text;
  });
  return inputs.filter(({ id }) => used.has(id));
}
