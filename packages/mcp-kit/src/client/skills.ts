import { Buffer } from 'node:buffer';
import { crypto, KitError, readYaml } from '#base';
import { isRecord } from '#jsonrpc';
import { readPage, walkPages } from './pages.ts';
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
    ({ skills }) => skills.map(readSkill),
  );
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

function readSkill(entry: unknown): Skill {
  if (isRecord(entry) && typeof entry['uri'] === 'string' && isRecord(entry['frontmatter'])) {
    const { resources } = entry;
    const isListed = Array.isArray(resources) && resources.every(isFile);
    if (resources === 'dynamic' || isListed) return entry as unknown as Skill;
  }
  throw new KitError('invalid_answer', 'skills/list: an entry is not a skill');
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
  const actual = `sha256:${crypto().createHash('sha256').update(bytes).digest('hex')}`;
  if (bytes.length === size && actual === digest.toLowerCase()) return;
  throw tampered(uri, bytes.length === size ? 'its digest differs' : 'its size differs');
}

/** Longer than what a model is to read of each skill. */
const maxFrontmatter = 16 * 1024;
const block = /^---\r?\n([^]*?)\r?\n---(?:\r?\n|$)/;

/** Whoever approved a skill approved what its entry says of it. */
async function assertSameFrontmatter(
  bytes: Uint8Array,
  { uri, frontmatter }: Skill,
): Promise<void> {
  // Four bytes for a character at most.
  const start = Buffer.from(bytes.subarray(0, 4 * maxFrontmatter)).toString();
  const [, text] = block.exec(start) ?? [];
  if (text === undefined) throw tampered(uri, 'it has no frontmatter');
  // An alias says little and means much.
  const reading = await readYaml(text, { maxLength: maxFrontmatter, maxAliases: 0 });
  if ('fault' in reading) throw tampered(uri, 'its frontmatter cannot be read');
  const { isDeepStrictEqual } = process.getBuiltinModule('node:util');
  if (!isDeepStrictEqual(reading.value, frontmatter)) {
    throw tampered(uri, 'its frontmatter differs');
  }
}

function tampered(uri: string, what: string): KitError {
  return new KitError('invalid_answer', `${uri} is not what the server listed: ${what}`, {
    hint: 'It was not used. List the skills again; if that does not help, do not trust the server.',
  });
}
