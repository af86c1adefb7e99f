import { toolCall } from './wire.ts';

const mebibyte = 1024 * 1024;

/** A call whose `items` are this JSON text. */
function callWith(items: string): string {
  return JSON.stringify(toolCall(1, 'count', { items: '@' })).replace('"@"', () => items);
}

export interface Hostile {
  readonly name: string;
  readonly body: string;
  /** The code of a JSON-RPC error, or the tool's own complaint about its arguments. */
  readonly expected: number | 'refused by the tool';
}

const keys = (count: number, name: (at: number) => string): string =>
  `{${Array.from({ length: count }, (_, at) => `"${name(at)}":1`).join(',')}}`;

const byTool = 'refused by the tool';

/** Messages made to cost more than they are worth; all within the limit on bytes. */
export const hostileBodies: readonly Hostile[] = [
  {
    name: 'a million wrong-typed elements',
    body: callWith(`[${Array(1_000_000).fill('1').join(',')}]`),
    expected: -32600,
  },
  {
    name: 'as many wrong-typed elements as are allowed',
    body: callWith(`[${Array(99_000).fill('1').join(',')}]`),
    expected: byTool,
  },
  {
    name: 'as many wrong-typed objects as are allowed',
    body: callWith(`[${Array(33_000).fill('{"a":1}').join(',')}]`),
    expected: byTool,
  },
  { name: 'a million open brackets', body: callWith('['.repeat(1_000_000)), expected: -32600 },
  { name: 'a million open braces', body: callWith('{"a":'.repeat(700_000)), expected: -32600 },
  { name: 'ten thousand keys', body: callWith(keys(10_000, (at) => `key${at}`)), expected: byTool },
  {
    name: 'as many times the same key as are allowed',
    body: callWith(keys(49_000, () => 'key')),
    expected: byTool,
  },
  {
    name: 'ten thousand __proto__ keys',
    body: callWith(`[${Array(10_000).fill('{"__proto__":{"a":1}}').join(',')}]`),
    expected: byTool,
  },
  {
    name: 'numeric keys, far apart',
    body: callWith(keys(10_000, (at) => String(at * 99_991))),
    expected: byTool,
  },
  {
    name: 'a string of three megabytes',
    body: callWith(`"${'x'.repeat(3 * mebibyte)}"`),
    expected: byTool,
  },
  { name: 'a number of a megabyte', body: callWith('1'.repeat(mebibyte)), expected: byTool },
  {
    name: 'three megabytes of escapes',
    body: callWith(`"${'\\u005f'.repeat(mebibyte / 2)}"`),
    expected: byTool,
  },
  {
    name: 'three megabytes of white space',
    body: callWith(`${' '.repeat(3 * mebibyte)}1`),
    expected: byTool,
  },
  {
    name: 'a megabyte of backslashes',
    body: callWith(`"${'\\\\'.repeat(mebibyte / 2)}"`),
    expected: byTool,
  },
  {
    name: 'a batch of twenty thousand',
    body: `[${Array(20_000).fill('1').join(',')}]`,
    expected: -32600,
  },
];
