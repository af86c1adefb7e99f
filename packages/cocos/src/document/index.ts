export type { Change } from './change.ts';
export { checkTable } from './check.ts';
export { isSoundAround } from './check-around.ts';
export { CocosError } from './cocos-error.ts';
export type { CocosErrorCode } from './cocos-error.ts';
export * from './entries.ts';
export { insideBase } from './expansion.ts';
export type { Resolve, ViewProblem } from './expansion.ts';
export { prefabFrom, takeFragment } from './fragment.ts';
export type { Fragment, Taken } from './fragment.ts';
export * from './ids.ts';
export { instanceFragment, overridesOf, revertOverrides } from './instances.ts';
export type { InstanceOverride } from './instances.ts';
export * from './json.ts';
export * from './meta.ts';
export { linksOf, type ObjectLink, structureFields } from './links.ts';
export { ownerAt, put, valueAt } from './property-path.ts';
export { placesIn, settled } from './print/order.ts';
export { print, printTable, readBack, type Printed } from './print/print-table.ts';
export { giveBack, takeRoom } from './print/room.ts';
export { heldSource, noteSource, type ReadSource } from './print/source.ts';
export { charactersOf, eachReference } from './print/layout.ts';
export * from './references.ts';
export { removeComponent, removeNode, removeNodes, restoreComponent } from './removal.ts';
export {
  duplicateNode,
  insertComponent,
  insertNode,
  moveNode,
  siblingIndexOf,
} from './structure.ts';
export type { Inserted, Place } from './structure.ts';
export * from './table.ts';
export * from './text.ts';
export { describeValue, getValue, setValue } from './values.ts';
export type { NewValue } from './values.ts';
export { unpackInstance } from './unpack.ts';
export { SceneView } from './view.ts';
export type { ViewItem } from './view.ts';
