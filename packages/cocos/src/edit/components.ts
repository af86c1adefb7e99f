import { type ComponentSpec, initialFields, makeValue, newComponent } from '#cocos/components';
import {
  type Change,
  CocosError,
  insertComponent,
  type OwnEntry,
  removeComponent as removeIn,
  setValue,
  typeOf,
  type ViewItem,
} from '#cocos/document';
import {
  className,
  type ComponentClass,
  componentSpec,
  findClass,
  isOfClass,
  typeName,
} from './component-class.ts';
import { checkEvents } from './events.ts';
import { applyPlan, planProperties, type Properties } from './properties.ts';
import { requireComponentItem, requireInnerNode } from './references.ts';
import type { SceneDocument } from './workspace.ts';

/** A component to add. */
export interface ComponentAddition {
  /** An engine class (`cc.Sprite`), a class of a script, or the path or uuid of a script. */
  readonly type: string;
  readonly properties?: Properties | undefined;
}

/** What adding a component did. */
export interface ComponentAdded {
  readonly component: string;
  /** All that was added, with what the class requires. */
  readonly added: readonly { readonly handle: string; readonly type: string }[];
  readonly warnings: readonly string[];
  readonly changes: readonly Change[];
}

/** Adds a component to a node, with the components that its class requires, and sets properties. */
export function addComponent(
  document: SceneDocument,
  reference: string,
  { type, properties = {} }: ComponentAddition,
): ComponentAdded {
  const node = requireInnerNode(document, reference);
  const wanted = findClass(document, type);
  if (wanted.script?.isComponent === false) {
    throw new CocosError('E_INVALID_ARGUMENT', `${wanted.name} is not a component.`, {
      suggestion: `The class in "${wanted.script.path}" must extend Component.`,
    });
  }
  const classes = classesToAdd(document, node, wanted);
  const warnings =
    wanted.script?.problem === undefined ? [] : [unread(wanted, wanted.script.problem)];
  const owner = { spec: openSpec(wanted, properties), label: wanted.name };
  const plan = planProperties(document, owner, properties);
  warnings.push(...checkEvents(document, plan));
  const changes: Change[] = [];
  const added = classes.map(({ spec, name }) => {
    // By its handle: inside an instance, what was added before may have given the node another number.
    const here = document.view.get(node.handle);
    const values = initialValues(document, spec, { node: here, classes });
    const objects = [newComponent(spec.type, values)];
    const made = insertComponent(document.view, { objects }, { node: here.index });
    changes.push(...made.changes);
    const item = document.view.item(made.index);
    if (item === undefined) {
      throw new CocosError('E_INTERNAL', `The new ${name} is not part of the tree.`);
    }
    return { item, type: name };
  });
  const component = added[classes.indexOf(wanted)]?.item;
  if (component === undefined) {
    throw new CocosError('E_INTERNAL', `The new ${wanted.name} was not added.`);
  }
  changes.push(...applyPlan(document, component, { spec: owner.spec, plan }));
  return {
    component: component.handle,
    added: added.map(({ item, type: name }) => ({ handle: item.handle, type: name })),
    warnings,
    changes,
  };
}

function unread({ name }: ComponentClass, problem: string): string {
  return `The properties of ${name} are not checked: ${problem}`;
}

/** Of a script that cannot be read any property may be set. */
function openSpec({ spec, script }: ComponentClass, properties: Properties): ComponentSpec {
  if (script?.problem === undefined) return spec;
  const names = Object.keys(properties).filter((name) => !name.includes('.'));
  const fields = names.map((name) => ({ stored: name, name, type: { kind: 'any' } as const }));
  return { ...spec, fields: [...spec.fields, ...fields] };
}

/** A mask cuts by the sprite of its node, or else by graphics that are not seen. */
function initialValues(
  { view }: SceneDocument,
  spec: ComponentSpec,
  { node, classes }: { readonly node: ViewItem; readonly classes: readonly ComponentClass[] },
): OwnEntry {
  const values = initialFields(spec);
  const hasSprite = view
    .components(node.index)
    .some(({ index }) => typeOf(view.at(index)) === 'cc.Sprite');
  const isOfMask = classes.some((other) => other.spec.type === 'cc.Mask');
  if (spec.type === 'cc.Mask' && hasSprite) return { ...values, _type: 3 };
  if (spec.type !== 'cc.Graphics' || !isOfMask) return values;
  return { ...values, _fillColor: makeValue('cc.Color', 255, 255, 255, 0) };
}

