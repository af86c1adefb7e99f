import { decodeValue, type ComponentSpec } from '#cocos/components';
import type { Json, ViewItem } from '#cocos/document';
import { className, componentSpec } from './component-class.ts';
import { decodeContext, requireComponentItem } from './references.ts';
import type { SceneDocument } from './workspace.ts';

/** A component as people read it. */
export interface ComponentReading {
  readonly handle: string;
  /** `cc.Sprite`, or the class of a script. */
  readonly type: string;
  readonly enabled: boolean;
  /** By the names of the editor. */
  readonly properties: Readonly<Record<string, Json>>;
}

/** Reads a component of an open document. */
export function readComponent(document: SceneDocument, reference: string): ComponentReading {
  return readItem(document, requireComponentItem(document, reference));
}

function readItem(document: SceneDocument, item: ViewItem): ComponentReading {
  const entry = document.view.at(item.index);
  const spec: ComponentSpec = componentSpec(document, item);
  const context = decodeContext(document);
  const properties: Record<string, Json> = {};
  for (const { stored, name, type, initial } of spec.fields) {
    const value = entry[stored] ?? initial;
    if (value !== undefined) properties[name] = decodeValue(type, value, context);
  }
  const type = className(document, item);
  return { handle: item.handle, type, enabled: entry['_enabled'] !== false, properties };
}

/** Reads all components of a node. */
export function readComponents(document: SceneDocument, node: ViewItem): ComponentReading[] {
  return document.view.components(node.index).map((item) => readItem(document, item));
}
