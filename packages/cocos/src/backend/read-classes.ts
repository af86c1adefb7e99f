import type { ComponentSpec, FieldType } from '#cocos/components';
import { noClass, scriptNamed, type Workspace } from '#cocos/edit';
import type { ScriptDescription, ScriptProperty } from '#cocos/scripts';
import type { ClassReading, PropertyReading } from './readings.ts';

/** The component classes of the scripts, or of the engine, by name. */
export function readClasses(workspace: Workspace, of: 'scripts' | 'engine'): ClassReading[] {
  const found =
    of === 'engine'
      ? [...workspace.components.values()].filter(({ deprecated }) => !deprecated).map(ofEngine)
      : [...workspace.scripts.all()].map(ofScript);
  return found.sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** The class of that name, with or without `cc.`, or of a script named by class, path or uuid. */
export function readClass(workspace: Workspace, name: string): ClassReading {
  const { components } = workspace;
  const spec = components.get(name);
  if (spec !== undefined) return ofEngine(spec);
  const script = scriptNamed(workspace, name);
  if (script !== undefined) return ofScript(script);
  const short = components.get(`cc.${name}`);
  if (short !== undefined) return ofEngine(short);
  throw noClass(workspace, name);
}

function ofEngine({ type, fields, requires, brings }: ComponentSpec): ClassReading {
  return {
    name: type,
    requires: [...requires, ...brings],
    properties: fields.map(({ name, type: held, initial }) => ({
      name,
      type: typeText(held),
      values: valuesOf(held),
      default: initial,
    })),
  };
}

function typeText(type: FieldType): string {
  switch (type.kind) {
    case 'array':
      return `${typeText(type.of)}[]`;
    case 'asset':
    case 'component':
    case 'object':
    case 'value':
      return type.type;
    case 'enum':
      return type.flags === true ? 'flags' : 'enum';
    default:
      return type.kind;
  }
}

function valuesOf(type: FieldType): string[] | undefined {
  if (type.kind === 'array') return valuesOf(type.of);
  return type.kind === 'enum' ? Object.keys(type.names) : undefined;
}

function ofScript(script: ScriptDescription): ClassReading {
  const { uuid, path, className, bases, isComponent, methods, requires, properties } = script;
  return {
    name: className,
    requires,
    properties: properties.filter(({ serialized }) => serialized).map(ofProperty),
    script: { assetUuid: uuid, path, bases, isComponent, methods, problem: script.problem },
  };
}

function ofProperty(property: ScriptProperty): PropertyReading {
  const { name, type, array, tooltip } = property;
  const held = type.kind === 'unknown' ? 'any' : (type.name ?? type.kind);
  return {
    name,
    type: array ? `${held}[]` : held,
    values: type.values && Object.keys(type.values),
    default: property.defaultKnown ? property.default : undefined,
    tooltip,
  };
}
