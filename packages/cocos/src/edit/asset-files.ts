import { CocosError } from '#cocos/document';
import type { Project } from '#cocos/project';
import { newMeta } from './import/importers.ts';
import type { Workspace } from './workspace.ts';

/** In bytes; leaves room for the ending of the meta. */
const longestName = 240;

/** What a new path must be like. */
interface Wanted {
  readonly ending: RegExp;
  /** What will no longer be where it is. */
  readonly instead?: string | undefined;
}

/** The path of a file that is to be made: safe, in a writable part of the project, with the right ending. */
export function newFilePath(
  workspace: Workspace,
  reference: string,
  { ending, instead }: Wanted,
): string {
  const path = workspace.draft.resolve(reference);
  if (!ending.test(path)) {
    throw new CocosError('E_INVALID_ARGUMENT', `"${path}" must end in ${endingText(ending)}.`);
  }
  checkNames(workspace, path, instead);
  if (workspace.draft.exists(path)) {
    throw new CocosError('E_CONFLICT', `"${path}" exists already.`, {
      suggestion: 'Choose another path, or delete the asset first.',
      details: { path },
    });
  }
  return path;
}

/**
 * Refuses the path of a new asset that the editor would overlook, for a dot, that some systems cannot hold, or that is another's
 * there, because they do not tell capital letters from small ones.
 */
export function checkNames(workspace: Workspace, path: string, instead?: string): void {
  const bad = path
    .split('/')
    .find(
      (name) => /^\.|[<>:"|?*\p{Cc}]|[. ]$/u.test(name) || Buffer.byteLength(name) > longestName,
    );
  if (bad !== undefined) {
    throw new CocosError('E_INVALID_ARGUMENT', `An asset cannot be called "${bad}".`, {
      suggestion: `Choose a name of at most ${longestName} bytes that does not begin with a dot, without < > : " | ? *`,
    });
  }
  const other = sameButForCase(workspace, path);
  if (other === undefined || other === instead) return;
  throw new CocosError('E_CONFLICT', `"${path}" and "${other}" are the same on some systems.`, {
    suggestion:
      'Choose a path that differs in more than capital letters, or the one that is there.',
    details: { path: other },
  });
}

/** What is there under a name that differs in capital letters only. */
function sameButForCase({ draft }: Workspace, path: string): string | undefined {
  const names = path.split('/');
  for (let count = 1; count < names.length; count++) {
    const folder = names.slice(0, count).join('/');
    const name = names[count] ?? '';
    if (!draft.isFolder(folder)) return undefined;
    const other = draft.list(folder).find((each) => each !== name && plain(each) === plain(name));
    if (other !== undefined) return `${folder}/${other}`;
  }
  return undefined;
}

const plain = (name: string): string => name.normalize('NFC').toLowerCase();

function endingText(ending: RegExp): string {
  return ending.source.replace(/^\\/, '').replace('$', '');
}

/** Makes the folders above a path, with their metas; answers those that are new. */
export function ensureFolders(workspace: Workspace, path: string): string[] {
  const { draft, project } = workspace;
  const steps = path.split('/').slice(0, -1);
  const made: string[] = [];
  for (let count = 2; count <= steps.length; count++) {
    const folder = steps.slice(0, count).join('/');
    if (!isAssetPath(project, folder)) continue;
    if (draft.meta(folder) !== undefined) continue;
    if (!draft.exists(folder)) draft.createFolder(folder);
    draft.writeMeta(folder, newMeta(workspace, folder, 'directory'));
    made.push(folder);
  }
  return made;
}

/** Whether a path is of an asset: below a folder of assets, and not that folder. */
export function isAssetPath(project: Project, path: string): boolean {
  return project.url(path) !== undefined && project.mounts.every((mount) => mount.path !== path);
}

/** The name of a file without folder and ending. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
}
