import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isRecord, replaceFile, stateFolder, type Tool } from 'mcp-kit/internal';
import type { ServerEntry } from '../config/entry.ts';
import { readConfigFile } from '../config/read-file.ts';
import { parseStrictJson } from '../config/format/strict-json.ts';
import { entryDigest, entryText } from '../trust/receipt.ts';

/** The tools that servers had when they were last seen, so that they can be offered before their servers are up. */
export interface ToolCache {
  /** Those of a server that is still configured as it was then. */
  get(entry: ServerEntry): Promise<readonly Tool[] | undefined>;
  /** Never fails: what cannot be kept is not kept. */
  put(entry: ServerEntry, tools: readonly Tool[]): Promise<void>;
}

/** Where the tools of servers are kept unless told otherwise. */
export function toolCachePath(env: Readonly<Record<string, string | undefined>>): string {
  return path.join(stateFolder(env), 'tools');
}

const maxBytes = 4 * 1024 * 1024;
const maxFiles = 200;

/** Keeps tools in a folder, a file per server as it is configured; without a folder, for as long as it lives itself. */
export function createToolCache(folder?: string): ToolCache {
  /** What the files say, as far as it was read or written here; they are not written again for the same. */
  const texts = new Map<string, string>();
  const read = async (file: string): Promise<string | undefined> =>
    texts.get(file) ?? (folder === undefined ? undefined : readConfigFile(file));
  return {
    async get(entry) {
      const file = fileOf(entry, folder);
      try {
        const text = await read(file);
        const tools: unknown = text === undefined ? undefined : parseStrictJson(text, file);
        return isToolList(tools) ? tools : undefined;
      } catch {
        return undefined;
      }
    },
    async put(entry, tools) {
      const file = fileOf(entry, folder);
      const text = JSON.stringify(tools);
      if (text.length > maxBytes || texts.get(file) === text) return;
      if (folder !== undefined) await write(file, text);
      remember(texts, file, text);
    },
  };
}

async function write(file: string, text: string): Promise<void> {
  try {
    if ((await readConfigFile(file)) === text) return;
    const folder = path.dirname(file);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await replaceFile(file, text, 0o600);
    await dropOldest(folder);
  } catch {
    // A full disk or a folder that is not ours: the next start waits a little longer.
  }
}

/** Where the tools of an entry are; without a folder only a name for them, which needs no fingerprint. */
function fileOf(entry: ServerEntry, folder: string | undefined): string {
  if (folder === undefined) return entryText(entry);
  const digest = entryDigest(entry).replace(/^\w+:/, '');
  return path.join(folder, `${entry.name.replace(/[^\w-]/g, '_')}.${digest.slice(0, 32)}.json`);
}

function remember(texts: Map<string, string>, file: string, text: string): void {
  texts.set(file, text);
  const [oldest] = texts.keys();
  if (texts.size > maxFiles && oldest !== undefined) texts.delete(oldest);
}

/** A server that is configured anew leaves its old file behind. */
async function dropOldest(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= maxFiles) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      return { file, usedAt: (await stat(file)).mtimeMs };
    }),
  );
  const oldest = files.sort((one, other) => one.usedAt - other.usedAt).slice(0, -maxFiles);
  await Promise.all(oldest.map(({ file }) => rm(file, { force: true })));
}

function isToolList(value: unknown): value is readonly Tool[] {
  return Array.isArray(value) && value.every((tool) => isRecord(tool) && isTool(tool));
}

function isTool(tool: Readonly<Record<string, unknown>>): boolean {
  return typeof tool['name'] === 'string' && isRecord(tool['inputSchema']);
}
