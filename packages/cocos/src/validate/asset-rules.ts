import { acceptsAsset, classOfImporter, findBuiltInAsset, nearest } from '#cocos/components';
import { eachEntry, expandId, isScriptType } from '#cocos/document';
import type { Asset } from '#cocos/project';
import { engineComponents, engineScripts } from './engine-classes.ts';
import { describe, type Inspection } from './inspection.ts';
import type { AssetSpot } from './scan.ts';
import { isComponentAt } from './walk.ts';

/** `missingAsset`, `missingSubAsset`, `wrongAssetType`: what is used is there, and is what it is used as. */
export function checkAssets(inspection: Inspection): void {
  for (const spot of inspection.assets) {
    // The prefab of an instance has a rule of its own.
    const isPrefab = inspection.kinds.types[spot.at] === 'cc.PrefabInfo';
    if (!isPrefab && spot.uuid !== '') checkAsset(inspection, spot);
  }
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

/** `missingScript`, `unknownClass`: every object is of a class that there is. */
export function checkClasses(inspection: Inspection): void {
  const { table, kinds, workspace, issues } = inspection;
  const seen = new Map<string, boolean>();
  let scriptsAreKnown: boolean | undefined;
  const isKnown = (type: string): boolean => {
    if (isScriptType(type)) return hasScript(inspection, type);
    if (/^(cc|sp|dragonBones)\./.test(type) || engineObjects.has(type)) return true;
    // Without the sources nobody can tell which classes scripts have.
    scriptsAreKnown ??= [...workspace.draft.assets()].every(
      ({ importer, exists }) => exists || !/^(type|java)script$/.test(importer),
    );
    return !scriptsAreKnown || workspace.scripts.byType(type) !== undefined;
  };
  eachEntry(table, (_, at) => {
    const type = kinds.types[at] ?? '';
    if (type === 'cc.MissingScript' || (isScriptType(type) && !cached(seen, type, isKnown))) {
      const uuid = expandId(type);
      issues.push({
        code: 'missingScript',
        at,
        path: ['__type__'],
        message: `The script ${uuid ?? ''} of a component is not in the project.`.replace(
          '  ',
          ' ',
        ),
        suggestion: 'Restore the script with its meta, or remove the component.',
      });
      return;
    }
    const isStrange =
      isComponentAt(kinds, at) && type.startsWith('cc.') && !engineComponents.has(type);
    if (!isStrange && type !== '' && cached(seen, type, isKnown)) return;
    const near = nearest(type.replace(/^cc\./, ''), [...engineComponents])
      .slice(0, 2)
      .join(' or ');
    issues.push({
      code: 'unknownClass',
      at,
      path: ['__type__'],
      message:
        type === ''
          ? `Object ${inspection.places[at]} has no class.`
          : `There is no class "${type}".`,
      suggestion: isStrange
        ? `Did you mean ${near}? If it belongs to your version of the engine, all is well.`
        : 'Restore the script that has the class, or remove the object.',
    });
  });
}

function cached(
  seen: Map<string, boolean>,
  type: string,
  isKnown: (type: string) => boolean,
): boolean {
  const known = seen.get(type) ?? isKnown(type);
  seen.set(type, known);
  return known;
}

/** Classes of the engine whose names say nothing of it. */
const engineObjects = new Set(['CCPropertyOverrideInfo', 'TypedArray', 'ColorKey', 'AlphaKey']);

function hasScript({ workspace }: Inspection, type: string): boolean {
  const uuid = expandId(type) ?? '';
  return engineScripts.has(uuid) || workspace.draft.asset(uuid) !== undefined;
}
