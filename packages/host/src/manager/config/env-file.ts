import { parseEnv } from 'node:util';
import { configError, topOf } from './place.ts';
import { readConfigFile } from './read-file.ts';
import type { TextRecord } from './entry.ts';

/** Reads the variables of a file like `.env`; it must be there. */
export async function readEnvFile(file: string): Promise<TextRecord> {
  const text = await readConfigFile(file, { follow: true });
  if (text === undefined) throw configError(topOf(file), 'there is no such file of variables');
  const variables = Object.entries(parseEnv(text));
  return Object.fromEntries(variables.map(([name, value]) => [name, value ?? '']));
}
