import path from 'node:path';
import { isRecord, KitError } from 'mcp-kit/internal';
import { decodeDocument, type RankedEntry } from './decode.ts';
import { detectDialects } from './detect.ts';
import { ranks, type Candidate, type Dialect, type Surroundings } from './dialect.ts';
import { hosts } from './dialects/hosts.ts';
import { dialectOf } from './dialects/index.ts';
import { clientOf, type ClientSettings } from './dialects/mcp-kit.ts';
import { formatOfFile, parseDocument } from './format/document.ts';
import type { ConfigScope, DialectId, Provenance, ServerEntry } from './entry.ts';
import { followLinks } from './follow.ts';
import { configError, topOf, type ConfigWarning } from './place.ts';
import {
  gatewayIn,
  joinGateway,
  policyIn,
  type GatewaySection,
  type GatewaySettings,
} from './gateway/settings.ts';
import { unreadPolicy } from './gateway/policy.ts';
import { isInside, readConfigFile } from './read-file.ts';

/** Where to look for configuration. */
export interface LoadOptions {
  /** The folder of the project. */
  readonly root: string;
  /** The folder of the user; without it only the project is looked at. */
  readonly home?: string | undefined;
  /** Only these files, wherever they are. */
  readonly files?: readonly string[] | undefined;
  /** Takes the files for this host's, whatever they look like; without `files`, only this host's are read. */
  readonly dialect?: DialectId | undefined;
  /** Looked at for the folders of hosts; values of variables in files are not resolved here. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly platform?: NodeJS.Platform | undefined;
}

/** A file that was there. */
interface ConfigSource {
  readonly file: string;
  readonly scope: ConfigScope;
  readonly dialects: readonly DialectId[];
  readonly servers: number;
  /** Nothing at all is in it, or no server and nothing else. */
  readonly isEmpty?: boolean | undefined;
}

/** All that the files say. Nothing in them has been run, resolved or connected to. */
export interface LoadedConfig {
  /** The entries that count, sorted by name. */
  readonly entries: readonly ServerEntry[];
  /** The entries that others of the same name win over. */
  readonly shadowed: readonly ServerEntry[];
  readonly warnings: readonly ConfigWarning[];
  /** What is wrong, each with `details.file` and `details.pointer`. The rest of the files counts all the same. */
  readonly errors: readonly KitError[];
  readonly client: ClientSettings;
  readonly gateway: GatewaySettings;
  readonly sources: readonly ConfigSource[];
}

/** Reads every configuration file that is there, or those that are named, and says which entry counts. */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const surroundings = surroundingsOf(options);
  const candidates = candidatesFor(options, surroundings);
  const readings = await Promise.all(
    candidates.map((candidate) => readCandidate(candidate, { options, surroundings })),
  );
  const found = withoutRepeats(readings.filter((reading) => reading !== undefined));
  const ranked = found.flatMap(({ entries }) => entries);
  const { entries, shadowed } = settleNames(ranked);
  const warnings = [...found.flatMap((one) => one.warnings), ...collisions(entries)];
  const errors = found.flatMap((one) => one.errors);
  const gateway = joinGateway(
    found.flatMap((one) => one.gateway ?? []),
    {
      servers: new Set(entries.map(({ name }) => name)),
      refuse: (error) => errors.push(error),
      warn: (warning) => warnings.push(warning),
    },
  );
  return {
    entries,
    shadowed,
    warnings,
    errors,
    gateway,
    client: found.find(({ client }) => Object.keys(client).length > 0)?.client ?? {},
    sources: found.map(({ source }) => source),
  };
}

function surroundingsOf(options: LoadOptions): Surroundings {
  const { root, home = '', platform = process.platform, env = {} } = options;
  // A relative home would be a folder of whatever project is open.
  return {
    root: path.resolve(root),
    home: path.isAbsolute(home) ? home : undefined,
    platform,
    env,
  };
}

/** The files that are looked for, whether or not they are there. */
export function filesToLoad(options: LoadOptions): readonly string[] {
  return candidatesFor(options, surroundingsOf(options)).flatMap(({ files }) => files);
}

