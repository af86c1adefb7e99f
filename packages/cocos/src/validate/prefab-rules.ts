import { findBuiltInAsset } from '#cocos/components';
import {
  append,
  assetOf,
  type Change,
  componentHead,
  compPrefabInfo,
  eachEntry,
  type Entry,
  entryAt,
  follow,
  holderOf,
  infoOf,
  instanceOf,
  isComponent,
  isNode,
  newObjectId,
  nodeFields,
  ownAt,
  type OwnEntry,
  ownInfoOf,
  prefabInfo,
  propertyPathOf,
  ref,
  refIndex,
  refIndices,
  rootOf,
  setField,
  type Table,
  textOf,
} from '#cocos/document';
import { describe, type Inspection } from './inspection.ts';
import { isNodeAt } from './walk.ts';

/** `prefabNodeWithoutInfo`, `prefabCompWithoutInfo`: overrides can name everything in a prefab. */
export function checkInfos(inspection: Inspection): void {
  const { table } = inspection;
  if (table.kind !== 'prefab') return;
  const lacks = (entry: Entry): boolean => textOf(infoOf(table, entry)?.['fileId']) === '';
  eachEntry(table, (entry, at) => {
    const isPart = isNode(entry) || isComponent(entry);
    const node = isComponent(entry) ? follow(table, entry['node']) : undefined;
    // The components of such a node are meant with it.
    if (!isPart || !lacks(entry) || (node !== undefined && lacks(node))) return;
    const parts = isNode(entry) ? [at, ...refIndices(entry['_components'])] : [at];
    inspection.issues.push({
      code: isNode(entry) ? 'prefabNodeWithoutInfo' : 'prefabCompWithoutInfo',
      at,
      path: [isNode(entry) ? '_prefab' : '__prefab'],
      message: `${describe(inspection, at)} has no id by which instances could override it.`,
      suggestion: 'Repair gives it one.',
      fix: () =>
        parts.filter((part) => lacks(entryAt(table, part))).map((part) => addInfo(table, part)),
    });
  });
}

function addInfo(table: Table, at: number): Change {
  const entry = ownAt(table, at);
  const key = isNode(entry) ? '_prefab' : '__prefab';
  const present = ownInfoOf(table, entry);
  const fileId = newObjectId();
  const made: OwnEntry = isNode(entry)
    ? prefabInfo({ root: ref(rootOf(table)), asset: ref(0), fileId })
    : compPrefabInfo(fileId);
  if (present === undefined) {
    setField(
      entry,
      { key, value: ref(append(table, made)) },
      isNode(entry) ? nodeFields : componentHead,
    );
  } else {
    setField(present, { key: 'fileId', value: fileId });
  }
  return { type: 'update', target: `#${at}`, field: `${key}.fileId`, from: null, to: fileId };
}

