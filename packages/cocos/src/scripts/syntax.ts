/** A node of the syntax tree (ESTree with TypeScript); what else it has depends on its type. */
export interface Syntax {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Reads the syntax of a source. */
export type Parse = (source: string) => Syntax;

let parser: Promise<Parse> | undefined;

/** Loads the parser on first use: whoever never looks at a script does not pay for it. */
export function loadParser(): Promise<Parse> {
  parser ??= makeParser();
  return parser;
}

async function makeParser(): Promise<Parse> {
  const [{ Parser }, { tsPlugin }] = await Promise.all([
    import('acorn'),
    import('@sveltejs/acorn-typescript'),
  ]);
  const TypeScriptParser = Parser.extend(tsPlugin());
  let tokens = 0;
  const reader = TypeScriptParser.prototype as unknown as Reader;
  const { nextToken } = reader;
  reader.nextToken = function next() {
    tokens += 1;
    // What may be one thing or another is read twice, and what is inside of it four times.
    if (tokens > maxTokens) throw new RangeError(`more than ${maxTokens} tokens`);
    nextToken.call(this);
  };
  return (source) => {
    tokens = 0;
    // The tree is plain data, and its own types do not know TypeScript.
    return TypeScriptParser.parse(source, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      allowHashBang: true,
    }) as unknown as Syntax;
  };
}

/** Of some thousand lines; each takes a microsecond or two. */
const maxTokens = 50_000;

/** What all of a parser goes through, and its types do not show. */
interface Reader {
  nextToken(): void;
}

/** The child of that name, if it is a node. */
export function child(node: Syntax | undefined, key: string): Syntax | undefined {
  const value = node?.[key];
  return isSyntax(value) ? value : undefined;
}

/** The children of that name that are nodes. */
export function children(node: Syntax | undefined, key: string): Syntax[] {
  const value = node?.[key];
  return Array.isArray(value) ? value.filter(isSyntax) : [];
}

/** The text of that name, if it is one. */
export function textOf(node: Syntax | undefined, key: string): string | undefined {
  const value = node?.[key];
  return typeof value === 'string' ? value : undefined;
}

function isSyntax(value: unknown): value is Syntax {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** The expression without the type assertions around it. */
export function bare(node: Syntax | undefined): Syntax | undefined {
  const wraps = [
    'TSAsExpression',
    'TSTypeAssertion',
    'TSNonNullExpression',
    'TSSatisfiesExpression',
  ];
  let inner = node;
  while (inner !== undefined && wraps.includes(inner.type)) inner = child(inner, 'expression');
  return inner;
}

/** The names of `a.b.c`; undefined for everything else. */
export function dotted(node: Syntax | undefined): string[] | undefined {
  const expression = bare(node);
  if (expression?.type === 'Identifier') return [textOf(expression, 'name') ?? ''];
  const isName = expression?.type === 'TSQualifiedName';
  if (!isName && (expression?.type !== 'MemberExpression' || expression['computed'] === true)) {
    return undefined;
  }
  const object = dotted(child(expression, isName ? 'left' : 'object'));
  const last = textOf(child(expression, isName ? 'right' : 'property'), 'name');
  return object === undefined || last === undefined ? undefined : [...object, last];
}

/** The name of a property or member that is written out. */
export function keyOf(node: Syntax): string | undefined {
  if (node['computed'] === true) return undefined;
  const key = child(node, 'key') ?? child(node, 'id');
  if (key?.type === 'Identifier') return textOf(key, 'name');
  const value = key?.type === 'Literal' ? key['value'] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** The value of a key of an object that is written out. */
export function member(object: Syntax | undefined, key: string): Syntax | undefined {
  if (object?.type !== 'ObjectExpression') return undefined;
  const found = children(object, 'properties').find((property) => keyOf(property) === key);
  return child(found, 'value');
}
