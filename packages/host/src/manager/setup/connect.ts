import { stat } from 'node:fs/promises';
import path from 'node:path';
import { KitError } from 'mcp-kit/internal';
import { writeEntries } from '../config/convert.ts';
import type { Surroundings } from '../config/dialect.ts';
import { hosts, type Host } from '../config/dialects/hosts.ts';
import { configFolder, settingsFolder } from '../config/dialects/candidates.ts';
import { dialectOf } from '../config/dialects/index.ts';
import type { ServerEntry } from '../config/entry.ts';
import { parseDocument } from '../config/format/document.ts';
import { isInside } from '../config/read-file.ts';
import type { Loss } from '../config/restate.ts';
import { sameValue, valueAt } from '../config/values.ts';
import { keepBackup, noteConnection, type Connection, type Connections } from './connections.ts';
import {
  changeServerFile,
  digestOf,
  missingFolders,
  readServerFile,
  type ServerFile,
} from './server-file.ts';

/** Whose file: that of the project, or that of the user, which counts everywhere. */
export type Level = 'project' | 'user';

/** The hosts whose files can be written; our own file is what they are written from. */
export const connectable: readonly Host[] = hosts.filter(({ id }) => id !== 'mcp-kit');

/** A file of a host, and whether it, or at least the host, is there. */
export interface HostFile {
  readonly host: Host;
  readonly level: Level;
  readonly file: string;
  readonly exists: boolean;
}

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

/** The file of a host at a level: the first that is there, else the one that it is called most often. */
export async function hostFile(
  host: Host,
  level: Level,
  surroundings: Surroundings,
): Promise<HostFile | undefined> {
  const candidate = host.where(surroundings).find(({ scope }) => scope === level);
  const [usual] = candidate?.files ?? [];
  if (candidate === undefined || usual === undefined) return undefined;
  for (const file of candidate.files) {
    if (await isThere(file)) return { host, level, file, exists: true };
  }
  return { host, level, file: usual, exists: false };
}

/** Whether a host has left a trace: a file of its own, or the folder that it would be in. */
export async function isInstalled(host: Host, surroundings: Surroundings): Promise<boolean> {
  const { root, home } = surroundings;
  const shared = new Set([root, home, configFolder(surroundings), settingsFolder(surroundings)]);
  for (const { files, scope } of host.where(surroundings)) {
    if (scope === 'managed') continue;
    for (const file of files) {
      const folder = path.dirname(file);
      if (await isThere(file)) return true;
      if (!shared.has(folder) && (await isThere(folder))) return true;
    }
  }
  return false;
}

/** What connecting would do to a file. */
export interface ConnectionPlan extends HostFile {
  readonly before: ServerFile;
  readonly text: string;
  /** The servers that are in the file then, on our account. */
  readonly servers: readonly string[];
  /** Servers that somebody else put there under the same name: they stay as they are. */
  readonly kept: readonly string[];
  readonly lost: readonly Loss[];
  readonly connection: Connection;
}

/** Says what connecting would do; nothing is written. */
export async function planConnection(
  { host, level, file, exists }: HostFile,
  entries: readonly ServerEntry[],
  { root, connections }: { readonly root: string; readonly connections: Connections },
): Promise<ConnectionPlan> {
  if (level === 'project' && !isInside(root, file)) {
    throw new KitError('invalid_config', `${file} leads out of the project, by a link`);
  }
  const before = await readServerFile(file, { follow: level === 'user' });
  const earlier = connections.get(before.file);
  const others = entries.filter(
    ({ provenance }) => provenance.file !== before.file && provenance.file !== file,
  );
  const ours = earlier?.servers ?? {};
  const written = await writeEntries(others, host.dialect, {
    into: before.text,
    file,
    // What we wrote, and nobody has touched since.
    mayReplace: (name, there) => Object.hasOwn(ours, name) && sameValue(ours[name], there),
  });
  const { values, kept, lost, text } = written;
  const servers = { ...ours, ...values };
  const unowned = kept.filter((name) => !Object.hasOwn(ours, name));
  const connection: Connection = {
    host: host.id,
    file: before.file,
    level,
    before: beforeOf(before, earlier),
    after: digestOf(text),
    servers,
    madeMap: earlier?.madeMap ?? !(await hasMap(before, host)),
    folders: [...(earlier?.folders ?? []), ...(await missingFolders(before.file))],
  };
  const plan = { host, level, file, exists, before, lost, connection };
  return { ...plan, text, servers: Object.keys(servers), kept: unowned };
}

/** What to go back to: the text before we first wrote, as long as nobody has changed it in between. */
function beforeOf(
  { text }: ServerFile,
  earlier: Connection | undefined,
): string | null | undefined {
  if (earlier === undefined) return text === undefined ? null : digestOf(text);
  return text !== undefined && digestOf(text) === earlier.after ? earlier.before : undefined;
}

async function hasMap({ file, text }: ServerFile, host: Host): Promise<boolean> {
  if (text === undefined) return false;
  const { format, home } = dialectOf(host.dialect);
  return valueAt(await parseDocument(text, file, format), home) !== undefined;
}

/** Does it: keeps the text from before, notes what is about to be written, and writes it in one step. */
export async function applyConnection(
  { before, text, connection }: ConnectionPlan,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (before.text === text) return;
  if (before.text !== undefined) await keepBackup(env, digestOf(before.text), before.text);
  await noteConnection(env, before.file, connection);
  const mode = connection.level === 'user' ? 0o600 : 0o644;
  await changeServerFile(before, text, { mode });
}
