import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isRecord, KitError, replaceFile, stateFolder, whileChanging } from 'mcp-kit/internal';

/** A skill that was installed: where, from whom, and what was written. */
export interface SkillRecord {
  /** Of the skill itself. */
  readonly folder: string;
  readonly server: string;
  readonly uri: string;
  /** The digest of each file, by its path. */
  readonly files: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const placeOf = (env: Environment): string => path.join(stateFolder(env), 'skills.json');

/** Every skill that was installed by this user, by its folder. */
export async function readRecords(env: Environment): Promise<ReadonlyMap<string, SkillRecord>> {
  const place = placeOf(env);
  const text = await readFile(place, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return new Map();
  const list = listIn(text);
  if (list?.every(isSkillRecord) !== true) {
    throw new KitError('invalid_config', `${place} is not what was written there`, {
      hint: 'Move it away: what was installed stays, and is then yours to remove.',
    });
  }
  return new Map(list.map((record) => [record.folder, record]));
}

function listIn(text: string): readonly SkillRecord[] | undefined {
  try {
    const document: unknown = JSON.parse(text);
    const list = isRecord(document) ? document['skills'] : undefined;
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}

function isSkillRecord(value: unknown): value is SkillRecord {
  return (
    isRecord(value) &&
    ['folder', 'server', 'uri'].every((member) => typeof value[member] === 'string') &&
    isRecord(value['files'])
  );
}

/** Runs what changes installed skills, and notes what it gives; one process at a time. */
export async function changeRecords(
  env: Environment,
  change: (records: ReadonlyMap<string, SkillRecord>) => Promise<ReadonlyMap<string, SkillRecord>>,
): Promise<void> {
  const place = placeOf(env);
  await whileChanging(place, async () => {
    const records = await change(await readRecords(env));
    const skills = [...records.values()].toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
    await replaceFile(place, `${JSON.stringify({ version: 1, skills }, null, 2)}\n`, 0o600);
  });
}
