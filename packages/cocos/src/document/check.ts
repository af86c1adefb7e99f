import { instanceOf, isNode } from './entries.ts';
import { refIndex, refIndices, typeOf } from './json.ts';
import type { Entry } from './json.ts';
import { eachReference } from './print/layout.ts';
import { rootOf } from './table.ts';
import type { Table } from './table.ts';

/** What is wrong with how the objects of a file hang together, one sentence each; nothing when it is sound. */
export function checkTable(table: Table): string[] {
  const faults: string[] = [];
  const { objects } = table;
  eachReference(table, (index, to) => {
    if (!Number.isInteger(to) || objects[to] === undefined) {
      faults.push(`Object ${index} refers to object ${to}, which does not exist`);
    }
  });
  return faults.length > 0 ? faults : [...checkTree(table), ...checkIds(table)];
}

/** Two objects with one id are one to everybody who refers to it. */
function checkIds({ objects }: Table): string[] {
  const seen = new Set<string>();
  const faults: string[] = [];
  for (const [index, entry] of objects.entries()) {
    const id = entry?.['_id'];
    if (typeof id !== 'string' || id === '') continue;
    if (seen.has(id)) faults.push(`Object ${index} has the id ${id} of another`);
    seen.add(id);
  }
  return faults;
}

function checkTree(table: Table): string[] {
  const { objects } = table;
  const faults: string[] = [];
  const parents = new Map<number, number>();
  const belongs = (list: {
    readonly of: number;
    readonly to: number;
    readonly up: string;
  }): void => {
    const { of, to, up } = list;
    const entry = objects[to] ?? {};
    if (refIndex(entry[up]) !== of) {
      faults.push(`Object ${of} has object ${to} (${typeOf(entry)}), which says otherwise`);
    }
    if (parents.has(to)) faults.push(`Object ${to} is in two places`);
    parents.set(to, of);
  };
  const waiting = [rootOf(table)];
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    const node = objects[index] ?? {};
    if (!isNode(node)) faults.push(`Object ${index} (${typeOf(node)}) is in the place of a node`);
    for (const to of refIndices(node['_components'])) belongs({ of: index, to, up: 'node' });
    for (const to of refIndices(node['_children'])) {
      const known = parents.has(to);
      belongs({ of: index, to, up: '_parent' });
      if (!known) waiting.push(to);
    }
    for (const to of mountedOn(table, node)) {
      if (parents.has(to)) faults.push(`Object ${to} is in two places`);
      else if (isNode(objects[to])) waiting.push(to);
      parents.set(to, index);
    }
  }
  return faults;
}

/** The nodes and components that an instance has besides those of its prefab. */
function mountedOn(table: Table, node: Entry): number[] {
  const instance = instanceOf(table, node);
  const infos = [
    ...refIndices(instance?.['mountedChildren']),
    ...refIndices(instance?.['mountedComponents']),
  ].map((index) => table.objects[index]);
  return infos.flatMap((info) => [
    ...refIndices(info?.['nodes']),
    ...refIndices(info?.['components']),
  ]);
}
