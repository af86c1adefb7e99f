import path from 'node:path';
import {
  descriptionFault,
  folderType,
  nameFault,
  skillFileName,
  skillLimits,
  type Resource,
  type Skill,
} from '#protocol';
import type { Library, Read } from './library.ts';
import type { FoundFile } from './walk.ts';

/** The folder that something is in; an empty text is the root. */
export function parentOf(name: string): string {
  const parent = path.posix.dirname(name);
  return parent === '.' ? '' : parent;
}

/** Whether something is in a folder, or in one in it; everything is in the root. */
export function isUnder(folder: string, name: string): boolean {
  return folder === '' || name === folder || name.startsWith(`${folder}/`);
}

/** Says which URI something has, by its path from the root. A root that is a skill itself has its name in it. */
export function uriMaker(rootName: string | undefined): (name: string) => string {
  return (name) => {
    const parts = name === '' ? [] : name.split('/');
    const whole = rootName === undefined ? parts : [rootName, ...parts];
    return `skill://${whole.map(encodeURIComponent).join('/')}`;
  };
}

/** Whether a skill is larger than what hosts have to accept. */
export function boundFault(files: readonly FoundFile[]): string | undefined {
  if (files.length > skillLimits.files) {
    return `it has ${files.length} files, and hosts need not accept more than ${skillLimits.files}`;
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= skillLimits.bytes) return undefined;
  return `it has ${bytes} bytes, and hosts need not accept more than ${skillLimits.bytes}`;
}

interface Parts {
  readonly files: readonly FoundFile[];
  readonly read: ReadonlyMap<string, Read>;
  uriOf(name: string): string;
}

/** The entry of a skill, or why it has none. */
export function entryOf(home: string, { files, read, uriOf }: Parts): Skill | string {
  const unread = files.find((file) => !read.has(file.path));
  if (unread !== undefined) return `${unread.path} cannot be read, or is being changed`;
  const own = home === '' ? skillFileName : `${home}/${skillFileName}`;
  const said = read.get(own)?.said ?? { fault: 'it has no frontmatter' };
  if ('fault' in said) return `${own}: ${said.fault}`;
  const { frontmatter } = said;
  const folder = uriOf(home).split('/').at(-1) ?? '';
  const wrong =
    nameFault(frontmatter['name'], decodeURIComponent(folder)) ??
    descriptionFault(frontmatter['description']) ??
    jsonFault(frontmatter);
  if (wrong !== undefined) return `${own}: ${wrong}`;
  const resources = files.map((file) => ({
    uri: uriOf(file.path),
    digest: read.get(file.path)?.digest ?? '',
    size: file.size,
  }));
  return { uri: uriOf(own), frontmatter, resources };
}

/** What JSON has no words for would reach hosts as something else. */
function jsonFault(frontmatter: Skill['frontmatter']): string | undefined {
  const { isDeepStrictEqual } = process.getBuiltinModule('node:util');
  const isSame = isDeepStrictEqual(JSON.parse(JSON.stringify(frontmatter)), frontmatter);
  return isSame ? undefined : 'its frontmatter has values that JSON has not';
}

/** How a `SKILL.md` is listed among resources. */
export function skillResource({ uri, frontmatter, resources }: Skill): Resource {
  const { name, description } = frontmatter;
  const file = resources === 'dynamic' ? undefined : resources.find((one) => one.uri === uri);
  const about = { uri, name: String(name), description: String(description) };
  return { ...about, mimeType: 'text/markdown', size: file?.size ?? 0 };
}

/** What is directly in each folder that has a skill, or is in one. */
export function childrenOf(
  folders: readonly string[],
  { skills, files, uriOf }: Pick<Library, 'skills' | 'files'> & { uriOf(name: string): string },
): Library['children'] {
  const children = new Map<string, Map<string, Resource>>();
  const add = (resource: Resource): void => {
    const at = resource.uri.slice(0, resource.uri.lastIndexOf('/'));
    // Beyond the first part there is only the scheme.
    if (at === 'skill:/') return;
    const known = children.get(at);
    if (known?.has(resource.uri) === true) return;
    if (known === undefined) {
      children.set(at, new Map([[resource.uri, resource]]));
      add(folderResource(at));
    } else known.set(resource.uri, resource);
  };
  const homes = [...skills.keys()].map((uri) => uri.slice(0, uri.lastIndexOf('/')));
  for (const folder of folders) {
    const uri = uriOf(folder);
    if (!homes.some((home) => isUnder(home, uri))) continue;
    if (!children.has(uri)) children.set(uri, new Map());
    add(folderResource(uri));
  }
  for (const [uri, { mimeType, found }] of files) {
    const skill = skills.get(uri);
    const name = path.posix.basename(found.path);
    add(skill === undefined ? { uri, name, mimeType, size: found.size } : skillResource(skill));
  }
  return new Map([...children].map(([uri, inside]) => [uri, [...inside.values()]]));
}

function folderResource(uri: string): Resource {
  return { uri, name: decodeURIComponent(path.posix.basename(uri)), mimeType: folderType };
}
