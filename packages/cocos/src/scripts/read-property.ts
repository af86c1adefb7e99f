import type { Json } from '#cocos/document';
import { constantOf } from './constant.ts';
import { makeValue } from './engine-classes.ts';
import type { PropertyType, ScriptProperty } from './facts.ts';
import { typeOfAnnotation, typeOfExpression, typeOfValue, type Typed } from './property-type.ts';
import type { Scope } from './scope.ts';
import { bare, child, children, dotted, keyOf, member, textOf, type Syntax } from './syntax.ts';

/** A decorator with the name the engine has for it. */
interface Decorator {
  readonly name: string;
  readonly given: readonly Syntax[];
}

/** The decorators of a class or member. */
export function decoratorsOf(node: Syntax, scope: Scope): Decorator[] {
  return children(node, 'decorators').flatMap((decorator) => {
    const expression = child(decorator, 'expression');
    const isCall = expression?.type === 'CallExpression';
    const local = dotted(isCall ? child(expression, 'callee') : expression)?.at(-1);
    if (local === undefined) return [];
    const name = scope.decorators.get(local) ?? local;
    return [{ name, given: isCall ? children(expression, 'arguments') : [] }];
  });
}

/** The decorators that make the engine store a field; some of them name its type. */
const storing: Readonly<Record<string, PropertyType['kind'] | undefined>> = {
  property: undefined,
  type: undefined,
  serializable: undefined,
  integer: 'integer',
  float: 'number',
  string: 'string',
  boolean: 'boolean',
};

/** A member of a class as a property; undefined for one the engine does not know of. */
export function readProperty(node: Syntax, scope: Scope): ScriptProperty | undefined {
  const name = keyOf(node);
  const decorators = decoratorsOf(node, scope).filter((decorator) => decorator.name in storing);
  if (name === undefined || node['static'] === true || decorators.length === 0) return undefined;
  const kind = textOf(node, 'kind');
  const isField = node.type === 'PropertyDefinition';
  if (!isField && kind !== 'get' && kind !== 'set') return undefined;
  const options = decorators.find((decorator) => decorator.given[0]?.type === 'ObjectExpression')
    ?.given[0];
  const typed = typedBy(node, decorators, scope);
  const tooltip = constantOf(member(options, 'tooltip'), scope);
  const initial = isField
    ? defaultOf(child(node, 'value'), typed, scope)
    : { default: null, defaultKnown: true };
  return {
    name,
    ...typed,
    ...initial,
    serialized: isField && constantOf(member(options, 'serializable'), scope) !== false,
    tooltip: typeof tooltip === 'string' ? tooltip : undefined,
  };
}

/** The decorator speaks first, then the annotation, then the value; but a list is a list whoever says so. */
function typedBy(node: Syntax, decorators: readonly Decorator[], scope: Scope): Typed {
  const written = typeOfAnnotation(annotationOf(node), scope);
  const shown = typeOfValue(child(node, 'value'), scope);
  const isList = (written?.array ?? false) || (shown?.array ?? false);
  for (const { name, given } of decorators) {
    const kind = storing[name];
    if (kind !== undefined) return { type: { kind }, array: isList };
    const [first] = given;
    const isOptions = first?.type === 'ObjectExpression';
    const typed = typeOfExpression(isOptions ? member(first, 'type') : first, scope);
    if (typed !== undefined) return { type: typed.type, array: typed.array || isList };
  }
  const isVague = written === undefined || written.type.kind === 'unknown';
  return (isVague ? shown : written) ?? { type: { kind: 'unknown' }, array: false };
}

function annotationOf(node: Syntax): Syntax | undefined {
  const own = child(node, 'typeAnnotation');
  if (own !== undefined) return own;
  const accessor = child(node, 'value');
  const [parameter] = children(accessor, 'params');
  return child(accessor, 'returnType') ?? child(parameter, 'typeAnnotation');
}

type Default = Pick<ScriptProperty, 'default' | 'defaultKnown' | 'creates'>;

function defaultOf(value: Syntax | undefined, typed: Typed, scope: Scope): Default {
  const isAbsent = value === undefined || dotted(value)?.[0] === 'undefined';
  if (isAbsent) return { default: emptyValue(typed), defaultKnown: true };
  const known = constantOf(value, scope);
  if (known !== undefined) return { default: known, defaultKnown: true };
  const expression = bare(value);
  const creates =
    expression?.type === 'NewExpression' ? dotted(child(expression, 'callee')) : undefined;
  if (creates !== undefined && typed.type.kind === 'class' && !typed.array) {
    return { default: null, defaultKnown: true, creates: typed.type.name ?? creates.join('.') };
  }
  return { default: emptyValue(typed), defaultKnown: false };
}

/** What a field has that nobody gave a value. */
function emptyValue({ type, array }: Typed): Json {
  if (array) return [];
  switch (type.kind) {
    case 'number':
    case 'integer':
    case 'enum':
      return 0;
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'value':
      return makeValue(type.name ?? '', []) ?? null;
    default:
      return null;
  }
}
