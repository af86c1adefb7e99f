import { kindOfEngineClass } from './engine-classes.ts';
import type { PropertyType } from './facts.ts';
import { engineName, enumMadeBy, type Scope } from './scope.ts';
import { bare, child, children, dotted, type Syntax } from './syntax.ts';

/** The type of a property, and whether it holds a list of them. */
export interface Typed {
  readonly type: PropertyType;
  readonly array: boolean;
}

const plainNames: Readonly<Record<string, PropertyType['kind']>> = {
  'cc.CCInteger': 'integer',
  'cc.CCFloat': 'number',
  'cc.CCString': 'string',
  'cc.CCBoolean': 'boolean',
  'cc.Integer': 'integer',
  'cc.Float': 'number',
  Number: 'number',
  String: 'string',
  Boolean: 'boolean',
};

const keywords: Readonly<Record<string, PropertyType['kind']>> = {
  TSNumberKeyword: 'number',
  TSStringKeyword: 'string',
  TSBooleanKeyword: 'boolean',
};

/** What a decorator names as type: a class, `[Class]`, `Enum(Names)`, `() => Class`. */
export function typeOfExpression(node: Syntax | undefined, scope: Scope): Typed | undefined {
  const expression = bare(node);
  switch (expression?.type) {
    case 'ArrayExpression': {
      const inner = typeOfExpression(children(expression, 'elements')[0], scope);
      return inner && { type: inner.type, array: true };
    }
    case 'ArrowFunctionExpression':
      return typeOfExpression(child(expression, 'body'), scope);
    case 'CallExpression': {
      const values = enumMadeBy(expression);
      if (values !== undefined) return one({ kind: 'enum', values });
      const [named] = children(expression, 'arguments');
      const isEnum = dotted(child(expression, 'callee'))?.at(-1) === 'Enum';
      return isEnum ? one(enumNamed(dotted(named), scope)) : undefined;
    }
    default: {
      const names = dotted(expression);
      return names && one(typeOfName(names, scope));
    }
  }
}

/** What a type annotation says: `number`, `Node | null`, `Sprite[]`, `Array<Sprite>`. */
export function typeOfAnnotation(node: Syntax | undefined, scope: Scope): Typed | undefined {
  const keyword = keywords[node?.type ?? ''];
  if (keyword !== undefined) return one({ kind: keyword });
  switch (node?.type) {
    case 'TSTypeAnnotation':
    case 'TSParenthesizedType':
    case 'TSTypeOperator':
      return typeOfAnnotation(child(node, 'typeAnnotation'), scope);
    case 'TSArrayType':
      return listOf(typeOfAnnotation(child(node, 'elementType'), scope));
    case 'TSUnionType': {
      const [only, ...others] = children(node, 'types').filter(({ type }) => !isNothing(type));
      return others.length === 0
        ? typeOfAnnotation(only, scope)
        : unionOfLiterals([only, ...others]);
    }
    case 'TSLiteralType':
      return unionOfLiterals([node]);
    case 'TSTypeReference':
      return typeOfReference(node, scope);
    default:
      return undefined;
  }
}

/** What the first value tells, where nobody says more. */
export function typeOfValue(node: Syntax | undefined, scope: Scope): Typed | undefined {
  const value = bare(node);
  switch (value?.type) {
    case 'Literal':
      return typeOfLiteral(value['value']);
    case 'TemplateLiteral':
      return one({ kind: 'string' });
    case 'UnaryExpression':
      return one({ kind: value['operator'] === '!' ? 'boolean' : 'number' });
    case 'BinaryExpression':
      return typeOfValue(child(value, 'left'), scope);
    case 'ArrayExpression':
      return listOf(typeOfValue(children(value, 'elements')[0], scope) ?? one({ kind: 'unknown' }));
    case 'NewExpression': {
      const names = dotted(child(value, 'callee'));
      return names && one(typeOfName(names, scope));
    }
    default: {
      const names = dotted(value);
      if (names === undefined || names.length < 2) return undefined;
      // `Kind.A` of an enum, `Vec3.ZERO` of a class.
      return one(typeOfName(names.slice(0, -1), scope));
    }
  }
}

const one = (type: PropertyType): Typed => ({ type, array: false });

const listOf = (inner: Typed | undefined): Typed | undefined =>
  inner && { type: inner.type, array: true };

const isNothing = (type: string) => type === 'TSNullKeyword' || type === 'TSUndefinedKeyword';

function typeOfReference(node: Syntax, scope: Scope): Typed | undefined {
  const names = dotted(child(node, 'typeName'));
  if (names === undefined) return undefined;
  if (['Array', 'ReadonlyArray'].includes(names[0] ?? '')) {
    const given = child(node, 'typeArguments') ?? child(node, 'typeParameters');
    return listOf(typeOfAnnotation(children(given, 'params')[0], scope));
  }
  return one(typeOfName(names, scope));
}

function unionOfLiterals(types: readonly (Syntax | undefined)[]): Typed | undefined {
  const kinds = types.map((type) => typeOfLiteral(child(type, 'literal')?.['value'])?.type.kind);
  const [kind] = kinds;
  return kind !== undefined && kinds.every((other) => other === kind) ? one({ kind }) : undefined;
}

function typeOfLiteral(value: unknown): Typed | undefined {
  const kind = typeof value;
  return kind === 'number' || kind === 'string' || kind === 'boolean' ? one({ kind }) : undefined;
}

function enumNamed(names: readonly string[] | undefined, scope: Scope): PropertyType {
  const name = names?.join('.');
  const values = name === undefined ? undefined : scope.enums[name];
  return { kind: 'enum', name, values };
}

/** What a name means as a type; a class of the project is told from an enum of another file by the catalog. */
function typeOfName(names: readonly string[], scope: Scope): PropertyType {
  const name = engineName(names, scope) ?? names.join('.');
  const plain = plainNames[name];
  if (plain !== undefined) return { kind: plain };
  if (scope.enums[name] !== undefined) return enumNamed(names, scope);
  if (name.startsWith('cc.') || name.startsWith('sp.') || name.startsWith('dragonBones.')) {
    return { kind: kindOfEngineClass(name), name };
  }
  return { kind: 'class', name };
}
