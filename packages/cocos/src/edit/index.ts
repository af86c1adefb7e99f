export { applyOverrides, type OverridesApplied } from './apply-overrides.ts';
export { handOverViews } from './views.ts';
export {
  type AssetDeleted,
  createFolder,
  deleteAsset,
  moveAsset,
  type ReferencesReplaced,
  replaceReferences,
} from './assets.ts';
export { assignSprite, type SpriteAssignment } from './assign-sprite.ts';
export {
  className,
  type ComponentClass,
  componentSpec,
  findClass,
  isOfClass,
  labelOf,
  noClass,
  scriptNamed,
  typeName,
} from './component-class.ts';
export {
  addComponent,
  type ComponentAdded,
  type ComponentAddition,
  removeComponent,
  setComponentEnabled,
} from './components.ts';
export {
  createNode,
  type NodeCreated,
  type NodeCreation,
  type NodeElement,
  nodeElements,
} from './create-node.ts';
export { findAsset, type FoundAsset } from './find-asset.ts';
export { type ImageImport, type ImageImported, imageSource, importImage } from './import/image.ts';
export { createAsset, type Imports, prepareImports, unimportedAt } from './import/import-file.ts';
export { importerOf } from './import/importers.ts';
export {
  deleteNode,
  duplicateNode,
  moveNode,
  type NodeChange,
  type NodeMove,
  updateNode,
} from './nodes.ts';
export {
  type InstanceUpdate,
  type InstanceUpdated,
  isOfProperty,
  listOverrides,
  type OverrideChange,
  type OverrideReading,
  partOfInstance,
  revertOverrides,
  updateInstance,
} from './overrides.ts';
export {
  createPrefab,
  instantiatePrefab,
  type PrefabCreated,
  type PrefabCreation,
  type PrefabPlacement,
  requireInstance,
  unpackPrefab,
} from './prefabs.ts';
export { type Properties, type PropertiesSet, setProperties } from './properties.ts';
export {
  type ComponentReading,
  readComponent,
  readComponents,
  shownProperty,
  shownText,
  shownValue,
} from './read-component.ts';
export { assetName, componentOn, requireComponentItem, requireNode } from './references.ts';
export { createEmptyPrefab, createScene, type FileCreated, type SceneCreation } from './scenes.ts';
export {
  readTransform,
  setTransform,
  type Transform,
  type TransformChange,
  type TransformSet,
} from './transform.ts';
export {
  eulerFromQuat,
  placedIn,
  type Placement,
  type Quat,
  quatFromEuler,
  relativeTo,
  type Vec3,
} from './transform-math.ts';
export {
  openDocument,
  openWorkspace,
  readDocument,
  type SceneDocument,
  type Workspace,
} from './workspace.ts';
