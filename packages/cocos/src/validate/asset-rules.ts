import { acceptsAsset, classOfImporter, findBuiltInAsset, nearest } from '#cocos/components';
import { eachEntry, expandId, isScriptType, typeOf } from '#cocos/document';
import type { Asset } from '#cocos/project';
import { engineComponents, engineScripts } from './engine-classes.ts';
import { describe, type Inspection } from './inspection.ts';
import type { AssetSpot } from './scan.ts';
import { isComponentAt, typeAt } from './walk.ts';

/** `missingAsset`, `missingSubAsset`, `wrongAssetType`: what is used is there, and is what it is used as. */
export function checkAssets(inspection: Inspection): void {
  const { objects, kinds } = inspection;
  objects.assets.forEach((spots, at) => {
    // The prefab of an instance has a rule of its own.
    if (spots === undefined || typeAt(kinds, at) === 'cc.PrefabInfo') return;
    for (const spot of spots) if (spot.uuid !== '') checkAsset(inspection, spot);
  });
}

function checkAsset(inspection: Inspection, spot: AssetSpot): void {
  const { uuid, expected } = spot;
  const builtIn = findBuiltInAsset(uuid);
  if (builtIn !== undefined) {
    checkType(inspection, spot, builtIn.type);
    return;
  }
  const [base = '', ...subs] = uuid.split('@');
  const asset = inspection.workspace.draft.asset(base);
  if (asset !== undefined) {
    const importer = importerOf(asset, uuid);
    if (importer !== undefined) checkType(inspection, spot, classOfImporter(importer));
    else if (!hasUnknownParts(asset)) reportSub(inspection, spot, asset);
    return;
  }
  const inEngine = findBuiltInAsset(base);
  if (inEngine !== undefined && subs.length > 0) return;
  const kind = expected === '' ? 'asset' : expected;
  inspection.issues.push({
    code: 'missingAsset',
    at: spot.at,
    path: spot.path,
    message: `The ${kind} ${uuid} of ${describe(inspection, spot.at)} is not in the project.`,
    suggestion: `Set "${spot.path.join('.')}" to another asset, or restore the file with its meta.`,
  });
}

function importerOf(asset: Asset, uuid: string): string | undefined {
  if (asset.uuid === uuid) return asset.importer;
  return asset.subAssets.find((part) => part.uuid === uuid)?.importer;
}

/** A meta that was never imported does not say what is in the asset. */
function hasUnknownParts(asset: Asset): boolean {
  return asset.subAssets.length === 0 && asset.importer === '*';
}

function reportSub(inspection: Inspection, { at, path, uuid }: AssetSpot, asset: Asset): void {
  const parts = asset.subAssets.map(({ name, id }) => `${name} (@${id})`).join(', ');
  inspection.issues.push({
    code: 'missingSubAsset',
    at,
    path,
    message: `"${asset.path}" has no part ${uuid.slice(uuid.indexOf('@'))}, which ${describe(inspection, at)} uses.`,
    suggestion:
      parts === ''
        ? 'It has no parts; an image must be imported as a sprite-frame to be one.'
        : `It has: ${parts}. Set "${path.join('.')}" to one of them.`,
  });
}

function checkType(inspection: Inspection, spot: AssetSpot, actual: string | undefined): void {
  const { expected, at, path, uuid } = spot;
  if (expected === '' || actual === undefined || !expected.startsWith('cc.')) return;
  if (acceptsAsset(expected, actual)) return;
  inspection.issues.push({
    code: 'wrongAssetType',
    at,
    path,
    message: `${describe(inspection, at)} expects a ${expected}, but ${uuid} is a ${actual}.`,
    suggestion: `Set "${path.join('.')}" to a ${expected}.`,
  });
}

/** Why a class may not be there; of those called strange only components need one that is known. */
type Doubt = 'missing' | 'unknown' | 'strange';

/** `missingScript`, `unknownClass`: every object is of a class that there is. */
export function checkClasses(inspection: Inspection): void {
  const { table, kinds } = inspection;
  const [, ...names] = kinds.names;
  const doubts = [undefined, ...doubtsOf(inspection, names)];
  if (doubts.every((doubt) => doubt === undefined)) return;
  eachEntry(table, (_, at) => {
    const doubt = doubts[kinds.classes[at] ?? 0];
    if (doubt === 'missing') reportScript(inspection, at);
    else if (doubt === 'unknown' || (doubt === 'strange' && isComponentAt(kinds, at))) {
      reportClass(inspection, at, doubt);
    }
  });
}

function doubtsOf(inspection: Inspection, names: readonly string[]): (Doubt | undefined)[] {
  const { workspace } = inspection;
  let scriptsAreKnown: boolean | undefined;
  const isOfScript = (type: string): boolean => {
    // Without the sources nobody can tell which classes scripts have.
    scriptsAreKnown ??= [...workspace.draft.assets()].every(
      ({ importer, exists }) => exists || !/^(type|java)script$/.test(importer),
    );
    return !scriptsAreKnown || workspace.scripts.byType(type) !== undefined;
  };
  return names.map((type) => {
    if (type === 'cc.MissingScript') return 'missing';
    if (isScriptType(type)) return hasScript(inspection, type) ? undefined : 'missing';
    if (engineComponents.has(type) || engineObjects.has(type)) return undefined;
    if (type.startsWith('cc.')) return 'strange';
    const isKnown = /^(sp|dragonBones)\./.test(type) || (type !== '' && isOfScript(type));
    return isKnown ? undefined : 'unknown';
  });
}

function reportScript({ table, issues }: Inspection, at: number): void {
  const uuid = expandId(typeOf(table.objects[at]));
  issues.push({
    code: 'missingScript',
    at,
    path: ['__type__'],
    message: `The script ${uuid === undefined ? '' : `${uuid} `}of a component is not in the project.`,
    suggestion: 'Restore the script with its meta, or remove the component.',
  });
}

function reportClass(inspection: Inspection, at: number, doubt: Doubt): void {
  const type = typeOf(inspection.table.objects[at]);
  const near = nearest(type.replace(/^cc\./, ''), [...engineComponents])
    .slice(0, 2)
    .join(' or ');
  inspection.issues.push({
    code: 'unknownClass',
    at,
    path: ['__type__'],
    message:
      type === ''
        ? `Object ${inspection.places[at]} has no class.`
        : `There is no class "${type}".`,
    suggestion:
      doubt === 'strange'
        ? `Did you mean ${near}? If it belongs to your version of the engine, all is well.`
        : 'Restore the script that has the class, or remove the object.',
  });
}

/** Classes of the engine whose names say nothing of it. */
const engineObjects = new Set(['CCPropertyOverrideInfo', 'TypedArray', 'ColorKey', 'AlphaKey']);

function hasScript({ workspace }: Inspection, type: string): boolean {
  const uuid = expandId(type) ?? '';
  return engineScripts.has(uuid) || workspace.draft.asset(uuid) !== undefined;
}
