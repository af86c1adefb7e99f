import { Buffer } from 'node:buffer';
import { crypto, readYaml } from '#base';
import { isRecord } from '#jsonrpc';

/** The extension for skills, among the capabilities of a server. */
export const skillsExtension = 'io.modelcontextprotocol/skills';

/** What every host has to accept of one skill. */
export const skillLimits: { readonly files: number; readonly bytes: number } = {
  files: 512,
  bytes: 16 * 1024 * 1024,
};

/** The file that makes a folder a skill. */
export const skillFileName = 'SKILL.md';

/** The type of a resource that is a folder. */
export const folderType = 'inode/directory';

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

/** The digest of bytes, as skills have it. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${crypto().createHash('sha256').update(bytes).digest('hex')}`;
}

/** What a `SKILL.md` says of itself, or why that cannot be read. */
export type FrontmatterReading =
  | { readonly frontmatter: Readonly<Record<string, unknown>> }
  | { readonly fault: string };

/** Longer than what a model is to read of each skill. */
const maxFrontmatter = 16 * 1024;
const block = /^---\r?\n([^]*?)\r?\n---(?:\r?\n|$)/;

/** Reads the frontmatter of a `SKILL.md`, which begins it. */
export async function readFrontmatter(bytes: Uint8Array): Promise<FrontmatterReading> {
  // Four bytes for a character at most.
  const start = Buffer.from(bytes.subarray(0, 4 * maxFrontmatter)).toString();
  const [, text] = block.exec(start) ?? [];
  if (text === undefined) return { fault: 'it has no frontmatter' };
  // An alias says little and means much.
  const reading = await readYaml(text, { maxLength: maxFrontmatter, maxAliases: 0 });
  if ('fault' in reading) return { fault: `its frontmatter cannot be read: ${reading.fault.what}` };
  if (!isRecord(reading.value)) return { fault: 'its frontmatter is not an object' };
  return { frontmatter: reading.value };
}

/** The last folder of the URI of a `SKILL.md`, which is to be the name of the skill. */
export function folderNameOf(uri: string): string {
  return decodedPart(uri.split('/').at(-2) ?? '');
}

function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const nameFormat = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** What is wrong with the name of a skill, if anything. */
export function nameFault(name: unknown, folder: string): string | undefined {
  if (typeof name !== 'string') return 'its frontmatter has no name';
  if (name.length > 64 || !nameFormat.test(name)) {
    return `its name is ${JSON.stringify(name)}, not up to 64 of a-z, 0-9 and single hyphens between them`;
  }
  return name === folder ? undefined : `its name is "${name}", its folder "${folder}"`;
}

/** What is wrong with the description of a skill, if anything. */
export function descriptionFault(description: unknown): string | undefined {
  if (typeof description !== 'string' || description.trim() === '') {
    return 'its frontmatter has no description';
  }
  return description.length > 1024 ? 'its description is longer than 1024 characters' : undefined;
}
