import { existsSync } from 'node:fs';
import path from 'node:path';
import type { DialectId } from '@mcp-kit/host';
import {
  detectDialects,
  formatOfFile,
  hosts,
  parseDocument,
  readServerFile,
  type ServerFile,
} from '@mcp-kit/host/internal';
import { usageError } from '../args.ts';
import { checkPlace } from '../config.ts';
import { home, type Globals } from '../globals.ts';

/** A file that servers are written into, and how. */
export interface Destination extends ServerFile {
  readonly dialect: DialectId;
}

/** Where servers of the project are written, or those of the user, or those of the file that is named. */
export async function destinationOf(
  globals: Globals,
  { user }: { readonly user: boolean },
): Promise<Destination> {
  checkPlace(globals);
  const { configFile } = globals;
  if (user && configFile !== undefined) {
    throw usageError('--user and --config exclude each other', 'Leave out one of them.');
  }
  const file = configFile ?? (user ? userFile(globals) : projectFile(globals));
  const found = await readServerFile(file, { follow: user || configFile !== undefined });
  return { ...found, dialect: await dialectIn(found) };
}

function projectFile({ root }: Globals): string {
  const hidden = path.join(root, '.mcp.json');
  return existsSync(hidden) ? hidden : path.join(root, 'mcp.json');
}

function userFile({ root }: Globals): string {
  const surroundings = { root, home: home(), platform: process.platform, env: process.env };
  const own = hosts.find(({ id }) => id === 'mcp-kit');
  const [file = ''] = own?.where(surroundings).find(({ scope }) => scope === 'user')?.files ?? [];
  return file;
}

/** As the file is written already; a new one in the form that most programs share. */
async function dialectIn({ file, text }: ServerFile): Promise<DialectId> {
  const document = text === undefined ? {} : await parseDocument(text, file, formatOfFile(file));
  return detectDialects(file, document)[0]?.id ?? 'compat';
}
