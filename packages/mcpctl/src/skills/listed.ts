import { getSkill, listSkills, readSkillFile, type Session, type Skill } from 'mcp-kit/client';
import { KitError, skillsExtension } from 'mcp-kit/internal';
import { nearest, usageError } from '../args.ts';

/** The skills of a server; it is an error where it has none to offer. */
export async function skillsOf(session: Session, server: string): Promise<readonly Skill[]> {
  requireSkills(session, server);
  const skills: Skill[] = [];
  for await (const skill of listSkills(session)) skills.push(skill);
  return skills;
}

function requireSkills({ capabilities }: Session, server: string): void {
  if (capabilities.extensions?.[skillsExtension] !== undefined) return;
  throw new KitError('capability_missing', `${server} serves no skills`, {
    hint: `It does not declare ${skillsExtension}. What else it has: mcpctl resources ${server}`,
  });
}

/** The skill of a name or URI. Names need not be unique. */
export async function skillNamed(session: Session, server: string, name: string): Promise<Skill> {
  const skills = await skillsOf(session, server);
  const listed = skills.filter(
    ({ uri, frontmatter }) => uri === name || frontmatter['name'] === name,
  );
  const [found, another] = listed;
  if (another !== undefined) {
    const uris = listed.map(({ uri }) => uri).join(', ');
    throw usageError(`${server} has several skills named ${name}`, `Name one by its URI: ${uris}`);
  }
  if (found !== undefined) return found;
  // It may serve what it does not list.
  if (/^[a-z][a-z0-9+.-]*:/i.test(name)) return getSkill(session, name);
  const names = skills.map(({ frontmatter }) => String(frontmatter['name']));
  const near = nearest(name, names);
  throw usageError(
    `${server} has no skill named ${name}`,
    `${near === undefined ? '' : `Did you mean ${near}? `}See: mcpctl skills list ${server}`,
  );
}

/** A file of a skill by its path in it. */
export interface SkillContent {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Every file of a skill, each verified. */
export async function readAll(session: Session, skill: Skill): Promise<readonly SkillContent[]> {
  if (skill.resources === 'dynamic') {
    throw new KitError(
      'invalid_answer',
      `${skill.uri} has no digests: what it says may change at any time`,
      {
        hint: 'It can be shown, and not installed or checked.',
      },
    );
  }
  const contents: SkillContent[] = [];
  for (const { uri } of skill.resources) {
    contents.push({ path: pathIn(skill, uri), bytes: await readSkillFile(session, skill, uri) });
  }
  const folded = contents.map((file) => file.path.toLowerCase());
  const twice = contents.find((file, at) => folded.indexOf(file.path.toLowerCase()) !== at);
  if (twice !== undefined) throw unfit(skill, `${twice.path} is there twice`);
  return contents;
}

/** The path of a file within its skill; it cannot lead out of it, on any system. */
export function pathIn(skill: Skill, uri: string): string {
  const home = skill.uri.slice(0, skill.uri.lastIndexOf('/') + 1);
  if (!uri.startsWith(home)) throw unfit(skill, `${uri} is not in its folder`);
  const parts = uri.slice(home.length).split('/').map(decoded);
  // Hidden files are seen by nobody who looks at what was installed.
  const isPlain = (part: string): boolean =>
    /^[^.\\/:*?"<>|\p{Cc}][^\\/:*?"<>|\p{Cc}]*$/u.test(part);
  if (parts.every(isPlain)) return parts.join('/');
  throw unfit(skill, `${uri} cannot be the name of a file`);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

function unfit({ uri }: Skill, why: string): KitError {
  return new KitError('invalid_answer', `${uri}: ${why}`, { hint: 'Nothing was written.' });
}
