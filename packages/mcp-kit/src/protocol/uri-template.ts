import { KitError } from '#base';

/** A URI template (RFC 6570) that tells which URIs it can produce, and from which values. */
export interface UriTemplate {
  /**
   * The decoded values `uri` was made of, or undefined when the template cannot produce it. A value ends as early as
   * the rest allows; a variable that left no trace is absent; the items of an exploded one stay joined.
   */
  match(uri: string): Record<string, string> | undefined;
}

/** No URI of a resource is longer; the time to match one grows with its length. */
const longestUri = 64 * 1024;

/** Reads a template once; a malformed or ambiguous one is a `KitError`. */
export function parseUriTemplate(template: string): UriTemplate {
  const { start, runs } = parseSyntax(template);
  return {
    match(uri) {
      if (uri.length > longestUri) return undefined;
      const regions = uri.startsWith(start) ? divide(uri.slice(start.length), runs) : undefined;
      const values: Values = new Map();
      if (!regions?.every(({ run, text }) => readRun(run, text, values))) return undefined;
      return Object.fromEntries([...values].map(([name, { text }]) => [name, text]));
    },
  };
}

/** For each position, where a run that starts there ends, or -1. */
type Ends = Int32Array;

/** The part of `text` each run covers: each as short as the rest allows, in time linear in the text. */
function divide(text: string, runs: readonly Run[]): { run: Run; text: string }[] | undefined {
  const endsOfRuns: Ends[] = [];
  let rest: Ends = new Int32Array(text.length + 1).fill(-1);
  rest[text.length] = text.length;
  for (const run of runs.toReversed()) {
    rest = findEnds(text, run, rest);
    endsOfRuns.push(rest);
  }
  const regions: { run: Run; text: string }[] = [];
  let at = 0;
  for (const run of runs) {
    const end = endsOfRuns.pop()?.[at] ?? -1;
    if (end < 0) return undefined;
    regions.push({ run, text: text.slice(at, end) });
    at = end + run.literal.length;
  }
  return at === text.length ? regions : undefined;
}

/** Only the last run has an empty literal after it, and ends where the text does. */
function findEnds(text: string, { expressions, literal, stopCodes }: Run, rest: Ends): Ends {
  const ends: Ends = new Int32Array(text.length + 1);
  const firstCode = literal === '' ? -1 : literal.charCodeAt(0);
  const isShort = literal.length === 1;
  const needsOne = expressions[0]?.first === '';
  let end = literal === '' ? text.length : -1;
  ends[text.length] = needsOne ? -1 : end;
  // Backwards, so that the rest after a place is known before the place is looked at.
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const code = text.charCodeAt(at);
    const stops = stopCodes[code] === 1;
    if (needsOne) ends[at] = stops ? -1 : end;
    const mayEnd = code === firstCode && (isShort || text.startsWith(literal, at));
    if (mayEnd && (rest[at + literal.length] ?? -1) >= 0) end = at;
    else if (stops) end = -1;
    if (!needsOne) ends[at] = end;
  }
  return ends;
}

type Values = Map<string, { readonly text: string; readonly maxLength: number }>;

/** Gives each expression of the run its part, which begins with the operator's own character. */
function readRun({ expressions }: Run, text: string, values: Values): boolean {
  let at = 0;
  const fits = expressions.every((expression, index) => {
    const { first } = expression;
    if (at === text.length || !text.startsWith(first, at)) return true;
    const later = expressions.slice(index + 1).map((next) => next.first);
    let end = later.length === 0 ? text.length : at + 1;
    while (end < text.length && !later.includes(text.charAt(end))) end += 1;
    const part = text.slice(at + first.length, end);
    at = end;
    return readExpression(expression, part, values);
  });
  return fits && at === text.length;
}

function readExpression(expression: Expression, text: string, values: Values): boolean {
  const { variables, separator, stops, named, open } = expression;
  if (Array.from(stops).some((char) => text.includes(char))) return false;
  const items = text.split(separator);
  if (named) return readPairs(variables, items, values);
  if (items.length > variables.length && (open || variables.at(-1)?.explode)) {
    items.push(items.splice(variables.length - 1).join(separator));
  }
  return (
    items.length <= variables.length &&
    variables.every((variable, index) => bind(variable, items[index], values))
  );
}

function readPairs(
  variables: readonly Variable[],
  items: readonly string[],
  values: Values,
): boolean {
  const found = new Map<string, string>();
  for (const item of items) {
    const [name = '', ...value] = item.split('=');
    const earlier = found.get(name);
    const variable = variables.find((each) => each.name === name);
    if (variable === undefined || (earlier !== undefined && !variable.explode)) return false;
    found.set(name, (earlier === undefined ? '' : `${earlier},`) + value.join('='));
  }
  return variables.every((variable) => bind(variable, found.get(variable.name), values));
}

/** Notes a value; one that occurs again must be the same, or begin the same where one of the two is a prefix. */
function bind({ name, maxLength }: Variable, raw: string | undefined, values: Values): boolean {
  if (raw === undefined) return true;
  const text = decode(raw);
  if (text === undefined) return false;
  if (text.length > maxLength && Array.from(text).length > maxLength) return false;
  const bound = { text, maxLength };
  const earlier = values.get(name) ?? bound;
  const [short, long] = earlier.maxLength < maxLength ? [earlier, bound] : [bound, earlier];
  values.set(name, long);
  return short.maxLength < long.maxLength
    ? long.text.startsWith(short.text)
    : short.text === long.text;
}

function decode(text: string): string | undefined {
  try {
    return text.includes('%') ? decodeURIComponent(text) : text;
  } catch {
    return undefined;
  }
}

/** How the expansion of an expression looks (RFC 6570, appendix A). */
interface Operator {
  /** What it starts with; without it, an expansion has at least one character. */
  readonly first: string;
  readonly separator: string;
  /** Characters it never contains. */
  readonly stops: string;
  /** The items are `name=value`. */
  readonly named?: boolean | undefined;
  /** The last value may contain the separator. */
  readonly open?: boolean | undefined;
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
interface Variable {
  readonly name: string;
  readonly explode: boolean;
  /** In characters: finite for a prefix (`:n`). */
  readonly maxLength: number;
}

/** What stands between two braces. */
interface Expression extends Operator {
  readonly variables: readonly Variable[];
}

/** Expressions with no literal between them, and the literal after them. */
interface Run {
  readonly expressions: readonly Expression[];
  readonly literal: string;
  /** 1 at the code of each character that none of the expressions can contain. */
  readonly stopCodes: Uint8Array;
}

/** A template taken apart: the literal it starts with, and what follows. */
interface Syntax {
  readonly start: string;
  readonly runs: readonly Run[];
}

const variableSyntax =
  /^((?:\w|%[\dA-Fa-f]{2})(?:\.?(?:\w|%[\dA-Fa-f]{2}))*)(?:(\*)|:([1-9]\d{0,3}))?$/;

/** Takes a template apart; a malformed or ambiguous one is a `KitError`. */
function parseSyntax(template: string): Syntax {
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
