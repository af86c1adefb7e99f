import { lstat, mkdir, readFile } from 'node:fs/promises';
import {
  crypto,
  KitError,
  replaceFile,
  silentLogger,
  stateFolder,
  whileLocked,
  type Logger,
} from '#base';
import { isRecord } from '#jsonrpc';
import { findSeal, sealFrom, type KeychainEntry, type Seal } from './keychain.ts';
import type { CredentialStore } from './store.ts';

import path from 'node:path';

/** Where credentials are kept, and what seals them. */
interface CredentialFileOptions {
  /** `credentials.json` in the folder `mcp-kit` of this user's state. */
  readonly file?: string | undefined;
  /** Where the key is kept that seals the file: `auto` is the keychain of the system, where there is one. */
  readonly keychain?: 'auto' | 'none' | KeychainEntry | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly logger?: Logger | undefined;
}

/** Where this user's credentials are kept. */
export function credentialsPath(env: Readonly<Record<string, string | undefined>>): string {
  return path.join(stateFolder(env), 'credentials.json');
}

/**
 * Keeps secrets in a file that only this user can read, whole at every moment. Where the system has a keychain, it holds
 * the key, and the file is worthless without it.
 */
export async function openCredentials(
  options: CredentialFileOptions = {},
): Promise<CredentialStore> {
  const { env = process.env, keychain = 'auto', logger = silentLogger } = options;
  const { file = credentialsPath(env) } = options;
  if (keychain === 'none') return fileStore(file, undefined);
  return fileStore(file, keychain === 'auto' ? await findSeal(logger) : sealFrom(keychain));
}

function fileStore(file: string, seal: Seal | undefined): CredentialStore {
  const lockFor = (name: string): string => {
    const digest = crypto().createHash('sha256').update(name).digest('hex').slice(0, 16);
    return `${file}.${digest}.lock`;
  };
  const makeFolder = (): Promise<unknown> =>
    mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  return {
    place:
      seal === undefined
        ? `${file}, which only you can read`
        : `${file}, sealed with a key in the keychain of the system`,
    names: () => inFile(file, async () => Object.keys(await readEntries(file))),
    read: (name) => inFile(file, async () => reveal((await readEntries(file))[name], name, seal)),
    update: (name, change) =>
      inFile(file, async () => {
        await makeFolder();
        return whileLocked(`${file}.lock`, async () => {
          const entries = { ...(await readEntries(file)) };
          const value = change(reveal(entries[name], name, seal));
          if (value === undefined) delete entries[name];
          else entries[name] = hide(value, name, seal);
          await replaceFile(file, `${JSON.stringify({ version: 1, entries }, null, 2)}\n`, 0o600);
          return value;
        });
      }),
    exclusively: async (name, run, signal) => {
      await inFile(file, makeFolder);
      return whileLocked(lockFor(name), run, { signal, doing: 'its login or refresh' });
    },
  };
}

type Entries = Readonly<Record<string, unknown>>;

async function readEntries(file: string): Promise<Entries> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  await checkOwner(file);
  const parsed: unknown = parsedOr(text, undefined);
  if (isRecord(parsed) && parsed['version'] === 1 && isRecord(parsed['entries'])) {
    return parsed['entries'];
  }
  throw new KitError('invalid_config', `${file} holds no credentials that can be read`, {
    hint: 'Move it away, and log in again.',
  });
}

function parsedOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

async function checkOwner(file: string): Promise<void> {
  if (process.getuid === undefined) return;
  const { uid, mode } = await lstat(file);
  const isOurs = uid === process.getuid() || uid === 0;
  if (isOurs && (mode & 0o077) === 0) return;
  throw new KitError('invalid_config', `${file} can be read or written by others`, {
    hint: `Its secrets may be known to them. Then: chown "$USER" ${file} && chmod 600 ${file}`,
  });
}

function hide(value: unknown, name: string, seal: Seal | undefined): unknown {
  return seal === undefined ? value : { sealed: seal.close(JSON.stringify(value), name) };
}

/** What cannot be opened is as good as absent: whoever needs it gets it anew. */
function reveal(kept: unknown, name: string, seal: Seal | undefined): unknown {
  if (!isRecord(kept) || typeof kept['sealed'] !== 'string') return kept;
  const text = seal?.open(kept['sealed'], name);
  return text === undefined ? undefined : parsedOr(text, undefined);
}

/** What the system objects to becomes an error that names the file. */
async function inFile<T>(file: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof KitError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new KitError('invalid_config', `${file} cannot be used (${code})`, { cause: error });
  }
}
