/** Code points from one to another. */
export type Range = readonly [number, number];

/** A regular expression as far as it matters how it is gone through: what stands where, and what is repeated. */
export type Pattern =
  | { readonly kind: 'character'; readonly ranges: readonly Range[] }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly part: Pattern; readonly min: number; readonly max: number };

const nothing: Pattern = { kind: 'sequence', parts: [] };
const anything: readonly Range[] = [[0, 0x10ffff]];
const digits: readonly Range[] = [[0x30, 0x39]];
const spaces: readonly Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
];
const wordCharacters: readonly Range[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];

/** An expression, and how far it has been read. */
interface Reading {
  readonly source: string;
  at: number;
}

/** Reads an expression that is known to compile. What stands for no character of its own, such as `^`, is left out. */
export function readPattern(source: string): Pattern {
  return readChoice({ source, at: 0 });
}

/** Takes the next character, whole. */
function take(reading: Reading): string {
  const character = String.fromCodePoint(reading.source.codePointAt(reading.at) ?? 0);
  reading.at += character.length;
  return character;
}

/** Takes what an expression matches here, as far as groups may be long. */
function takeMatch(reading: Reading, expression: RegExp): readonly (string | undefined)[] {
  const found = expression.exec(reading.source.slice(reading.at, reading.at + 100)) ?? [''];
  reading.at += found[0].length;
  return found;
}

function peek({ source, at }: Reading): string | undefined {
  return source[at];
}

function readChoice(reading: Reading): Pattern {
  const parts = [readSequence(reading)];
  while (peek(reading) === '|') {
    reading.at += 1;
    parts.push(readSequence(reading));
  }
  return { kind: 'choice', parts };
}

function readSequence(reading: Reading): Pattern {
  const parts: Pattern[] = [];
  for (let next = peek(reading); next !== undefined; next = peek(reading)) {
    if (next === '|' || next === ')') break;
    parts.push(readRepeated(reading, readAtom(reading)));
  }
  return { kind: 'sequence', parts };
}

function readRepeated(reading: Reading, part: Pattern): Pattern {
  const [quantifier = '', least, comma, most] = takeMatch(
    reading,
    /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/,
  );
  if (quantifier === '') return part;
  if (least !== undefined) {
    const max = comma === '' ? Number(least) : Number(most || Infinity);
    return { kind: 'repeat', part, min: Number(least), max };
  }
  const min = quantifier.startsWith('+') ? 1 : 0;
  return { kind: 'repeat', part, min, max: quantifier.startsWith('?') ? 1 : Infinity };
}

function readAtom(reading: Reading): Pattern {
  const character = take(reading);
  switch (character) {
    case '^':
    case '$':
      return nothing;
    case '.':
      return { kind: 'character', ranges: anything };
    case '(':
      return readGroup(reading);
    case '[':
      return { kind: 'character', ranges: readClass(reading) };
    case '\\': {
      const ranges = readEscape(reading);
      return ranges === undefined ? nothing : { kind: 'character', ranges };
    }
    default:
      return { kind: 'character', ranges: only(character) };
  }
}

function readGroup(reading: Reading): Pattern {
  const [, look] = takeMatch(reading, /^\?(?:(<?[=!])|<[^>]*>|[a-z-]*:)/);
  const inner = readChoice(reading);
  reading.at += 1;
  // What is only looked at is not gone past; it may be ambiguous all the same.
  return look === undefined ? inner : { kind: 'repeat', part: inner, min: 0, max: 1 };
}

function readClass(reading: Reading): readonly Range[] {
  const [negated] = takeMatch(reading, /^\^/);
  const ranges: Range[] = [];
  while (reading.at < reading.source.length && peek(reading) !== ']') {
    const low = readMember(reading);
    const [[from] = [0]] = low;
    const [dash] = takeMatch(reading, /^-(?!\])/);
    const high = dash === '-' ? readMember(reading) : [];
    if (low.length === 1 && high.length === 1) ranges.push([from, high[0]?.[1] ?? from]);
    else ranges.push(...low, ...high);
  }
  reading.at += 1;
  return negated === '^' ? others(ranges) : ranges;
}

function readMember(reading: Reading): readonly Range[] {
  const character = take(reading);
  if (character !== '\\') return only(character);
  // In a class it is a backspace.
  const [backspace] = takeMatch(reading, /^b/);
  return backspace === 'b' ? only('\b') : (readEscape(reading) ?? []);
}

/** The characters that an escape stands for; none for boundaries and for what was found before. */
function readEscape(reading: Reading): readonly Range[] | undefined {
  const [before] = takeMatch(reading, /^(?:[bB]|k<[^>]*>|[1-9]\d*)/);
  if (before !== '') return undefined;
  const [property = ''] = takeMatch(reading, /^[pP]\{[^}]*\}/);
  if (property !== '') return membersOf(`\\${property}`);
  const [, long, short, byte] = takeMatch(
    reading,
    /^(?:u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2}))/,
  );
  const code = long ?? short ?? byte;
  if (code !== undefined) return only(String.fromCodePoint(Number.parseInt(code, 16)));
  takeMatch(reading, /^c(?=[a-zA-Z])/);
  const letter = take(reading);
  return shorthands[letter] ?? only(controls[letter] ?? letter);
}

const controls: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
  v: '\v',
  '0': '\0',
};

const shorthands: Readonly<Record<string, readonly Range[]>> = {
  d: digits,
  D: others(digits),
  s: spaces,
  S: others(spaces),
  w: wordCharacters,
  W: others(wordCharacters),
};

/** What a property of Unicode stands for among the first letters, and one more of its own for all others. */
function membersOf(property: string): readonly Range[] {
  const expression = new RegExp(property, 'u');
  const ranges: Range[] = [];
  for (let point = 0; point < 0x180; point += 1) {
    if (expression.test(String.fromCodePoint(point))) ranges.push([point, point]);
  }
  let own = 0x110000;
  for (const letter of property) own = 0x110000 + ((own * 31 + letter.charCodeAt(0)) % 0x10000);
  return [...ranges, [own, own]];
}

function only(character: string): readonly Range[] {
  const point = character.codePointAt(0) ?? 0;
  return [[point, point]];
}

/** All characters that are in none of the ranges. */
function others(ranges: readonly Range[]): readonly Range[] {
  const found: Range[] = [];
  let next = 0;
  for (const [from, to] of ranges.toSorted(([one], [other]) => one - other)) {
    if (from > next) found.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= 0x10ffff) found.push([next, 0x10ffff]);
  return found;
}
