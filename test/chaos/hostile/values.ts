import { weighted, type Random } from './random.ts';

const kibibyte = 1024;

/** Strings that parsers, terminals, file systems and templates have stumbled over. */
const words: readonly string[] = [
  '',
  'a',
  '__proto__',
  'constructor',
  'toString',
  '\u0000',
  '\uD800',
  '\u2028',
  '\u001b[2J',
  '../../etc/passwd',
  'file:///etc/passwd',
  '{?a*,b}',
  '%00%ff',
  '${HOME}',
  'x'.repeat(300),
  '日本語',
  '-1',
  '9007199254740993',
];

const numbers: readonly string[] = [
  '0',
  '-0',
  '1',
  '-1',
  '1e400',
  '1e-400',
  '0.1',
  '9007199254740993',
  '4294967296',
];

/** JSON texts that are costly for their size, from rare sizes up to what is refused. */
const bulky: readonly (() => string)[] = [
  () => JSON.stringify('x'.repeat(20 * kibibyte)),
  () => JSON.stringify('"\\'.repeat(40 * kibibyte)),
  () => `[${'1,'.repeat(30_000)}1]`,
  () => `${'['.repeat(100)}${']'.repeat(100)}`,
  () => `${'['.repeat(5000)}${']'.repeat(5000)}`,
  () => `{${Array.from({ length: 5000 }, (_, at) => `"k${at}":1`).join(',')}}`,
  () => `[${'{},'.repeat(20_000)}{}]`,
  () => JSON.stringify('é'.repeat(200 * kibibyte)),
  () => '1'.repeat(50 * kibibyte),
  () => `[${'[1,2],'.repeat(60_000)}1]`,
  () => JSON.stringify('\\u005f'.repeat(30 * kibibyte)),
  () => `{${Array.from({ length: 20_000 }, (_, at) => `"${'k'.repeat(at % 20)}":{}`).join(',')}}`,
  () => `${'{"x":'.repeat(60)}1${'}'.repeat(60)}`,
  () => JSON.stringify('a'.repeat(5000) + '!'),
];
const made = bulky.map((make) => make());
/** Rarer still: around the limits on bytes. */
const huge: readonly string[] = [
  JSON.stringify('x'.repeat(4 * kibibyte * kibibyte - 200)),
  JSON.stringify('"'.repeat(kibibyte * kibibyte)),
  JSON.stringify('y'.repeat(17 * kibibyte * kibibyte)),
];

const kindOf = weighted<'word' | 'number' | 'literal' | 'array' | 'object' | 'bulky' | 'huge'>([
  [40, 'word'],
  [20, 'number'],
  [10, 'literal'],
  [8, 'array'],
  [20, 'object'],
  [0.6, 'bulky'],
  [0.003, 'huge'],
]);

export const word = (random: Random): string => random.pick(words);

/** The text of any JSON value. */
export function anyValue(random: Random, depth = 0): string {
  const kind = depth > 4 ? 'word' : kindOf(random);
  switch (kind) {
    case 'word':
      return JSON.stringify(word(random));
    case 'number':
      return random.pick(numbers);
    case 'literal':
      return random.pick(['true', 'false', 'null']);
    case 'array':
      return `[${listOf(random, () => anyValue(random, depth + 1))}]`;
    case 'object':
      return `{${listOf(random, () => `${JSON.stringify(word(random))}:${anyValue(random, depth + 1)}`)}}`;
    case 'bulky':
      return random.pick(made);
    case 'huge':
      return random.pick(huge);
  }
}

/** Up to three of them, with commas between. */
export function listOf(random: Random, make: () => string): string {
  return Array.from({ length: random.below(4) }, make).join(',');
}

/** An id: repeated ones, rare forms, and what is none. */
export function anyId(random: Random): string {
  if (random.chance(0.85)) return String(random.below(1000));
  return random.chance(0.5) ? JSON.stringify(word(random)) : anyValue(random, 4);
}

/** The members that are given, in any order, some left out or twice. */
export function members(random: Random, fields: Readonly<Record<string, string>>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (random.chance(0.03)) continue;
    parts.push(`${JSON.stringify(name)}:${random.chance(0.03) ? anyValue(random) : value}`);
    if (random.chance(0.02)) parts.push(`${JSON.stringify(name)}:${anyValue(random)}`);
  }
  if (random.chance(0.1)) parts.push(`${JSON.stringify(word(random))}:${anyValue(random)}`);
  if (random.chance(0.1)) parts.reverse();
  return `{${parts.join(',')}}`;
}

/** What is no message, or no JSON. */
export function damaged(random: Random, text: string): string {
  switch (random.below(6)) {
    case 0:
      return text.slice(0, random.below(text.length));
    case 1:
      return `${text}${text}`;
    case 2:
      return `[${text},${text}]`;
    case 3:
      return anyValue(random).replaceAll('\n', ' ');
    case 4:
      return text.replaceAll(':', random.pick(['::', '', ' ']));
    default:
      return random.pick(['', ' ', '\uFEFF', '[]', '{}', 'null', '0', '"', '{"jsonrpc":"2.0"}']);
  }
}
