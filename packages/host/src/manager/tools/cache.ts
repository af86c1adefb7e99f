import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  isRecord,
  replaceFile,
  stateFolder,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type Tool,
} from 'mcp-kit/internal';
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
  /** The same of what servers have besides. */
  getOthers(entry: ServerEntry): Promise<OtherLists | undefined>;
  putOthers(entry: ServerEntry, lists: OtherLists): Promise<void>;
}

/** What a server has besides tools, and what it says of itself. */
export interface OtherLists {
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly instructions?: string | undefined;
}

/** Where the tools of servers are kept unless told otherwise. */
export function toolCachePath(env: Readonly<Record<string, string | undefined>>): string {
  return path.join(stateFolder(env), 'tools');
}

const maxBytes = 4 * 1024 * 1024;
/** Two for each server. */
const maxFiles = 400;

/** Keeps tools in a folder, a file per server as it is configured; without a folder, for as long as it lives itself. */
export function createToolCache(folder?: string): ToolCache {
  /** What the files say, as far as it was read or written here; they are not written again for the same. */
  const texts = new Map<string, string>();
  const read = async (file: string): Promise<string | undefined> =>
    texts.get(file) ?? (folder === undefined ? undefined : readConfigFile(file));
  const recall = async (file: string): Promise<unknown> => {
    try {
      const text = await read(file);
      return text === undefined ? undefined : parseStrictJson(text, file);
    } catch {
      return undefined;
    }
  };
  const keep = async (file: string, value: unknown): Promise<void> => {
    const text = JSON.stringify(value);
    if (text.length > maxBytes || texts.get(file) === text) return;
    if (folder !== undefined) await write(file, text);
    remember(texts, file, text);
  };
  return {
    async get(entry) {
      const tools = await recall(fileOf(entry, folder, 'tools'));
      return isToolList(tools) ? tools : undefined;
    },
    put: (entry, tools) => keep(fileOf(entry, folder, 'tools'), tools),
    async getOthers(entry) {
      const lists = await recall(fileOf(entry, folder, 'others'));
      return isOtherLists(lists) ? lists : undefined;
    },
    putOthers: (entry, lists) => keep(fileOf(entry, folder, 'others'), lists),
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
function fileOf(entry: ServerEntry, folder: string | undefined, kind: 'tools' | 'others'): string {
  if (folder === undefined) return `${kind} ${entryText(entry)}`;
  const digest = entryDigest(entry).replace(/^\w+:/, '').slice(0, 32);
  const end = kind === 'tools' ? 'json' : 'others.json';
  return path.join(folder, `${entry.name.replace(/[^\w-]/g, '_')}.${digest}.${end}`);
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

function isOtherLists(value: unknown): value is OtherLists {
  if (!isRecord(value)) return false;
  const { prompts, resources, templates, instructions } = value;
  const isSaid = instructions === undefined || typeof instructions === 'string';
  return (
    isSaid &&
    isListOf(prompts, 'name') &&
    isListOf(resources, 'uri') &&
    isListOf(templates, 'uriTemplate')
  );
}

function isListOf(value: unknown, key: string): boolean {
  return (
    Array.isArray(value) && value.every((one) => isRecord(one) && typeof one[key] === 'string')
  );
}

function isTool(tool: Readonly<Record<string, unknown>>): boolean {
  return typeof tool['name'] === 'string' && isRecord(tool['inputSchema']);
}
