import {
  connectable,
  hostFile,
  isInstalled,
  readConnections,
  type Host,
} from '@mcp-kit/host/internal';
import { nearest, usageError } from '../args.ts';
import { shownFile } from '../config.ts';
import { home, type Globals } from '../globals.ts';
import { count, print, printJson, warn } from '../output.ts';
import { columnsOf, createStyle } from '../terminal/style.ts';
import { table } from '../terminal/table.ts';

/** Where hosts are looked for. */
export function surroundingsOf({ root }: Pick<Globals, 'root'>): Parameters<Host['where']>[0] {
  return { root, home: home(), platform: process.platform, env: process.env };
}

/** Whether all are meant; neither all nor any, or both, is a usage error. */
export function allFrom(names: readonly string[], all: boolean): boolean {
  if (all !== names.length > 0) return all;
  throw all
    ? usageError('--all and names exclude each other', 'Leave out one of them.')
    : usageError('which hosts?', 'Name them, or add --all. Names: mcpctl connect --list');
}

/** The hosts of these names. */
export function hostsNamed(names: readonly string[]): readonly Host[] {
  return [...new Set(names)].map((name) => {
    const word = name.toLowerCase();
    const found = connectable.find(({ id, title }) => id === word || title.toLowerCase() === word);
    if (found !== undefined) return found;
    const ids = connectable.map(({ id }) => id);
    const near = nearest(word, ids);
    throw usageError(
      `no host is named ${name}`,
      `${near === undefined ? '' : `Did you mean ${near}? `}Known are ${ids.join(', ')}.`,
    );
  });
}

/** Lists every host with its files, and whether it is there and connected. */
export async function listHosts(globals: Globals): Promise<void> {
  const surroundings = surroundingsOf(globals);
  const connections = await readConnections(process.env);
  const rows = await Promise.all(
    connectable.map(async (host) => {
      const [project, user] = await Promise.all([
        hostFile(host, 'project', surroundings),
        hostFile(host, 'user', surroundings),
      ]);
      return { host, project, user, isThere: await isInstalled(host, surroundings) };
    }),
  );
  const isConnected = (file: string | undefined): boolean =>
    file !== undefined && connections.has(file);
  if (globals.json) {
    printJson({
      hosts: rows.map(({ host, project, user, isThere }) => ({
        id: host.id,
        title: host.title,
        dialect: host.dialect,
        isThere,
        project: project && {
          file: project.file,
          exists: project.exists,
          isConnected: isConnected(project.file),
        },
        user: user && { file: user.file, exists: user.exists, isConnected: isConnected(user.file) },
      })),
    });
    return;
  }
  const shown = (file: { readonly file: string } | undefined): string =>
    file === undefined
      ? '-'
      : shownFile(file.file, globals) + (isConnected(file.file) ? ' (connected)' : '');
  const cells = rows.map(({ host, project, user, isThere }) => [
    host.id,
    host.title,
    isThere ? 'yes' : 'no',
    shown(project),
    shown(user),
  ]);
  const { bold } = createStyle(globals);
  print(
    table(cells, {
      head: ['HOST', 'TITLE', 'THERE', 'PROJECT', 'USER'],
      columns: columnsOf(process.stdout),
      paint: { head: bold },
    }),
  );
  const there = rows.filter(({ isThere }) => isThere).length;
  warn(globals, `${count(rows.length, 'host')}, ${there} of them there`);
}
