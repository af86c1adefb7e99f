import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { crypto, isRecord, replaceFile, stateFolder, type Era } from 'mcp-kit/internal';
import { createEraCache, type EraCache } from 'mcp-kit/client';
import { readConfigFile } from './config/read-file.ts';

/** Which era a server spoke, and when that was found out, in milliseconds since 1970. */
interface FoundEra {
  readonly era: Era;
  readonly at: number;
}

/** How long eras are remembered, and of how many servers. */
export interface EraFileOptions {
  /** How long an era counts; a day, unless given. */
  readonly ttlMs?: number | undefined;
  /** How many servers are remembered; 500, unless given. */
  readonly maxEntries?: number | undefined;
}

const maxBytes = 1024 * 1024;
const knownEras: ReadonlySet<unknown> = new Set<Era>(['legacy', 'modern']);
const dayMs = 24 * 60 * 60_000;

/** Where the eras of servers are kept for this user. */
export function erasPath(env: Readonly<Record<string, string | undefined>>): string {
  return path.join(stateFolder(env), 'eras.json');
}

/**
 * Remembers which era servers speak in a file, across processes. A server goes by a digest of what leads to it, and what
 * cannot be read or written is forgotten: it only says what is tried first.
 */
export function createEraFile(file: string, options: EraFileOptions = {}): EraCache {
  const { ttlMs = dayMs, maxEntries = 500 } = options;
  const known = createEraCache({ ttlMs, maxEntries });
  const holds = ({ at }: FoundEra): boolean => {
    const ageMs = Date.now() - at;
    return ageMs >= 0 && ageMs < ttlMs;
  };
  const read = async (): Promise<Map<string, FoundEra>> => {
    const eras = await readEras(file);
    return new Map([...eras].filter(([, found]) => holds(found)));
  };
  return {
    async get(key) {
      return (await known.get(key)) ?? (await read()).get(digestOf(key))?.era;
    },
    async set(key, era) {
      await known.set(key, era);
      try {
        const eras = await read();
        const digest = digestOf(key);
        eras.delete(digest);
        const newest = [...eras].slice(-Math.max(0, maxEntries - 1));
        const kept = [...newest, [digest, { era, at: Date.now() }] as const];
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
        await replaceFile(file, JSON.stringify(Object.fromEntries(kept)), 0o600);
      } catch {
        // A full disk, or a folder that is not ours: the server is asked again next time.
      }
    },
  };
}

/** What the file says; nothing where there is none, or where it is not what was written. */
async function readEras(file: string): Promise<ReadonlyMap<string, FoundEra>> {
  try {
    const text = await readConfigFile(file, { maxBytes });
    const value: unknown = text === undefined ? {} : JSON.parse(text);
    const entries = Object.entries(isRecord(value) ? value : {});
    return new Map(entries.filter((entry): entry is [string, FoundEra] => isFoundEra(entry[1])));
  } catch {
    return new Map();
  }
}

function isFoundEra(value: unknown): value is FoundEra {
  if (!isRecord(value)) return false;
  return knownEras.has(value['era']) && typeof value['at'] === 'number';
}

/** Addresses and command lines may hold secrets, and are nobody's business. */
function digestOf(key: string): string {
  return crypto().createHash('sha256').update(key).digest('hex');
}