/** The files that hosts read, in the order in which they count. */
export function candidateFiles(surroundings: Surroundings): readonly Candidate[] {
  const all = hosts.flatMap(({ where }) => where(surroundings));
  return all.toSorted((a, b) => a.rank - b.rank);
}

function candidatesFor(options: LoadOptions, surroundings: Surroundings): readonly Candidate[] {
  const { files, dialect } = options;
  if (files !== undefined) {
    return files.map((file, index) => ({
      dialect: dialect ?? 'compat',
      files: [path.resolve(surroundings.root, file)],
      scope: 'explicit',
      rank: ranks.explicit + index / files.length,
    }));
  }
  if (dialect === undefined) return candidateFiles(surroundings);
  return candidateFiles(surroundings).filter((candidate) => candidate.dialect === dialect);
}

interface FileReading {
  readonly source: ConfigSource;
  readonly entries: readonly RankedEntry[];
  readonly warnings: readonly ConfigWarning[];
  readonly errors: readonly KitError[];
  readonly client: ClientSettings;
  readonly gateway?: GatewaySection | undefined;
}

interface Reader {
  readonly options: LoadOptions;
  readonly surroundings: Surroundings;
}

async function readCandidate(
  candidate: Candidate,
  reader: Reader,
): Promise<FileReading | undefined> {
  for (const file of candidate.files) {
    try {
      const reading = await readOne(file, candidate, reader);
      if (reading !== undefined) return reading;
    } catch (cause) {
      const isKnown = cause instanceof KitError;
      const error = isKnown ? cause : configError(topOf(file), 'cannot be read', { cause });
      return unread(file, candidate, error);
    }
  }
  if (candidate.scope !== 'explicit') return undefined;
  const [file = ''] = candidate.files;
  const missing = { hint: 'Check its name, and the folder it is in.' };
  return unread(file, candidate, configError(topOf(file), 'there is no such file', missing));
}

function unread(file: string, { scope, dialect }: Candidate, error: KitError): FileReading {
  const source = { file, scope, dialects: [], servers: 0 };
  // Whether it has a policy nobody knows.
  const mayTell = sharedForms.has(dialect) && (scope === 'explicit' || isOurName(file, dialect));
  const place = topOf(file);
  const gateway = mayTell
    ? { settings: { policy: [unreadPolicy(place)] }, place, scope }
    : undefined;
  return { source, entries: [], warnings: [], errors: [error], client: {}, gateway };
}

async function readOne(
  file: string,
  candidate: Candidate,
  { options, surroundings }: Reader,
): Promise<FileReading | undefined> {
  const { scope, rank } = candidate;
  const { root } = surroundings;
  // People link the settings in their home folder to where they keep them; a project has no business to.
  const text = await readConfigFile(file, { follow: scope === 'user' || scope === 'managed' });
  if (text === undefined) return undefined;
  if (scope === 'project' && !isInside(root, file)) {
    throw configError(topOf(file), `path escapes root: ${file} (root=${root})`);
  }
  const forced = options.dialect === undefined ? undefined : dialectOf(options.dialect);
  const document = await parseDocument(text, file, forced?.format ?? formatOfFile(file));
  const chosen = forced === undefined ? detectDialects(file, document) : [forced];
  await refuseComments(text, file, chosen);
  const followed = await followLinks({ file, document }, { root, dialects: chosen });
  const decoded = chosen.map((dialect) =>
    decodeDocument(followed.document, dialect, { file: followed.file, scope, rank, surroundings }),
  );
  const entries = decoded.flatMap((part) => part.entries);
  const errors = decoded.flatMap((part) => part.errors);
  const isOwn = chosen.some(({ id }) => id === 'mcp-kit');
  const tells = isOwn || isShared(file, chosen);
  return {
    source: {
      file,
      scope,
      dialects: chosen.map(({ id }) => id),
      servers: entries.length,
      isEmpty: isHollow(document) || undefined,
    },
    entries,
    warnings: decoded.flatMap((part) => part.warnings),
    errors,
    client: isOwn && errors.length === 0 ? clientIn(document, file) : {},
    gateway: tells ? gatewayOf(document, { file, scope }, errors) : undefined,
  };
}

