import type { Json, JsonObject } from '#cocos/document';
import { constantValue, makeValue } from './engine-classes.ts';
import { compute, engineName, type Scope } from './scope.ts';
import { bare, child, children, dotted, keyOf, textOf, type Syntax } from './syntax.ts';

/** Deeper than anybody writes, and shallow enough for constants that name each other. */
const maxDepth = 32;

/** The value of an expression as it is stored; undefined where it cannot be known without running it. */
export function constantOf(node: Syntax | undefined, scope: Scope, depth = 0): Json | undefined {
  const expression = bare(node);
  if (expression === undefined || depth > maxDepth) return undefined;
  const inner = (part: Syntax | undefined) => constantOf(part, scope, depth + 1);
  switch (expression.type) {
    case 'Literal':
      return literalOf(expression['value']);
    case 'TemplateLiteral':
      return templateOf(expression);
    case 'ArrayExpression':
      return allKnown(children(expression, 'elements').map(inner));
    case 'ObjectExpression':
      return objectOf(expression, inner);
    case 'UnaryExpression':
    case 'BinaryExpression':
      return computed(expression, inner);
    case 'NewExpression':
    case 'CallExpression':
      return made(expression, scope, inner);
    default:
      return named(expression, scope, inner);
  }
}

type Inner = (part: Syntax | undefined) => Json | undefined;

function literalOf(value: unknown): Json | undefined {
  const isPlain = value === null || ['number', 'string', 'boolean'].includes(typeof value);
  return isPlain ? (value as Json) : undefined;
}

function templateOf(expression: Syntax): string | undefined {
  const [quasi, ...others] = children(expression, 'quasis');
  const cooked = (quasi?.['value'] as { cooked?: unknown } | undefined)?.cooked;
  return others.length === 0 && typeof cooked === 'string' ? cooked : undefined;
}

function allKnown(values: readonly (Json | undefined)[]): Json[] | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === values.length ? known : undefined;
}

function objectOf(expression: Syntax, inner: Inner): JsonObject | undefined {
  const object: Record<string, Json> = {};
  for (const property of children(expression, 'properties')) {
    const key = keyOf(property);
    const value = inner(child(property, 'value'));
    if (key === undefined || key === '__proto__' || value === undefined) return undefined;
    object[key] = value;
  }
  return object;
}

function computed(expression: Syntax, inner: Inner): Json | undefined {
  const operator = textOf(expression, 'operator');
  const isUnary = expression.type === 'UnaryExpression';
  const right = inner(child(expression, isUnary ? 'argument' : 'right'));
  if (isUnary && operator === '!') return right === undefined ? undefined : !right;
  const left = isUnary ? 0 : inner(child(expression, 'left'));
  if (typeof left === 'string' && typeof right === 'string' && operator === '+') {
    return left + right;
  }
  if (typeof left !== 'number' || typeof right !== 'number') return undefined;
  return compute(left, operator, right);
}

/** `new Vec3(1, 2, 3)`, `v3(1, 2, 3)`, `Color.WHITE.clone()`. */
function made(expression: Syntax, scope: Scope, inner: Inner): Json | undefined {
  const callee = child(expression, 'callee');
  const names = dotted(callee);
  if (expression.type === 'CallExpression' && names?.at(-1) === 'clone') {
    return inner(child(callee, 'object'));
  }
  const name = names && engineName(names, scope);
  const given = allKnown(children(expression, 'arguments').map(inner));
  return name === undefined || given === undefined ? undefined : makeValue(name, given);
}

/** A member of an enum, a constant of this file, or one of the engine. */
function named(expression: Syntax, scope: Scope, inner: Inner): Json | undefined {
  const names = dotted(expression);
  if (names === undefined) return undefined;
  const [first = '', second] = names;
  if (second !== undefined && names.length === 2) {
    const value = scope.enums[first]?.[second];
    if (value !== undefined) return value;
  }
  const constant = names.length === 1 ? scope.constants.get(first) : undefined;
  if (constant !== undefined) return inner(constant);
  const name = engineName(names, scope);
  return name === undefined ? undefined : constantValue(name);
}
