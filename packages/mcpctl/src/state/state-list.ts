import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isRecord, KitError, replaceFile, stateFolder, whileChanging } from 'mcp-kit/internal';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What is kept of this user, as a list in a file. */
export interface StateList<T> {
  read(env: Environment): Promise<readonly T[]>;
  /** Runs what changes the list, and keeps what it gives; one process at a time. */
  change(env: Environment, change: (list: readonly T[]) => Promise<readonly T[]>): Promise<void>;
}

/** A list in the state folder; `hint` says what to do where the file is not what was written there. */
export function stateList<T>(
  member: string,
  isOne: (value: unknown) => value is T,
  hint: string,
): StateList<T> {
  const placeOf = (env: Environment): string => path.join(stateFolder(env), `${member}.json`);
  const read = async (env: Environment): Promise<readonly T[]> => {
    const place = placeOf(env);
    const text = await readFile(place, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return [];
    const list = listIn(text, member);
    if (list?.every(isOne) === true) return list;
    throw new KitError('invalid_config', `${place} is not what was written there`, { hint });
  };
  return {
    read,
    async change(env, change) {
      const place = placeOf(env);
      await whileChanging(place, async () => {
        const list = await change(await read(env));
        const document = { version: 1, [member]: list };
        await replaceFile(place, `${JSON.stringify(document, null, 2)}\n`, 0o600);
      });
    },
  };
}

function listIn(text: string, member: string): readonly unknown[] | undefined {
  try {
    const document: unknown = JSON.parse(text);
    const list = isRecord(document) ? document[member] : undefined;
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}
