import { isRecord } from 'mcp-kit/internal';
import { stateList, type Environment } from '../state/state-list.ts';

/** A skill that was installed: where, from whom, and what was written. */
export interface SkillRecord {
  /** Of the skill itself. */
  readonly folder: string;
  readonly server: string;
  readonly uri: string;
  /** The digest of each file, by its path. */
  readonly files: Readonly<Record<string, string>>;
}

const skills = stateList(
  'skills',
  isSkillRecord,
  'Move it away: what was installed stays, and is then yours to remove.',
);

/** Every skill that was installed by this user, by its folder. */
export async function readRecords(env: Environment): Promise<ReadonlyMap<string, SkillRecord>> {
  return byFolder(await skills.read(env));
}

/** Runs what changes installed skills, and notes what it gives; one process at a time. */
export async function changeRecords(
  env: Environment,
  change: (records: ReadonlyMap<string, SkillRecord>) => Promise<ReadonlyMap<string, SkillRecord>>,
): Promise<void> {
  await skills.change(env, async (list) => {
    const records = await change(byFolder(list));
    return [...records.values()].toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
  });
}

function byFolder(list: readonly SkillRecord[]): ReadonlyMap<string, SkillRecord> {
  return new Map(list.map((record) => [record.folder, record]));
}

function isSkillRecord(value: unknown): value is SkillRecord {
  return (
    isRecord(value) &&
    ['folder', 'server', 'uri'].every((member) => typeof value[member] === 'string') &&
    isRecord(value['files'])
  );
}