/** Files that belong to no single host are also ours, whatever form their servers have. */
function isShared(file: string, chosen: readonly Dialect[]): boolean {
  return chosen.every(({ id }) => sharedForms.has(id) && isOurName(file, id));
}

function isOurName(file: string, dialect: DialectId): boolean {
  return dialect === 'mcp-kit' || /^\.?mcp\.json$/.test(path.basename(file));
}

const sharedForms: ReadonlySet<DialectId> = new Set([
  'mcp-kit',
  'compat',
  'sep-2633',
  'claude-code',
]);

/** What a gateway is told; a mistake in it is one of the file. Where anything is wrong its policy counts all the same. */
function gatewayOf(
  document: unknown,
  at: { readonly file: string; readonly scope: ConfigScope },
  errors: KitError[],
): GatewaySection | undefined {
  if (errors.length > 0) return policyIn(document, at);
  try {
    return gatewayIn(document, at);
  } catch (error) {
    if (!(error instanceof KitError)) throw error;
    errors.push(error);
    return policyIn(document, at);
  }
}

/** Whether a document has no value anywhere but the version of its format. */
function isHollow(document: unknown): boolean {
  if (!isRecord(document)) return document === undefined || document === null;
  return Object.entries(document).every(([key, value]) => key === 'version' || isHollow(value));
}

/** One file must not tell the servers of another which folders are theirs. */
function clientIn(document: unknown, file: string): ClientSettings {
  const client = clientOf(document);
  return Object.keys(client).length === 0 ? client : { ...client, file };
}

/** Before the shape of a file is known it is read generously; some hosts take no comments. */
async function refuseComments(
  text: string,
  file: string,
  chosen: readonly Dialect[],
): Promise<void> {
  if (chosen.some(({ format }) => format === 'json')) await parseDocument(text, file, 'json');
}

/** Two hosts may read the same file. */
function withoutRepeats(readings: readonly FileReading[]): readonly FileReading[] {
  const seen = new Set<string>();
  return readings.filter(({ source }) => {
    const isNew = !seen.has(source.file);
    seen.add(source.file);
    return isNew;
  });
}

function settleNames(ranked: readonly RankedEntry[]): {
  readonly entries: readonly ServerEntry[];
  readonly shadowed: readonly ServerEntry[];
} {
  const byName = new Map<string, ServerEntry[]>();
  for (const { entry } of ranked.toSorted((a, b) => a.rank - b.rank)) {
    const others = byName.get(entry.name) ?? [];
    byName.set(entry.name, [...others, entry]);
  }
  const groups = [...byName.values()].map(([winner, ...losers]) => ({ winner, losers }));
  const provenances = (losers: readonly ServerEntry[]): readonly Provenance[] =>
    losers.map(({ provenance }) => provenance);
  const entries = groups.flatMap(({ winner, losers }) =>
    winner === undefined ? [] : [{ ...winner, shadows: provenances(losers) }],
  );
  return {
    entries: entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    shadowed: groups.flatMap(({ losers }) => losers),
  };
}

/** A name of letters, digits, `_` and `-`, as tools are named after. */
export function plainName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]+/g, '_');
}

/** Servers whose names become the same where only plain names are possible. */
function collisions(entries: readonly ServerEntry[]): readonly ConfigWarning[] {
  const first = new Map<string, ServerEntry>();
  const warnings: ConfigWarning[] = [];
  for (const entry of entries) {
    const plain = plainName(entry.name);
    const other = first.get(plain);
    if (other === undefined) {
      first.set(plain, entry);
      continue;
    }
    const { file, pointer } = entry.provenance;
    const { file: otherFile, pointer: otherPointer } = other.provenance;
    const message = `${JSON.stringify(entry.name)} and ${JSON.stringify(other.name)} (${otherFile}#${otherPointer}) both become ${plain}`;
    warnings.push({ file, pointer, message });
  }
  return warnings;
}
