import { nearest } from '#cocos/components';
import {
  CocosError,
  getValue,
  isList,
  isObject,
  type Json,
  type JsonObject,
  refIndex,
  textOf,
  typeOf,
} from '#cocos/document';
import { isOfClass, typeName } from './component-class.ts';
import type { PlannedValue } from './properties.ts';
import type { SceneDocument } from './workspace.ts';

/** How a file stores an event: which method of which component of which node to call. */
const eventClass = 'cc.ClickEvent';

/** Looks at the events that values would make: refuses one whose method the script does not have; answers what else will not work. */
export function checkEvents(
  document: SceneDocument,
  plan: readonly PlannedValue[],
  index?: number,
): string[] {
  const parts = new Map<string, JsonObject>();
  const events: JsonObject[] = [];
  for (const { path, value } of plan) {
    events.push(...eventsIn(value));
    const around = index === undefined ? undefined : eventAround(document, index, path);
    if (around === undefined) continue;
    const key = path.slice(0, -1).join('.');
    const part = parts.get(key) ?? around;
    parts.set(key, { ...part, [path.at(-1) ?? '']: value });
  }
  return [...events, ...parts.values()].flatMap((event) => checkEvent(document, event));
}

function eventsIn(value: Json): JsonObject[] {
  if (isList(value)) return value.flatMap((part) => eventsIn(part));
  if (!isObject(value)) return [];
  if (typeOf(value) === eventClass) return [value];
  return Object.values(value).flatMap((part) => eventsIn(part));
}

/** The event of which a path names a part. */
function eventAround(
  { view }: SceneDocument,
  index: number,
  path: readonly string[],
): JsonObject | undefined {
  const value = getValue(view, index, path.slice(0, -1)) ?? null;
  const at = refIndex(value);
  const around = at === undefined ? value : view.at(at);
  return isObject(around) && typeOf(around) === eventClass ? around : undefined;
}

function checkEvent(document: SceneDocument, event: JsonObject): string[] {
  const { view, workspace } = document;
  const handler = textOf(event['handler']);
  // Without a method it is one that somebody is still making.
  if (handler === '') return [];
  const type = textOf(event['_componentId']);
  const target = refIndex(event['target']);
  if (type === '' && textOf(event['component']) === '') throw withoutComponent(handler);
  checkMethod(document, type, handler);
  const name = typeName(workspace, type);
  if (target === undefined) return [`The event that calls ${name}.${handler} has no target node.`];
  const present = view.components(target).map(({ index }) => typeOf(view.at(index)));
  if (type === '' || present.some((other) => isOfClass(workspace, other, type))) return [];
  return [
    `The event calls ${name}.${handler}, but "${view.label(target)}" has no ${name} yet: add it there.`,
  ];
}

function withoutComponent(handler: string): CocosError {
  return new CocosError(
    'E_INVALID_ARGUMENT',
    `The event names the method "${handler}", but no component.`,
    { suggestion: 'Give the class that has it: {"target", "component", "handler"}.' },
  );
}

/** Only of a script that is known up to the class of the engine can it be said what it does not have. */
function checkMethod({ workspace }: SceneDocument, type: string, handler: string): void {
  const script = workspace.scripts.byType(type);
  if (script === undefined || script.problem !== undefined) return;
  const { methods, className } = script;
  if (script.bases.at(-1) !== 'cc.Component' || methods.includes(handler)) return;
  const [near] = nearest(handler, methods);
  throw new CocosError('E_INVALID_ARGUMENT', `${className} has no method "${handler}".`, {
    suggestion:
      near === undefined
        ? `Write it in "${script.path}" first.`
        : `Did you mean ${near}? It has: ${methods.join(', ')}.`,
    details: { script: script.path, methods: [...methods] },
  });
}
