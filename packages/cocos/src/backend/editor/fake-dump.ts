import { type Json, typeOf, type ViewItem } from '#cocos/document';
import { className, type SceneDocument } from '#cocos/edit';
import { propertiesOf } from './difference.ts';
import { type Dump, toDump } from './dump.ts';

const same = (handle: string): string => handle;

/** A node as `query-node` answers it. */
export function nodeDump(document: SceneDocument, item: ViewItem): Record<string, unknown> {
  const { view } = document;
  const above = item.owner === undefined ? undefined : view.item(item.owner);
  return {
    ...dumpsOf(document, item),
    uuid: { type: 'String', value: item.handle, readonly: true },
    children: view.children(item.index).map((child) => ({
      type: 'cc.Node',
      value: { uuid: child.handle },
    })),
    parent: { type: 'cc.Node', value: { uuid: above?.handle ?? '' } },
    __comps__: view.components(item.index).map((part) => componentDump(document, part)),
    __type__: typeOf(view.at(item.index)),
  };
}

function componentDump(document: SceneDocument, part: ViewItem): Record<string, unknown> {
  return {
    type: className(document, part),
    cid: typeOf(document.view.at(part.index)),
    value: {
      uuid: { type: 'String', value: part.handle, readonly: true },
      name: { type: 'String', value: '' },
      ...dumpsOf(document, part),
    },
  };
}

function dumpsOf(document: SceneDocument, item: ViewItem): Record<string, Dump> {
  const properties = [...propertiesOf(document, item, same)];
  return Object.fromEntries(
    properties.map(([name, { type, value }]) => [name, toDump(type, value)]),
  );
}

/** A node with all below it as `query-node-tree` answers it. */
export function treeDump({ view }: SceneDocument, from: ViewItem): Record<string, unknown> {
  const dump = (item: ViewItem): Record<string, unknown> => ({
    name: view.name(item.index),
    active: activeOf(view.at(item.index)['_active']),
    type: typeOf(view.at(item.index)),
    uuid: item.handle,
    path: view.path(item.index),
    isScene: item.index === view.root,
    components: view.components(item.index).map((part) => ({
      type: typeOf(view.at(part.index)),
      value: part.handle,
    })),
    children: view.children(item.index).map(dump),
  });
  return dump(from);
}

const activeOf = (value: Json | undefined): boolean => value !== false;