/** `nestedRootsMismatch`: the root lists exactly the instances, or the engine does not expand them. */
export function checkNestedRoots(inspection: Inspection): void {
  const { table } = inspection;
  const root = entryAt(table, rootOf(table));
  const holder = infoOf(table, root);
  const found: number[] = [];
  eachEntry(table, (entry, index) => {
    const isOther = isNodeAt(inspection.kinds, index) && entry !== root;
    if (isOther && instanceOf(table, entry) !== undefined) found.push(index);
  });
  const listed = refIndices(holder?.['nestedPrefabInstanceRoots']);
  const isLoose = (index: number): boolean => isBelowInstance(inspection, index);
  const missing = found.filter((index) => !listed.includes(index) && !isLoose(index));
  const extra = listed.filter((index) => !found.includes(index));
  if (missing.length === 0 && extra.length === 0) return;
  // Before 3.4 there was no such list.
  const isOld = !Object.hasOwn(
    holder ?? root,
    holder ? 'nestedPrefabInstanceRoots' : '__editorExtras__',
  );
  const names = (indices: readonly number[]): string =>
    indices.map((index) => instanceName(inspection, index)).join(', ');
  const parts = [
    missing.length > 0 ? `lacks ${names(missing)}` : '',
    extra.length > 0 ? `has ${names(extra)}, which is no instance` : '',
  ];
  inspection.issues.push({
    code: 'nestedRootsMismatch',
    at: rootOf(table),
    path: ['_prefab'],
    severity: isOld ? 'warning' : 'error',
    message: `The list of instances ${parts.filter((part) => part !== '').join(' and ')}.`,
    suggestion: isOld
      ? 'Save the file with a newer editor, or let repair write the list.'
      : 'Repair writes the list anew; without it the game shows these nodes empty.',
    fix: () => {
      const kept = [...listed.filter((index) => found.includes(index)), ...missing];
      setField(holderOf(table), { key: 'nestedPrefabInstanceRoots', value: kept.map(ref) });
      const from = listed.map((index) => `#${index}`);
      const to = kept.map((index) => `#${index}`);
      const target = `#${rootOf(table)}`;
      return [{ type: 'update', target, field: '_prefab.nestedPrefabInstanceRoots', from, to }];
    },
  });
}

/** Whether an instance hangs on another one: such are found through that one. */
function isBelowInstance({ table }: Inspection, index: number): boolean {
  const seen = new Set<number>();
  let at = refIndex(table.objects[index]?.['_parent']);
  while (at !== undefined && !seen.has(at)) {
    seen.add(at);
    const entry = table.objects[at];
    if (entry === undefined) return false;
    if (instanceOf(table, entry) !== undefined) return true;
    at = refIndex(entry['_parent']);
  }
  return false;
}

function instanceName(inspection: Inspection, index: number): string {
  const { view } = inspection;
  const name = view?.item(index) === undefined ? '' : view.name(index);
  return name === '' ? `object ${index}` : `"${name}"`;
}

/** `prefabAssetMissing`, `prefabCycle`, `overrideTargetMissing`: what opening the file skips. */
export function checkInstances(inspection: Inspection): void {
  const { view, table, issues } = inspection;
  for (const { code, at, message } of view?.problems ?? []) {
    if (code === 'prefabAssetMissing') {
      reportMissing(inspection, at);
    } else if (code === 'prefabCycle') {
      issues.push({
        code,
        at,
        path: ['_prefab'],
        message: `${instanceName(inspection, at)}: ${message}.`,
        suggestion: 'Remove this instance, or the one in the prefab that leads back here.',
      });
    } else {
      issues.push({
        code: 'overrideTargetMissing',
        at,
        message: `${message}${overridden(entryAt(table, at))}.`,
        suggestion: 'Revert the override, or bring back in the prefab what it was made for.',
      });
    }
  }
}

function overridden(entry: Entry): string {
  const path = propertyPathOf(entry);
  return path.length > 0 ? ` ("${path.join('.')}")` : '';
}

function reportMissing(inspection: Inspection, at: number): void {
  const { table, workspace, issues } = inspection;
  const uuid = assetOf(infoOf(table, entryAt(table, at))?.['asset']);
  const asset = workspace.draft.asset(uuid);
  const isPrefabFile = asset !== undefined && asset.uuid === uuid && asset.importer === 'prefab';
  // Models, and what the engine brings, are no files that we could look into.
  if (findBuiltInAsset(uuid) !== undefined || (asset !== undefined && !isPrefabFile)) return;
  const isBroken = isPrefabFile && asset.exists;
  issues.push({
    code: 'prefabAssetMissing',
    at,
    path: ['_prefab'],
    message: isBroken
      ? `The prefab of ${instanceName(inspection, at)}, "${asset.path}", cannot be read.`
      : `The prefab ${uuid} of ${instanceName(inspection, at)} is not in the project.`,
    suggestion: isBroken
      ? 'Put that file right first.'
      : 'Restore the prefab with its meta, or remove the instance.',
  });
}
