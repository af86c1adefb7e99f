import { readFile } from 'node:fs/promises';
import { replaceFile, whileLocked } from 'mcp-kit/internal';
import { createApiKey, readApiKeys } from '@mcp-kit/host/operate';
import { usageError } from '../args.ts';
import type { ServeValues } from './options.ts';

/** Adds a key to the file of keys, and gives its text; nobody can read it there. */
export async function newApiKey(name: string, values: ServeValues): Promise<string> {
  const file = values['api-keys'];
  if (file === undefined) {
    throw usageError('--new-api-key needs --api-keys', 'Say in which file its hash is kept.');
  }
  const { key, entry } = createApiKey(name, values.scope && { scopes: values.scope });
  const add = async (): Promise<void> => {
    const { keys = [], ...more } = await readKeys(file);
    const text = { ...more, keys: [...keys, entry] };
    // Says what is wrong with what is there, and that a name is taken.
    readApiKeys(text);
    await replaceFile(file, `${JSON.stringify(text, undefined, 2)}\n`, 0o600);
  };
  await whileLocked(`${file}.lock`, add, { doing: `writing ${file}` });
  return key;
}

async function readKeys(file: string): Promise<{ readonly keys?: readonly unknown[] }> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    readApiKeys(value);
    // It has been read as such.
    return value as { readonly keys: readonly unknown[] };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}
