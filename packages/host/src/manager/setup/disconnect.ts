import { isRecord } from 'mcp-kit/internal';
import { dialectOf } from '../config/dialects/index.ts';
import { parseDocument } from '../config/format/document.ts';
import { reviseText } from '../config/format/edit-text.ts';
import { asRecord } from '../config/field.ts';
import { topOf } from '../config/place.ts';
import { sameValue, valueAt } from '../config/values.ts';
import { connectable } from './connect.ts';
import { forgetBackup, noteConnection, readBackup, type Connection } from './connections.ts';
import {
  changeServerFile,
  digestOf,
  readServerFile,
  removeEmptyFolders,
  type ServerFile,
} from './server-file.ts';
import { withoutMembers } from './without-members.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What disconnecting would do to a file. */
export interface DisconnectionPlan {
  readonly connection: Connection;
  readonly now: ServerFile;
  /** The text that is left; without, the file goes. */
  readonly text: string | undefined;
  /** `restored`: to the bytes of before; `removed`: only our entries, because others changed the file since; `gone`: there is nothing to undo. */
  readonly how: 'restored' | 'removed' | 'gone';
  /** Servers that we wrote and somebody has changed since: they are theirs now. */
  readonly left: readonly string[];
}

/** Says what disconnecting would do; nothing is written. */
export async function planDisconnection(
  connection: Connection,
  env: Environment,
): Promise<DisconnectionPlan> {
  const { file, before, after, servers } = connection;
  const now = await readServerFile(file, { follow: true });
  if (now.text === undefined) return { connection, now, text: undefined, how: 'gone', left: [] };
  if (before !== undefined && digestOf(now.text) === after) {
    const text = before === null ? undefined : await readBackup(env, before);
    return { connection, now, text, how: 'restored', left: [] };
  }
  const host = connectable.find(({ id }) => id === connection.host);
  const { format, home } = dialectOf(host?.dialect ?? 'compat');
  const document = asRecord(await parseDocument(now.text, file, format), topOf(file));
  const there = valueAt(document, home);
  const found = isRecord(there) ? there : {};
  const names = Object.keys(servers).filter((name) => Object.hasOwn(found, name));
  const ours = names.filter((name) => sameValue(found[name], servers[name]));
  const left = names.filter((name) => !ours.includes(name));
  if (ours.length === 0) return { connection, now, text: now.text, how: 'gone', left };
  const isEmpty = connection.madeMap && Object.keys(found).length === ours.length;
  const gone = isEmpty ? [home] : ours.map((name) => [...home, name]);
  const text = await reviseText(
    { text: now.text, before: document, after: withoutMembers(document, gone), file },
    format,
  );
  return { connection, now, text, how: 'removed', left };
}

/** Does it, and forgets the connection. */
export async function applyDisconnection(
  { connection, now, text, how }: DisconnectionPlan,
  env: Environment,
): Promise<void> {
  if (how !== 'gone') await changeServerFile(now, text);
  if (text === undefined) await removeEmptyFolders(connection.folders);
  await noteConnection(env, connection.file, undefined);
  await forgetBackup(env, connection.before ?? undefined);
}
