import {
  type ComponentSpec,
  defineComponent,
  eventType,
  type Field,
  type FieldType,
  valueParts,
  type ValueTypeName,
} from '#cocos/components';
import type {
  PropertyType,
  ScriptCatalog,
  ScriptDescription,
  ScriptProperty,
} from '#cocos/scripts';

/** How many classes deep the objects of a property are described. */
const maxDepth = 4;

/** What the source of a script says about the component it defines. */
export function scriptSpec(script: ScriptDescription, scripts: ScriptCatalog): ComponentSpec {
  const fields = fieldsOf(script, { scripts, depth: 0 });
  return defineComponent(script.type, { requires: script.requires }, fields);
}

interface Within {
  readonly scripts: ScriptCatalog;
  readonly depth: number;
}

function fieldsOf({ properties }: ScriptDescription, within: Within): Field[] {
  return properties
    .filter(({ serialized }) => serialized)
    .map((property) => toField(property, within));
}

/** A default that only the running engine can make is left to it. */
function toField(property: ScriptProperty, within: Within): Field {
  const of = toFieldType(property.type, within);
  const type: FieldType = property.array ? { kind: 'array', of } : of;
  const field = { stored: property.name, name: property.name, type };
  const isKnown = property.defaultKnown && property.creates === undefined;
  return isKnown ? { ...field, initial: property.default } : field;
}

function toFieldType({ kind, name = '', values }: PropertyType, within: Within): FieldType {
  switch (kind) {
    case 'number':
    case 'integer':
    case 'string':
    case 'boolean':
    case 'node':
      return { kind };
    case 'enum':
      return enumType(values);
    case 'component':
    case 'asset':
      return { kind, type: name };
    case 'value':
      return name in valueParts ? { kind, type: name as ValueTypeName } : { kind: 'any' };
    case 'class':
      return name === 'cc.EventHandler' ? eventType : objectType(name, within);
    case 'unknown':
      return { kind: 'any' };
  }
}

function objectType(name: string, { scripts, depth }: Within): FieldType {
  const script = depth < maxDepth ? scripts.byClass(name) : undefined;
  if (script === undefined || script.isComponent !== false) return { kind: 'any' };
  const fields = fieldsOf(script, { scripts, depth: depth + 1 });
  return { kind: 'object', type: script.type, fields };
}

function enumType(values: PropertyType['values']): FieldType {
  if (values === undefined) return { kind: 'any' };
  const names: Record<string, number> = {};
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'number') return { kind: 'any' };
    names[name] = value;
  }
  return { kind: 'enum', names };
}
