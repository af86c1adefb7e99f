import { constantOf } from './constant.ts';
import type { ScriptClass, ScriptFacts, ScriptProperty } from './facts.ts';
import { decoratorsOf, readProperty } from './read-property.ts';
import { engineName, readScope, type Scope } from './scope.ts';
import {
  bare,
  child,
  children,
  dotted,
  keyOf,
  loadParser,
  type Parse,
  textOf,
  type Syntax,
} from './syntax.ts';

/** Reads the classes of a script without running it; a source that cannot be parsed is a problem in the answer. */
export type ReadScript = (source: string) => ScriptFacts;

/** Loads what reads scripts. */
export async function loadScriptReader(): Promise<ReadScript> {
  const parse = await loadParser();
  return (source) => readScript(source, parse);
}

function readScript(source: string, parse: Parse): ScriptFacts {
  let program: Syntax;
  try {
    program = parse(source.replace(/^\uFEFF/, ''));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { classes: [], imports: [], enums: {}, problem };
  }
  const scope = readScope(program);
  const classes = children(program, 'body')
    .map((statement) => moveDecorators(statement))
    .filter((node) => node.type === 'ClassDeclaration')
    .map((node) => readClass(node, scope));
  return { classes, imports: scope.imports, enums: scope.enums };
}

/** Decorators may stand before `export` and then belong to the statement. */
function moveDecorators(statement: Syntax): Syntax {
  const declaration = child(statement, 'declaration');
  if (declaration === undefined) return statement;
  const decorators = [...children(statement, 'decorators'), ...children(declaration, 'decorators')];
  return { ...declaration, decorators };
}

function readClass(node: Syntax, scope: Scope): ScriptClass {
  const decorators = decoratorsOf(node, scope);
  const own = decorators.find(({ name }) => name === 'ccclass');
  const given = constantOf(own?.given[0], scope);
  const name = textOf(child(node, 'id'), 'name') ?? '';
  const base = nameOf(child(node, 'superClass'), scope);
  const requires = decorators
    .filter((decorator) => decorator.name === 'requireComponent')
    .flatMap((decorator) => required(decorator.given[0], scope));
  return {
    name,
    className: typeof given === 'string' ? given : name,
    decorated: own !== undefined,
    base,
    requires,
    properties: mergeAccessors(
      children(child(node, 'body'), 'body').flatMap((part) => readProperty(part, scope) ?? []),
    ),
    methods: children(child(node, 'body'), 'body').flatMap((part) => methodOf(part) ?? []),
  };
}

/** The name of a method, or of a field that holds a function. */
function methodOf(node: Syntax): string | undefined {
  if (node['static'] === true) return undefined;
  const isMethod = node.type === 'MethodDefinition' && textOf(node, 'kind') === 'method';
  const value = bare(child(node, 'value'))?.type ?? '';
  const isFunction = node.type === 'PropertyDefinition' && /^(Arrow)?Function/.test(value);
  return isMethod || isFunction ? keyOf(node) : undefined;
}

/** A getter and its setter are one property. */
function mergeAccessors(properties: readonly ScriptProperty[]): ScriptProperty[] {
  const byName = new Map<string, ScriptProperty>();
  for (const property of properties) {
    if (!byName.has(property.name)) byName.set(property.name, property);
  }
  return [...byName.values()];
}

function required(node: Syntax | undefined, scope: Scope): string[] {
  const nodes = node?.type === 'ArrayExpression' ? children(node, 'elements') : [node];
  return nodes.flatMap((element) => nameOf(element, scope) ?? []);
}

function nameOf(node: Syntax | undefined, scope: Scope): string | undefined {
  const names = dotted(node);
  return names && (engineName(names, scope) ?? names.join('.'));
}
