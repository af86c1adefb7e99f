import { cloneJson, CocosError, type OwnEntry } from '#cocos/document';
import { type ComponentSpec, type Field, findField } from './field.ts';
import { renderComponents } from './render-components.ts';
import { uiComponents } from './ui-components.ts';
import { worldComponents } from './world-components.ts';

/** Component classes by the name that files store. */
export type ComponentTable = ReadonlyMap<string, ComponentSpec>;

/** The classes of the engine that are known without looking at a project. */
export const builtInComponents: ComponentTable = new Map(
  [...renderComponents, ...uiComponents, ...worldComponents].map((spec) => [spec.type, spec]),
);

/** The class of that name, with or without `cc.`; fails with the nearest names when there is none. */
export function requireComponent(table: ComponentTable, name: string): ComponentSpec {
  const spec = table.get(name) ?? table.get(`cc.${name}`);
  if (spec !== undefined) return spec;
  const wanted = name.replace(/^cc\./, '').toLowerCase();
  for (const other of table.values()) if (other.type.toLowerCase() === `cc.${wanted}`) return other;
  const near = nearest(wanted, [...table.keys()]);
  throw new CocosError('E_INVALID_ARGUMENT', `There is no component class "${name}".`, {
    suggestion: `Near names: ${near.join(', ')}. Scripts are named by their path or class.`,
  });
}

/** Like `findField`; fails with the known names when there is no such field. `label` is what messages call the class. */
export function requireField(spec: ComponentSpec, name: string, label: string = spec.type): Field {
  const field = findField(spec.fields, name);
  if (field !== undefined) return field;
  const known = spec.fields.map((other) => other.name);
  const [near = ''] = nearest(name, known);
  throw new CocosError('E_INVALID_ARGUMENT', `${label} has no property "${name}".`, {
    suggestion:
      known.length === 0
        ? 'It has no properties.'
        : `Did you mean ${near}? It has: ${known.join(', ')}.`,
    details: { known },
  });
}

/** The stored fields of a new component, in file order. */
export function initialFields(spec: ComponentSpec): OwnEntry {
  const values: OwnEntry = {};
  for (const { stored, initial } of spec.fields) {
    if (initial !== undefined) values[stored] = cloneJson(initial);
  }
  return values;
}

/** Up to five names that are most like the wanted one. */
export function nearest(wanted: string, names: readonly string[]): string[] {
  const plain = (name: string): string => name.replace(/^cc\./, '').toLowerCase();
  return names
    .map((name) => ({ name, distance: editDistance(plain(wanted), plain(name)) }))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 5)
    .map(({ name }) => name);
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
