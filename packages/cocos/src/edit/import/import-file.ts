import { type Change, CocosError, isObject, type Json, type Meta } from '#cocos/document';
import type { ImageType } from '#cocos/images';
import type { Asset } from '#cocos/project';
import { isScriptPath } from '#cocos/scripts';
import { checkNames, ensureFolders, isAssetPath } from '../asset-files.ts';
import { takeIdentity } from '../scenes.ts';
import type { Workspace } from '../workspace.ts';
import { type Pixels, pixelsMeta, readPixels } from './image.ts';
import { type Importer, importerOf, importerOfJson, newMeta } from './importers.ts';

/** What is imported because edits name it. */
export interface Imports {
  /** Images that the edit may name, by path, or why one cannot be imported: to read them takes a while. */
  readonly images: Map<string, Pixels | CocosError>;
  /** What was done that the edits do not tell themselves. */
  readonly changes: Change[];
}

/** Whether a file or folder is there that no editor has seen: it has no meta. */
function isUnimported({ draft, project }: Workspace, path: string): boolean {
  const isAsset = isAssetPath(project, path) && !/\.meta$|(^|\/)\./.test(path);
  return isAsset && draft.exists(path) && !draft.exists(`${path}.meta`);
}

/** The path of what no editor has seen, by path or URL; undefined for everything else. */
export function unimportedAt(workspace: Workspace, reference: string): string | undefined {
  try {
    const path = workspace.draft.resolve(reference);
    return isUnimported(workspace, path) ? path : undefined;
  } catch (error) {
    // It is no path.
    if (error instanceof CocosError) return undefined;
    throw error;
  }
}

/** The asset at a path. Where edits are made, what no editor has seen is imported; an image as what it is needed as. */
export function assetAt(workspace: Workspace, path: string, type?: ImageType): Asset | undefined {
  const known = workspace.draft.assetAt(path);
  if (known !== undefined || workspace.imports === undefined) return known;
  return isUnimported(workspace, path) ? importFile(workspace, path, type) : undefined;
}

/** Makes a file or folder an asset, unless it is one. */
export function createAsset(
  workspace: Workspace,
  reference: string,
): { path: string; uuid: string; reused: boolean } {
  const { draft, project } = workspace;
  const path = draft.resolve(reference);
  if (!isAssetPath(project, path)) {
    throw new CocosError('E_INVALID_ARGUMENT', `"${path}" is not where assets are.`, {
      suggestion: 'Put the file below assets first.',
    });
  }
  const known = draft.assetAt(path);
  const made = known ?? assetAt(workspace, path);
  if (made !== undefined) return { path, uuid: made.uuid, reused: known !== undefined };
  throw new CocosError('E_NOT_FOUND', `There is no file "${path}" that could be imported.`, {
    suggestion: 'Write it first; the editor overlooks what begins with a dot.',
  });
}

/** Gives a file or folder the meta that the editor would give it, and the folders around it theirs. */
function importFile(workspace: Workspace, path: string, type?: ImageType): Asset | undefined {
  const { draft, imports } = workspace;
  checkNames(workspace, path);
  const meta = metaFor(workspace, path, type);
  const folders = ensureFolders(workspace, path);
  draft.writeMeta(path, meta);
  const made = [...folders, `${path}.meta`].map((target) => ({ type: 'create', target }) as const);
  imports?.changes.push(...made);
  if (isScriptPath(path)) workspace.scripts = workspace.scripts.imported(path, meta.uuid);
  const isDocument = meta.importer === 'scene' || meta.importer === 'prefab';
  if (isDocument && takeIdentity(workspace, path)) {
    imports?.changes.push({ type: 'update', target: path });
  }
  return draft.asset(meta.uuid);
}

function metaFor(workspace: Workspace, path: string, type?: ImageType): Meta {
  const { draft, imports } = workspace;
  if (draft.isFolder(path)) return newMeta(workspace, path, 'directory');
  const importer = requireImporter(workspace, path);
  if (importer.name !== 'image') return newMeta(workspace, path, importer.name);
  const pixels = imports?.images.get(path);
  if (pixels === undefined) throw new CocosError('E_INTERNAL', `"${path}" was not read before.`);
  if (pixels instanceof CocosError) {
    throw refusal(path, pixels.message, pixels.suggestion ?? byHand);
  }
  return pixelsMeta(workspace, pixels, { path, type });
}

function requireImporter({ draft }: Workspace, path: string): Importer {
  const importer = importerOf(path);
  if (importer === undefined) {
    throw refusal(path, 'no importer is known for files of that ending', byEditor);
  }
  const value = importer.json === true ? parsed(draft.text(path)) : null;
  if (value === undefined) throw refusal(path, 'it is not JSON', byHand);
  const special = importer.name === 'json' && isObject(value) ? importerOfJson(value) : undefined;
  const { reason } = special ?? importer;
  if (reason !== undefined) throw refusal(path, reason, byEditor);
  return importer;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as Json;
  } catch {
    return undefined;
  }
}

/** Says why a file that is there cannot be used, and what to do about it. */
function refusal(path: string, reason: string, suggestion: string): CocosError {
  const message = `"${path}" is not imported yet, and cannot be here: ${reason}`;
  return new CocosError('E_PRECONDITION_FAILED', message, { suggestion, details: { path } });
}

const byEditor = 'Open the project in the editor once, which imports it, and name it again.';
const byHand = 'Mend the file, or name another.';

/** Reads the images that an edit names and that no editor has seen. */
export async function prepareImports(workspace: Workspace, edit: unknown): Promise<void> {
  const { draft, imports } = workspace;
  for (const text of textsIn(edit)) {
    const path = imagePathIn(workspace, text);
    const bytes = path === undefined ? undefined : draft.read(path);
    if (path === undefined || bytes === undefined) continue;
    imports?.images.set(path, await readPixels(bytes, path));
  }
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) yield* textsIn(part);
  }
}

/** The image that a text names, itself or a part of it. */
function imagePathIn(workspace: Workspace, text: string): string | undefined {
  const [, name] = /^(.*\.(?:png|jpe?g))(?:[/@]\w+)?$/i.exec(text) ?? [];
  return name === undefined ? undefined : unimportedAt(workspace, name);
}