/** What has to be added, in order; fails where the class does not go with what is there. */
function classesToAdd(
  document: SceneDocument,
  node: ViewItem,
  wanted: ComponentClass,
): ComponentClass[] {
  const present = document.view
    .components(node.index)
    .map(({ index }) => typeOf(document.view.at(index)));
  const classes: ComponentClass[] = [];
  const add = (next: ComponentClass): void => {
    for (const name of next.spec.requires) addMissing(name);
    checkFits(document, next, [...present, ...classes.map(({ spec }) => spec.type)]);
    classes.push(next);
    const brings = next.spec.brings.filter((name) => !isDrawn(document, present, name));
    for (const name of brings) addMissing(name);
  };
  const addMissing = (name: string): void => {
    const types = [...present, ...classes.map(({ spec }) => spec.type)];
    if (types.some((type) => isOfClass(document.workspace, type, name))) return;
    try {
      add(findClass(document, name));
    } catch (error) {
      throw needing(wanted, name, error);
    }
  };
  add(wanted);
  return classes;
}

/** Says for whose sake something was to be added that does not go with the node. */
function needing(wanted: ComponentClass, name: string, error: unknown): unknown {
  if (!(error instanceof CocosError) || error.message.startsWith(`${wanted.name} `)) return error;
  const { code, details } = error;
  return new CocosError(code, `${wanted.name} needs a ${name}. ${error.message}`, {
    suggestion: `Add the ${wanted.name} to a node that has a ${name}, or to a new one.`,
    details,
    cause: error,
  });
}

/** A mask uses the sprite of its node where there is one. */
function isDrawn({ workspace }: SceneDocument, present: readonly string[], name: string): boolean {
  const isRenderer = (type: string): boolean => workspace.components.get(type)?.renderer ?? false;
  return isRenderer(name) && present.includes('cc.Sprite');
}

function checkFits(
  { workspace }: SceneDocument,
  { spec, name }: ComponentClass,
  types: readonly string[],
): void {
  if (spec.single && types.includes(spec.type)) {
    throw new CocosError('E_CONFLICT', `The node has a ${name} already.`, {
      suggestion: 'Set the properties of the one that is there.',
    });
  }
  const other = spec.renderer
    ? types.find((type) => workspace.components.get(type)?.renderer)
    : undefined;
  if (other === undefined) return;
  throw new CocosError(
    'E_CONFLICT',
    `The node is drawn by ${other}; it cannot have a ${name}, too.`,
    { suggestion: `Remove the ${other}, or add the ${name} to a child.` },
  );
}

/** Removes a component; fails where another component of the node requires it, unless forced. */
export function removeComponent(
  document: SceneDocument,
  reference: string,
  { force = false }: { readonly force?: boolean | undefined } = {},
): { changes: Change[] } {
  const item = requireComponentItem(document, reference);
  const { view, workspace } = document;
  const type = typeOf(view.at(item.index));
  const siblings = view
    .components(item.owner ?? view.root)
    .filter(({ index }) => index !== item.index);
  const types = siblings.map(({ index }) => typeOf(view.at(index)));
  const user = siblings.find((other) =>
    componentSpec(document, other).requires.some(
      (name) =>
        isOfClass(workspace, type, name) && !types.some((left) => isOfClass(workspace, left, name)),
    ),
  );
  if (user !== undefined && !force) {
    throw new CocosError(
      'E_PRECONDITION_FAILED',
      `${typeName(workspace, type)} is required by the ${className(document, user)} of the node.`,
      { suggestion: 'Remove that first, or pass force: true.' },
    );
  }
  return { changes: removeIn(view, item.index) };
}

/** Switches a component on or off. */
export function setComponentEnabled(
  document: SceneDocument,
  reference: string,
  enabled: boolean,
): { changes: Change[] } {
  const { index } = requireComponentItem(document, reference);
  return { changes: setValue(document.view, index, { path: ['_enabled'], value: enabled }) };
}
