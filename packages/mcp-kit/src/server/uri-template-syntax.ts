import { KitError } from '#base';

/** How the expansion of an expression looks (RFC 6570, appendix A). */
interface Operator {
  /** What it starts with; without it, an expansion has at least one character. */
  readonly first: string;
  readonly separator: string;
  /** Characters it never contains. */
  readonly stops: string;
  /** The items are `name=value`. */
  readonly named?: boolean;
  /** The last value may contain the separator. */
  readonly open?: boolean;
}

const simple: Operator = { first: '', separator: ',', stops: '/?#', open: true };
const operators: Readonly<Record<string, Operator>> = {
  '+': { first: '', separator: ',', stops: '', open: true },
  '#': { first: '#', separator: ',', stops: '', open: true },
  '.': { first: '.', separator: '.', stops: '/?#', open: true },
  '/': { first: '/', separator: '/', stops: '?#' },
  ';': { first: ';', separator: ';', stops: '/?#', named: true },
  '?': { first: '?', separator: '&', stops: '#', named: true },
  '&': { first: '&', separator: '&', stops: '#', named: true },
};

/** One name of an expression, with its modifiers. */
export interface Variable {
  readonly name: string;
  readonly explode: boolean;
  /** In characters: finite for a prefix (`:n`). */
  readonly maxLength: number;
}

/** What stands between two braces. */
export interface Expression extends Operator {
  readonly variables: readonly Variable[];
}

/** Expressions with no literal between them, and the literal after them. */
export interface Run {
  readonly expressions: readonly Expression[];
  readonly literal: string;
  /** 1 at the code of each character that none of the expressions can contain. */
  readonly stopCodes: Uint8Array;
}

/** A template taken apart: the literal it starts with, and what follows. */
export interface Syntax {
  readonly start: string;
  readonly runs: readonly Run[];
}

const variableSyntax =
  /^((?:\w|%[\dA-Fa-f]{2})(?:\.?(?:\w|%[\dA-Fa-f]{2}))*)(?:(\*)|:([1-9]\d{0,3}))?$/;

/** Takes a template apart; a malformed or ambiguous one is a `KitError`. */
export function parseSyntax(template: string): Syntax {
  const wrong = (what: string): KitError =>
    new KitError('invalid_argument', `URI template "${template}": ${what}`);
  // `{?a}{&b}` is one list of pairs.
  const [start = '', ...pieces] = template.replace(/(?<=\{[?&][^{}]*)\}\{&/g, ',').split('{');
  if (start.includes('}')) throw wrong('a "}" without its "{"');

  const runs: Run[] = [];
  let expressions: Expression[] = [];
  for (const [index, piece] of pieces.entries()) {
    const [source = '', literal, ...more] = piece.split('}');
    if (literal === undefined) throw wrong(`"{${source}" is not closed`);
    if (more.length > 0) throw wrong('a "}" without its "{"');
    const expression = parseExpression(source);
    if (expression === undefined) throw wrong(`"{${source}}" is not a valid expression`);
    if (expressions.length > 0 && expression.first === '') {
      throw wrong(`nothing tells where "{${source}}" begins; put a literal before it`);
    }
    expressions.push(expression);
    if (literal === '' && index < pieces.length - 1) continue;
    runs.push({ expressions, literal, stopCodes: commonStops(expressions) });
    expressions = [];
  }
  return { start, runs };
}

function parseExpression(source: string): Expression | undefined {
  const known = operators[source.charAt(0)];
  const list = known === undefined ? source : source.slice(1);
  const variables: Variable[] = [];
  for (const item of list.split(',')) {
    const [, name, star, length] = variableSyntax.exec(item) ?? [];
    if (name === undefined) return undefined;
    variables.push({ name, explode: star !== undefined, maxLength: Number(length ?? Infinity) });
  }
  const operator = known ?? simple;
  return { ...operator, variables };
}

function commonStops([head, ...others]: readonly Expression[]): Uint8Array {
  const codes = new Uint8Array(128);
  for (const char of head?.stops ?? '') {
    if (others.every(({ stops }) => stops.includes(char))) codes[char.charCodeAt(0)] = 1;
  }
  return codes;
}
