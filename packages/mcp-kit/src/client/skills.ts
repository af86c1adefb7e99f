import { Buffer } from 'node:buffer';
import { KitError } from '#base';
import { isRecord } from '#jsonrpc';
import { digestOf, readFrontmatter, type Skill, type SkillFile } from '#protocol';
import { readPage, walkPages } from './pages.ts';
import type { ReadResourceResult } from './results.ts';

/** What skills need of a session. */
export interface SkillSource {
  request(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>;
  readResource(uri: string): Promise<ReadResourceResult>;
}

/** All skills of a server that has the extension for them. None of their files is read. */
export function listSkills(session: SkillSource): AsyncGenerator<Skill, void, undefined> {
  const method = 'skills/list';
  return walkPages(
    method,
    (options) =>
      readPage<{ readonly skills: readonly unknown[]; readonly nextCursor?: string | undefined }>(
        method,
        'skills',
        () => session.request(method, { ...options }),
      ),
    ({ skills }) => skills.map((entry) => readSkill(entry, method)),
  );
}

/** One skill, by the URI of its `SKILL.md`: also one that its server does not list, or as it is now. */
export async function getSkill(session: SkillSource, uri: string): Promise<Skill> {
  const result = await session.request('skills/get', { uri });
  const skill = readSkill(isRecord(result) ? result['skill'] : undefined, 'skills/get');
  if (skill.uri === uri) return skill;
  throw new KitError('invalid_answer', `skills/get: ${uri} was asked for, and ${skill.uri} came`);
}

/** Reads one file of a skill; by default its `SKILL.md`. What is not as it was listed is an error, and is not given. */
export async function readSkillFile(
  session: SkillSource,
  skill: Skill,
  uri: string = skill.uri,
): Promise<Uint8Array> {
  const promised = skill.resources === 'dynamic' ? undefined : fileOf(skill.resources, uri);
  const bytes = bytesOf(await session.readResource(uri), uri);
  if (promised !== undefined) assertAsPromised(bytes, promised);
  if (uri === skill.uri) await assertSameFrontmatter(bytes, skill);
  return bytes;
}

function readSkill(entry: unknown, method: string): Skill {
  if (isRecord(entry) && typeof entry['uri'] === 'string' && isRecord(entry['frontmatter'])) {
    const { resources } = entry;
    const isListed = Array.isArray(resources) && resources.every(isFile);
    if (resources === 'dynamic' || isListed) return entry as unknown as Skill;
  }
  throw new KitError('invalid_answer', `${method}: an entry is not a skill`);
}

function isFile(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { uri, digest, size } = value;
  return typeof uri === 'string' && typeof digest === 'string' && typeof size === 'number';
}

function fileOf(files: readonly SkillFile[], uri: string): SkillFile {
  const file = files.find((candidate) => candidate.uri === uri);
  if (file !== undefined) return file;
  throw new KitError('invalid_argument', `${uri} is not a file of the skill`, {
    hint: 'The skill lists its files in resources.',
  });
}

function bytesOf({ contents }: ReadResourceResult, uri: string): Uint8Array {
  const content = contents.find((candidate) => candidate.uri === uri);
  if (content !== undefined && 'text' in content && typeof content.text === 'string') {
    return Buffer.from(content.text);
  }
  if (content !== undefined && 'blob' in content && typeof content.blob === 'string') {
    return Buffer.from(content.blob, 'base64');
  }
  throw new KitError('invalid_answer', `resources/read: nothing came for ${uri}`);
}

function assertAsPromised(bytes: Uint8Array, { uri, digest, size }: SkillFile): void {
  if (bytes.length === size && digestOf(bytes) === digest.toLowerCase()) return;
  throw tampered(uri, bytes.length === size ? 'its digest differs' : 'its size differs');
}

/** Whoever approved a skill approved what its entry says of it. */
async function assertSameFrontmatter(
  bytes: Uint8Array,
  { uri, frontmatter }: Skill,
): Promise<void> {
  const reading = await readFrontmatter(bytes);
  if ('fault' in reading) throw tampered(uri, reading.fault);
  const { isDeepStrictEqual } = process.getBuiltinModule('node:util');
  if (!isDeepStrictEqual(reading.frontmatter, frontmatter)) {
    throw tampered(uri, 'its frontmatter differs');
  }
}

function tampered(uri: string, what: string): KitError {
  return new KitError('invalid_answer', `${uri} is not what the server listed: ${what}`, {
    hint: 'It was not used. List the skills again; if that does not help, do not trust the server.',
  });
}
