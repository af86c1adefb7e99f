import type { ReadResourceResult } from './results.ts';

/** A file of a skill, as its server promises it. */
export interface SkillFile {
  readonly uri: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  readonly size: number;
}

/** A skill as a server lists it: what it is for, and of which files it consists. */
export interface Skill {
  /** Of its `SKILL.md`. */
  readonly uri: string;
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** `dynamic`: the server does not say beforehand what its files hold. */
  readonly resources: readonly SkillFile[] | 'dynamic';
}

/** What skills need of a session. */
export interface SkillSource {
  request(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>;
  readResource(uri: string): Promise<ReadResourceResult>;
}

/** All skills of a server that has the extension for them. None of their files is read. */
export async function* listSkills(session: SkillSource): AsyncGenerator<Skill, void, undefined> {
  const { walkSkills } = await import('./skill-reading.ts');
  yield* walkSkills(session);
}

/** Reads one file of a skill; by default its `SKILL.md`. What is not as it was listed is an error, and is not given. */
export async function readSkillFile(
  session: SkillSource,
  skill: Skill,
  uri: string = skill.uri,
): Promise<Uint8Array> {
  const { readListed } = await import('./skill-reading.ts');
  return readListed(session, skill, uri);
}
