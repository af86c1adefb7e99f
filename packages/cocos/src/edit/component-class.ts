import { type ComponentSpec, type Field, learnComponent, nearest } from '#cocos/components';
import { CocosError, isScriptType, isUuid, typeOf, type ViewItem } from '#cocos/document';
import type { ScriptDescription } from '#cocos/scripts';
import { assetAt } from './import/import-file.ts';
import { scriptSpec } from './script-spec.ts';
import type { SceneDocument, Workspace } from './workspace.ts';

/** A class that can be put on a node. */
export interface ComponentClass {
  readonly spec: ComponentSpec;
  /** What people call it: `cc.Sprite`, or the class of a script. */
  readonly name: string;
  readonly script?: ScriptDescription | undefined;
}

/** The class named by an engine class, a class of a script, or the path or uuid of a script, which is imported if it is not yet. */
export function findClass(document: SceneDocument, name: string): ComponentClass {
  const { workspace } = document;
  const found = classNamed(document, name);
  if (found.script === undefined || found.script.uuid !== undefined) return found;
  importScript(workspace, found.script);
  return classNamed(document, found.script.path);
}

/** The same of a class that is only looked for: nothing is imported. */
export function classNamed(document: SceneDocument, name: string): ComponentClass {
  const { workspace } = document;
  const { components, scripts } = workspace;
  const spec = components.get(name) ?? document.learned().get(name);
  if (spec !== undefined && !isScriptType(name)) return { spec, name };
  const script = scriptNamed(workspace, name);
  if (script !== undefined) {
    return { spec: scriptSpec(script, scripts), name: script.className, script };
  }
  const short = components.get(`cc.${name}`);
  if (short !== undefined) return { spec: short, name: short.type };
  throw noClass(workspace, name);
}

/** The script of a class, stored type, uuid or path. */
export function scriptNamed(
  { scripts, draft }: Workspace,
  name: string,
): ScriptDescription | undefined {
  if (isScriptType(name)) return scripts.byType(name);
  if (isUuid(name)) return scripts.byUuid(name);
  if (!/^db:\/\/|\.(ts|js)$/.test(name)) return scripts.byClass(name);
  const path = draft.resolve(name);
  const asset = draft.assetAt(path);
  return asset === undefined ? scripts.byPath(path) : scripts.byUuid(asset.uuid);
}

/** Says that there is no such class, and what there is instead. */
export function noClass({ components, scripts }: Workspace, name: string): CocosError {
  const all = [...scripts.all()];
  const asked = name.replace(/^.*\//, '');
  const unread = all.find(
    (other) => isUnread(other) && other.className.toLowerCase() === asked.toLowerCase(),
  );
  if (unread !== undefined) return cannotRead(unread);
  const isPath = /\.(ts|js)$/.test(name);
  const classes = name.startsWith('cc.') ? [] : all.map((other) => other.className);
  const known = isPath ? all.map(({ path }) => path) : [...components.keys(), ...classes];
  const near = nearest(isPath ? name : asked, known);
  const there = isPath || classes.length === 0 ? '' : ` Scripts: ${some(classes)}.`;
  return new CocosError('E_NOT_FOUND', `There is no component class or script "${name}".`, {
    suggestion:
      near.length === 0 ? 'The project has no scripts.' : `Near names: ${near.join(', ')}.${there}`,
    details: { asked: name },
  });
}

const mostNamed = 10;

const some = (names: readonly string[]): string =>
  names.slice(0, mostNamed).join(', ') + (names.length > mostNamed ? ', …' : '');

const isUnread = ({ isComponent, bases }: ScriptDescription): boolean =>
  isComponent === undefined && bases.length === 0;

function cannotRead({ path, problem = '' }: ScriptDescription): CocosError {
  return new CocosError(
    'E_PRECONDITION_FAILED',
    `The script "${path}" cannot be read: ${problem}`,
    {
      suggestion: 'Mend its source first.',
      details: { script: path },
    },
  );
}

function importScript(workspace: Workspace, script: ScriptDescription): void {
  if (isUnread(script)) throw cannotRead(script);
  assetAt(workspace, script.path);
}

/** What is known about a component of an open document; fields that only this one has are added. */
export function componentSpec(document: SceneDocument, item: ViewItem): ComponentSpec {
  const entry = document.view.at(item.index);
  const type = typeOf(entry);
  const { components, scripts } = document.workspace;
  const script = isScriptType(type) ? scripts.byType(type) : undefined;
  const spec = script === undefined ? components.get(type) : scriptSpec(script, scripts);
  const own = learnComponent(entry, (index) => document.view.at(index));
  if (spec === undefined) return merge(own, document.learned().get(type)?.fields ?? []);
  return merge(spec, own.fields);
}

/** What a class is known to have, and what else was seen. */
function merge(spec: ComponentSpec, seen: readonly Field[]): ComponentSpec {
  const known = new Map(spec.fields.map((field) => [field.stored, field]));
  for (const field of seen) {
    const isVague = known.get(field.stored)?.type.kind === 'any';
    if (isVague || !known.has(field.stored)) known.set(field.stored, field);
  }
  return { ...spec, fields: [...known.values()] };
}

/** What people call the class of a component. */
export function className(document: SceneDocument, item: ViewItem): string {
  return typeName(document.workspace, typeOf(document.view.at(item.index)));
}

/** What people call a node or component: `Canvas/Menu`, `Canvas/Menu:cc.Sprite`; of a script, its class. */
export function labelOf(document: SceneDocument, item: ViewItem): string {
  const { view } = document;
  const path = view.path(item.index) || view.name(view.root);
  return item.kind === 'node' ? path : `${path}:${className(document, item)}`;
}

/** What people call a stored class. */
export function typeName({ scripts }: Workspace, type: string): string {
  return (isScriptType(type) ? scripts.byType(type)?.className : undefined) ?? type;
}

const families: Readonly<Record<string, (type: string) => boolean>> = {
  'cc.Button': (type) => type === 'cc.Toggle',
  'cc.ScrollView': (type) => type === 'cc.PageView',
  'cc.Collider2D': (type) => type.endsWith('Collider2D'),
  'cc.Collider': (type) => type.endsWith('Collider'),
  'cc.Light': (type) => type.endsWith('Light'),
};

const rendererBases = new Set(['cc.UIRenderer', 'cc.Renderable2D', 'cc.RenderComponent']);

/** Whether a stored class is the wanted one, or derived from it as far as that is known. */
export function isOfClass(workspace: Workspace, type: string, wanted: string): boolean {
  if (type === wanted || wanted === 'cc.Component' || wanted === '') return true;
  if (families[wanted]?.(type) === true) return true;
  if (rendererBases.has(wanted)) return workspace.components.get(type)?.renderer ?? false;
  if (!isScriptType(type)) return false;
  const script = workspace.scripts.byType(type);
  if (script === undefined) return !wanted.startsWith('cc.');
  const target = workspace.scripts.byClass(wanted) ?? workspace.scripts.byType(wanted);
  if (target?.type === type || script.className === wanted) return true;
  return script.bases.includes(wanted);
}
