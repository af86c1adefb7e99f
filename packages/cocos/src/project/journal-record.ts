import { isObject, type Json, type JsonObject } from '#cocos/document';
import type { FoundProject } from './find-project.ts';
import { refuseUnwritable, resolvePath } from './paths.ts';

/** What is written of a transaction before anything is touched. */
export interface JournalRecord {
  readonly id: string;
  readonly label: string;
  readonly at: string;
  readonly files: readonly {
    readonly path: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  readonly createdFolders: readonly string[];
  readonly removedFolders: readonly string[];
  readonly undoes?: string | undefined;
}

/** Files of the pack itself that are written together with those of the project, and of which none is told. */
export function isOwnFile(name: string): boolean {
  return /^local\/mcp-kit\/keys\/[0-9a-f]{32}\.json$/.test(name);
}

type Place = Pick<FoundProject, 'root' | 'mounts'>;

/**
 * Reads a record; undefined for anything else. It may have come with the project from somebody else, so it must not reach
 * what an edit could not reach.
 */
export function parseRecord(text: string, place: Place): JournalRecord | undefined {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) return undefined;
  const { id, label, at, files, createdFolders, removedFolders, undoes } = value;
  const isWhole =
    [id, label, at].every((field) => typeof field === 'string') &&
    (undoes === undefined || typeof undoes === 'string') &&
    isListOf(files, (file): file is JsonObject => isFile(file, place)) &&
    [createdFolders, removedFolders].every((folders) =>
      isListOf(folders, (folder): folder is string => isPlace(folder, place)),
    );
  return isWhole ? (value as unknown as JournalRecord) : undefined;
}

function isListOf<Item extends Json>(
  value: Json | undefined,
  isItem: (item: Json) => item is Item,
): value is Item[] {
  return Array.isArray(value) && value.every(isItem);
}

function isFile(value: Json, place: Place): boolean {
  if (!isObject(value)) return false;
  const { path } = value;
  const isOwn = typeof path === 'string' && isOwnFile(path);
  if (!isOwn && !isPlace(path, place)) return false;
  return [value['before'], value['after']].every(
    (hash) => hash === null || typeof hash === 'string',
  );
}

function isPlace(value: Json | undefined, place: Place): boolean {
  if (typeof value !== 'string' || resolvePath(place, value) !== value) return false;
  // The folder that holds all settings comes with the first of them.
  if (value === 'settings' || value === 'settings/v2') return true;
  refuseUnwritable(place, value);
  return true;
}
