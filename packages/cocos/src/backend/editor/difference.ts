import { decodeValue, type FieldType } from '#cocos/components';
import { equalJson, type Json, typeOf, type ViewItem } from '#cocos/document';
import { componentSpec, type SceneDocument } from '#cocos/edit';

/** A property that the editor has otherwise than it was planned. */
export interface Difference {
  /** The handle in the plan. */
  readonly target: string;
  /** By the name of the editor. */
  readonly name: string;
  readonly type: FieldType;
  readonly wanted: Json;
  readonly found: Json | undefined;
}

/** Two readings of one scene: as planned, and as the editor has it. */
export interface Comparison {
  readonly planned: SceneDocument;
  readonly present: SceneDocument;
  /** The uuid in the editor of a handle in the plan. */
  real(handle: string): string;
}

const vector: FieldType = { kind: 'value', type: 'cc.Vec3' };
const lockedFlag = 512;

const nodeProperties: readonly { stored: string; name: string; type: FieldType }[] = [
  { stored: '_name', name: 'name', type: { kind: 'string' } },
  { stored: '_active', name: 'active', type: { kind: 'boolean' } },
  { stored: '_lpos', name: 'position', type: vector },
  { stored: '_euler', name: 'rotation', type: vector },
  { stored: '_lscale', name: 'scale', type: vector },
  { stored: '_layer', name: 'layer', type: { kind: 'integer' } },
  { stored: '_mobility', name: 'mobility', type: { kind: 'integer' } },
];

/** The properties of a planned node or component that the editor has otherwise. */
export function* differencesOf(comparison: Comparison, item: ViewItem): Generator<Difference> {
  const { planned, present, real } = comparison;
  const other = present.view.find(real(item.handle));
  const found = other === undefined ? new Map() : propertiesOf(present, other, (handle) => handle);
  for (const [name, { type, value }] of propertiesOf(planned, item, real)) {
    const there = found.get(name)?.value;
    if (there === undefined || !equalJson(there, value)) {
      yield { target: item.handle, name, type, wanted: value, found: there };
    }
  }
}

type Properties = Map<string, { readonly type: FieldType; readonly value: Json }>;

/** The properties of a node or component by the names of the editor; objects are called as asked for. */
export function propertiesOf(
  document: SceneDocument,
  item: ViewItem,
  real: (handle: string) => string,
): Properties {
  return item.kind === 'node' ? ofNode(document, item) : ofComponent(document, item, real);
}

function ofNode({ view }: SceneDocument, item: ViewItem): Properties {
  const entry = view.at(item.index);
  const properties: Properties = new Map();
  for (const { stored, name, type } of nodeProperties) {
    const value = entry[stored];
    if (value !== undefined) {
      properties.set(name, { type, value: decodeValue(type, value, plainContext) });
    }
  }
  const locked = (Number(entry['_objFlags'] ?? 0) & lockedFlag) !== 0;
  return properties.set('locked', { type: { kind: 'boolean' }, value: locked });
}

const plainContext = { asset: (uuid: string) => uuid, object: () => '' };

function ofComponent(
  document: SceneDocument,
  item: ViewItem,
  real: (handle: string) => string,
): Properties {
  const { view } = document;
  const entry = view.at(item.index);
  const context = {
    asset: (uuid: string) => uuid,
    object: (index: number) => {
      const target = view.item(index);
      return target === undefined ? view.at(index) : real(target.handle);
    },
  };
  const properties: Properties = new Map();
  const enabled = entry['_enabled'] !== false;
  properties.set('enabled', { type: { kind: 'boolean' }, value: enabled });
  for (const { stored, name, type } of componentSpec(document, item).fields) {
    const value = entry[stored];
    if (value !== undefined) {
      properties.set(name, { type, value: decodeValue(type, value, context) });
    }
  }
  return properties;
}

const arranging = new Set(['cc.Widget', 'cc.Layout', 'cc.Label', 'cc.RichText', 'cc.SafeArea']);
const arranged = new Set(['position', 'contentSize']);

/** Whether the engine itself decides about a property: a layout places, a label measures. */
export function isArranged(
  { planned: { view } }: Comparison,
  { target, name }: Difference,
): boolean {
  if (!arranged.has(name)) return false;
  const item = view.get(target);
  const node = item.kind === 'node' ? item.index : (item.owner ?? view.root);
  const above = view.item(node)?.owner;
  const isArranging = (at: number): boolean =>
    view.components(at).some(({ index }) => arranging.has(typeOf(view.at(index))));
  return isArranging(node) || (above !== undefined && isArranging(above));
}
