import type { ScriptImport } from './facts.ts';
import { bare, child, children, dotted, keyOf, textOf, type Syntax } from './syntax.ts';

type EnumValues = Record<string, number | string>;

/** The names that a script knows at its top level. */
export interface Scope {
  readonly imports: readonly ScriptImport[];
  readonly enums: Readonly<Record<string, EnumValues>>;
  /** Constants by name. */
  readonly constants: ReadonlyMap<string, Syntax>;
  /** What decorators are called here: `prop` for `property`. */
  readonly decorators: ReadonlyMap<string, string>;
}

/** Collects the names of a script. */
export function readScope(program: Syntax): Scope {
  const imports: ScriptImport[] = [];
  const enums: Record<string, EnumValues> = {};
  const constants = new Map<string, Syntax>();
  const decorators = new Map<string, string>();
  for (const statement of children(program, 'body')) {
    const declaration = child(statement, 'declaration') ?? statement;
    if (statement.type === 'ImportDeclaration') {
      imports.push(...readImports(statement));
    } else if (declaration.type === 'TSEnumDeclaration') {
      const name = textOf(child(declaration, 'id'), 'name');
      if (name !== undefined) enums[name] = readEnum(declaration);
    } else if (declaration.type === 'VariableDeclaration') {
      for (const variable of children(declaration, 'declarations')) {
        readVariable(variable, { enums, constants, decorators });
      }
    }
  }
  return { imports, enums, constants, decorators };
}

function readImports(statement: Syntax): ScriptImport[] {
  const from = child(statement, 'source')?.['value'];
  return children(statement, 'specifiers').map((specifier) => {
    const imported = child(specifier, 'imported');
    const whole = specifier.type === 'ImportNamespaceSpecifier' ? '*' : 'default';
    return {
      local: textOf(child(specifier, 'local'), 'name') ?? '',
      imported: textOf(imported, 'name') ?? textOf(imported, 'value') ?? whole,
      from: typeof from === 'string' ? from : '',
    };
  });
}

interface Names {
  readonly enums: Record<string, EnumValues>;
  readonly constants: Map<string, Syntax>;
  readonly decorators: Map<string, string>;
}

function readVariable(variable: Syntax, { enums, constants, decorators }: Names): void {
  const target = child(variable, 'id');
  const value = bare(child(variable, 'init'));
  const name = textOf(target, 'name');
  if (target?.type === 'ObjectPattern' && dotted(value)?.at(-1) === '_decorator') {
    for (const property of children(target, 'properties')) {
      const local = textOf(child(property, 'value'), 'name');
      const original = keyOf(property);
      if (local !== undefined && original !== undefined) decorators.set(local, original);
    }
  } else if (name !== undefined && value !== undefined) {
    const made = enumMadeBy(value);
    if (made === undefined) constants.set(name, value);
    else enums[name] = made;
  }
}

/** The names of `Enum({ A: 0, B: -1 })`; a negative number there means one more than the one before. */
export function enumMadeBy(call: Syntax): EnumValues | undefined {
  const [object] = children(call, 'arguments');
  if (call.type !== 'CallExpression' || dotted(child(call, 'callee'))?.at(-1) !== 'Enum') {
    return undefined;
  }
  if (object?.type !== 'ObjectExpression') return undefined;
  const members = children(object, 'properties').map(
    (property) => [keyOf(property), child(property, 'value')] as const,
  );
  return countUp(members, (value) => value < 0);
}

function readEnum(declaration: Syntax): EnumValues {
  const members = children(child(declaration, 'body') ?? declaration, 'members').map(
    (entry) => [keyOf(entry), child(entry, 'initializer')] as const,
  );
  return countUp(members, () => false);
}

type EnumMember = readonly [name: string | undefined, initializer: Syntax | undefined];

function countUp(members: readonly EnumMember[], isNext: (value: number) => boolean): EnumValues {
  const values: EnumValues = {};
  let next = 0;
  for (const [name, initializer] of members) {
    if (name === undefined) continue;
    const value = enumValue(initializer, values);
    if (typeof value === 'string') {
      values[name] = value;
    } else {
      const number = value === undefined || isNext(value) ? next : value;
      values[name] = number;
      next = number + 1;
    }
  }
  return values;
}

/** The value of a member of an enum: a number, a text, a shift or union of members before it. */
function enumValue(node: Syntax | undefined, known: EnumValues): number | string | undefined {
  const value = bare(node);
  if (value === undefined) return undefined;
  if (value.type === 'Literal') {
    const literal = value['value'];
    return typeof literal === 'number' || typeof literal === 'string' ? literal : undefined;
  }
  const name = dotted(value)?.at(-1);
  if (name !== undefined) return known[name];
  const right = enumValue(child(value, 'right') ?? child(value, 'argument'), known);
  if (typeof right !== 'number') return undefined;
  const left = value.type === 'BinaryExpression' ? enumValue(child(value, 'left'), known) : 0;
  return typeof left === 'number' ? compute(left, textOf(value, 'operator'), right) : undefined;
}

/** What an operator makes of two numbers; undefined for one that is not for numbers. */
export function compute(
  left: number,
  operator: string | undefined,
  right: number,
): number | undefined {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    case '**':
      return left ** right;
    case '<<':
      return left << right;
    case '>>':
      return left >> right;
    case '|':
      return left | right;
    case '&':
      return left & right;
    case '~':
      return ~right;
    default:
      return undefined;
  }
}

/** The name by which the engine knows what `a.b` names here: `cc.Label` for an imported `Label`. */
export function engineName(names: readonly string[], scope: Scope): string | undefined {
  const [first, ...rest] = names;
  if (first === 'cc' && rest.length > 0) return spaced(rest);
  const found = scope.imports.find(({ local, from }) => local === first && isEngine(from));
  if (found === undefined) return undefined;
  return spaced(found.imported === '*' ? rest : [found.imported, ...rest]);
}

const isEngine = (from: string) => from === 'cc' || from.startsWith('cc/');

/** Spine and DragonBones have spaces of their own. */
function spaced(names: readonly string[]): string {
  const name = names.join('.');
  return names[0] === 'sp' || names[0] === 'dragonBones' ? name : `cc.${name}`;
}
