import type { LoadedConfig, ServerEntry } from '@mcp-kit/host';
import { changeServerFile, hosts, writeEntries } from '@mcp-kit/host/internal';
import { shownFile } from '../config.ts';
import type { Globals } from '../globals.ts';
import { count, tell, warn } from '../output.ts';
import { agreedTo, secretsOf, type Asking } from '../setup/change.ts';
import { destinationOf } from '../setup/destination.ts';
import { surroundingsOf } from '../setup/hosts.ts';
import { plainField } from '../terminal/plain-text.ts';

/** The servers that only the files of the user's other programs have. */
export interface Importable {
  readonly entries: readonly ServerEntry[];
  /** The programs, by title. */
  readonly from: readonly string[];
  /** Nothing is configured besides. */
  readonly isAll: boolean;
}

/** What could be imported. */
export function importable({ entries }: LoadedConfig, globals: Globals): Importable {
  const titles = new Map<string, string>();
  for (const { id, title, where } of hosts) {
    if (id === 'mcp-kit') continue;
    for (const { scope, files } of where(surroundingsOf(globals))) {
      if (scope === 'user') for (const file of files) titles.set(file, title);
    }
  }
  const found = entries.filter(({ provenance }) => titles.has(provenance.file));
  const from = found.map(({ provenance }) => titles.get(provenance.file) ?? '');
  return {
    entries: found,
    from: [...new Set(from)].sort(),
    isAll: found.length > 0 && found.length === entries.length,
  };
}

/** Writes them into the user's own file, shown first and agreed to; whether it was. */
export async function importServers(
  { entries, from }: Importable,
  asking: Asking,
): Promise<boolean> {
  const { globals } = asking;
  if (entries.length === 0) {
    tell('there is nothing to import: no other program has servers of yours');
    return false;
  }
  const { file, text, dialect } = await destinationOf(globals, { user: true });
  const written = await writeEntries(entries, dialect, {
    into: text,
    file,
    mayReplace: () => false,
  });
  for (const { server, field, why } of written.lost) {
    warn(globals, plainField(`${server}: lost: ${field}: ${why}`));
  }
  tell(plainField(`${count(entries.length, 'server')} of ${from.join(', ')}:`));
  const change = { file, before: text, after: written.text, secrets: secretsOf(entries) };
  if (!(await agreedTo([change], asking))) {
    tell('nothing was written');
    return false;
  }
  await changeServerFile({ file, text }, written.text);
  const names = Object.keys(written.values).sort().join(', ');
  tell(plainField(`imported into ${shownFile(file, globals)}: ${names}`));
  return true;
}
