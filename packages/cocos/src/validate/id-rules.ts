import {
  type Change,
  eachEntry,
  entryAt,
  newObjectId,
  ownAt,
  ownInfoOf,
  rootOf,
  setField,
  textOf,
} from '#cocos/document';
import { describe, type Inspection } from './inspection.ts';
import { isComponentAt, isNodeAt, typeAt } from './walk.ts';

/** `dupId`: every node and component of a scene has an id of its own. */
export function checkIds(inspection: Inspection): void {
  const seen = new Map<string, number>();
  const { kinds } = inspection;
  eachEntry(inspection.table, (entry, at) => {
    if (!isNodeAt(kinds, at) && !isComponentAt(kinds, at)) return;
    const id = textOf(entry['_id']);
    const other = seen.get(id);
    if (id === '' || other === undefined) {
      seen.set(id, at);
      return;
    }
    inspection.issues.push({
      code: 'dupId',
      at,
      path: ['_id'],
      message: `${describe(inspection, at)} has the id of ${describe(inspection, other)}.`,
      suggestion: 'Repair gives it a new one.',
      fix: () => {
        const to = newObjectId();
        ownAt(inspection.table, at)['_id'] = to;
        return [{ type: 'update', target: `#${at}`, field: '_id', from: id, to }];
      },
    });
  });
}

/** `dupFileId`: overrides name every object of a prefab, and every instance, by an id of its own. */
export function checkFileIds(inspection: Inspection): void {
  const { kind } = inspection.table;
  const members = new Map<string, number>();
  const instances = new Map<string, number>();
  eachEntry(inspection.table, (entry, at) => {
    const type = typeAt(inspection.kinds, at);
    const isInstance = type === 'cc.PrefabInstance';
    const isMember =
      type === 'cc.CompPrefabInfo' || (type === 'cc.PrefabInfo' && !entry['instance']);
    if (!isInstance && !(isMember && kind === 'prefab')) return;
    const seen = isInstance ? instances : members;
    const id = textOf(entry['fileId']);
    const other = seen.get(id);
    if (id === '' || other === undefined) {
      seen.set(id, at);
      return;
    }
    inspection.issues.push({
      code: 'dupFileId',
      at,
      path: ['fileId'],
      message: `The id ${id} is also that of object ${inspection.places[other]}, so that an override may hit either.`,
      suggestion: isInstance
        ? 'Remove one of the two instances, and instantiate the prefab again.'
        : 'Remove one of the two, and create it again.',
    });
  });
}

/** `sceneIdMismatch`, `assetName`: a scene or prefab is called as its meta and its file are. */
export function checkNames(inspection: Inspection): void {
  const { table, asset, file } = inspection;
  const root = rootOf(table);
  const entry = entryAt(table, root);
  const name = file.slice(file.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
  const id = textOf(entry['_id']);
  if (table.kind === 'scene' && asset !== undefined && id !== asset.uuid) {
    inspection.issues.push({
      code: 'sceneIdMismatch',
      at: root,
      path: ['_id'],
      message: `The id of the scene is "${id}", but its meta has ${asset.uuid}.`,
      suggestion: 'Repair sets the id of the scene, as the editor does when it imports the file.',
      fix: () => setSceneId(inspection, asset.uuid),
    });
  }
  for (const at of [0, root]) {
    const called = textOf(table.objects[at]?.['_name']);
    // The scenes that the editor makes from its templates have no name.
    if (called === name || (called === '' && at === root && table.kind === 'scene')) continue;
    inspection.issues.push({
      code: 'assetName',
      at,
      path: ['_name'],
      message: `The ${at === 0 ? table.kind : 'root'} is called "${called}", but the file "${name}".`,
      suggestion: 'Repair renames it, as the editor does when it imports the file.',
      fix: () => {
        setField(ownAt(table, at), { key: '_name', value: name });
        return [{ type: 'update', target: `#${at}`, field: '_name', from: called, to: name }];
      },
    });
  }
}

function setSceneId({ table }: Inspection, uuid: string): Change[] {
  const root = rootOf(table);
  const scene = ownAt(table, root);
  const from = textOf(scene['_id']);
  const info = ownInfoOf(table, scene);
  if (info?.['fileId'] === from) info['fileId'] = uuid;
  setField(scene, { key: '_id', value: uuid });
  return [{ type: 'update', target: `#${root}`, field: '_id', from, to: uuid }];
}
