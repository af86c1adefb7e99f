import { describe, expect, test } from 'vitest';
import type { LintedTool } from '../lint/rule.ts';
import { diffManifests } from './manifest-diff.ts';

const tool = (change: object = {}): LintedTool => ({
  name: 'get_note_text',
  description: 'Returns a note.',
  layer: 'core',
  category: 'note',
  safety: 'readonly',
  idempotent: true,
  supportsDryRun: false,
  prerequisites: [],
  examples: [],
  errors: [{ code: 'E_NOT_FOUND', when: 'None.', retryable: false }],
  inputSchema: {
    type: 'object',
    properties: { name: { type: 'string', maxLength: 10 }, kind: { enum: ['a', 'b'] } },
    required: ['name'],
  },
  outputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  ...change,
});

const impacts = (change: object): readonly string[] =>
  diffManifests([tool()], [tool(change)]).map(({ impact }) => impact);

const input = (properties: object, required: readonly string[] = ['name']): object => ({
  inputSchema: { type: 'object', properties, required },
});
const name = { type: 'string', maxLength: 10 };
const kind = { enum: ['a', 'b'] };

test('two manifests that say the same have no difference, however they are written', () => {
  const { name: _name, ...rest } = tool();
  expect(diffManifests([tool()], [{ ...rest, name: 'get_note_text' }])).toEqual([]);
});

test('a tool that is gone breaks, one that is new does not; the worst comes first', () => {
  const before = [tool(), tool({ name: 'get_note_size' })];
  const after = [tool(), tool({ name: 'get_note_date' })];
  expect(diffManifests(before, after)).toEqual([
    { impact: 'breaking', tool: 'get_note_size', message: 'it is gone' },
    { impact: 'compatible', tool: 'get_note_date', message: 'it is new' },
  ]);
});

describe('arguments', () => {
  test.each([
    ['one that is gone', input({ name }), 'breaking'],
    ['a new one that must be given', input({ name, kind, more: {} }, ['name', 'more']), 'breaking'],
    ['a new one that need not be', input({ name, kind, more: {} }), 'compatible'],
    ['one that must be given now', input({ name, kind }, ['name', 'kind']), 'breaking'],
    ['one that need not be given any more', input({ name, kind }, []), 'compatible'],
    ['fewer values', input({ name, kind: { enum: ['a'] } }), 'breaking'],
    ['more values', input({ name, kind: { enum: ['a', 'b', 'c'] } }), 'compatible'],
    ['a lower limit', input({ name: { ...name, maxLength: 5 }, kind }), 'breaking'],
    ['a higher limit', input({ name: { ...name, maxLength: 50 }, kind }), 'compatible'],
    ['another type', input({ name: { ...name, type: 'number' }, kind }), 'breaking'],
    ['one type more', input({ name: { ...name, type: ['string', 'null'] }, kind }), 'compatible'],
    ['another description', input({ name: { ...name, description: 'Which.' }, kind }), 'cosmetic'],
  ])('%s', (_what, change, impact) => expect(impacts(change)).toEqual([impact]));
});

describe('answers', () => {
  const output = (properties: object, required = ['text']): object => ({
    outputSchema: { type: 'object', properties, required },
  });
  const text = { type: 'string' };
  test.each([
    ['a value that is gone', output({}), 'breaking'],
    ['a value more', output({ text, size: { type: 'number' } }), 'compatible'],
    ['a value that may be missing now', output({ text }, []), 'breaking'],
    [
      'a value that may be more than it was',
      output({ text: { type: ['string', 'null'] } }),
      'breaking',
    ],
    ['a value that is narrower', output({ text: { ...text, maxLength: 5 } }), 'compatible'],
  ])('%s', (_what, change, impact) => expect(impacts(change)).toEqual([impact]));
});

test.each([
  ['description', { description: 'Other words.' }, 'cosmetic'],
  ['category', { category: 'text' }, 'cosmetic'],
  ['layer, to fewer callers', { layer: 'internal' }, 'breaking'],
  ['safety, to worse', { safety: 'destructive' }, 'breaking'],
  ['idempotent, no more', { idempotent: false }, 'breaking'],
  ['supportsDryRun, now', { supportsDryRun: true }, 'compatible'],
  ['prerequisites, one more', { prerequisites: ['ready'] }, 'breaking'],
  ['errors, one less', { errors: [] }, 'compatible'],
  [
    'errors, one more',
    { errors: [{ code: 'E_CONFLICT', when: '', retryable: false }] },
    'breaking',
  ],
])('a change of %s', (_what, change, impact) => expect(impacts(change)).toEqual([impact]));

test('a tool that tells its traits for the first time breaks nothing', () => {
  const { name: toolName, inputSchema } = tool();
  const found = diffManifests([{ name: toolName, inputSchema }], [tool({ outputSchema: {} })]);
  expect(found.filter(({ impact }) => impact === 'breaking')).toEqual([]);
});

test('a failure that is told in other words is no other failure', () => {
  const errors = [{ code: 'E_NOT_FOUND', when: 'There is none.', retryable: false }];
  expect(impacts({ errors })).toEqual(['cosmetic']);
});

describe('what a schema says', () => {
  const text = { type: 'string' };
  const nothing = { type: 'null' };
  const map = (values: unknown): object => ({ type: 'object', additionalProperties: values });
  const wider: readonly (readonly [string, object, object])[] = [
    ['integers become numbers', { type: 'integer' }, { type: 'number' }],
    ['the only value is one of two', { const: 'a' }, { enum: ['a', 'b'] }],
    ['a text may be null', text, { anyOf: [text, nothing] }],
    ['one alternative more', { oneOf: [text] }, { oneOf: [text, nothing] }],
    ['one demand less', { allOf: [text, { minLength: 2 }] }, { allOf: [text] }],
    ['other members are allowed', map(false), { type: 'object' }],
    ['other members need not be texts', map(text), map(true)],
    ['other members may be null', map(text), map({ anyOf: [text, nothing] })],
    ['members of a list are more', { items: { enum: [1] } }, { items: { enum: [1, 2] } }],
  ];
  test.each(wider)('%s: callers may send more, and readers get more', (_what, before, after) => {
    expect(impactsOn('inputSchema', before, after)).toEqual(['compatible']);
    expect(impactsOn('inputSchema', after, before)).toEqual(['breaking']);
    expect(impactsOn('outputSchema', before, after)).toEqual(['breaking']);
    expect(impactsOn('outputSchema', after, before)).toEqual(['compatible']);
  });

  test.each([
    ['values in another order', { enum: ['a', 'b'] }, { enum: ['b', 'a'] }],
    ['a word to say that it is old', text, { ...text, deprecated: true }],
    ['a text of a definition', { $defs: { a: text } }, { $defs: { a: { ...text, title: 'A' } } }],
  ])('%s: nobody notices', (_what, before, after) => {
    expect(impactsOn('inputSchema', before, after)).toEqual(['cosmetic']);
    expect(impactsOn('outputSchema', before, after)).toEqual(['cosmetic']);
  });

  test.each([
    ['alternatives in another order', { anyOf: [text, nothing] }, { anyOf: [nothing, text] }],
    ['that other members are allowed, as they are', { type: 'object' }, map(true)],
    [
      'that there may be equal ones, as there may',
      { type: 'array' },
      { type: 'array', uniqueItems: false },
    ],
  ])('%s: that is the same', (_what, before, after) => {
    expect(impactsOn('inputSchema', before, after)).toEqual([]);
  });

  test('whoever left an argument out gets another default, or none', () => {
    const number = { type: 'integer' };
    const [one, two] = [
      { ...number, default: 1 },
      { ...number, default: 2 },
    ];
    expect(impactsOn('inputSchema', one, two)).toEqual(['breaking']);
    expect(impactsOn('inputSchema', one, number)).toEqual(['breaking']);
    expect(impactsOn('inputSchema', number, one)).toEqual(['compatible']);
    expect(impactsOn('outputSchema', one, two)).toEqual(['cosmetic']);
  });

  test('an argument may be demanded without being described', () => {
    const before = { type: 'object' };
    const after = { type: 'object', required: ['name'] };
    expect(impactsOn('inputSchema', before, after)).toEqual(['breaking']);
  });
});

/** What it means that one argument, or one value, is described otherwise. */
function impactsOn(
  where: 'inputSchema' | 'outputSchema',
  before: object,
  after: object,
): readonly string[] {
  const around = (value: object): object => ({
    [where]: { type: 'object', properties: { value } },
  });
  return diffManifests([tool(around(before))], [tool(around(after))]).map(({ impact }) => impact);
}

test('long lists of values and of alternatives are compared in linear time', () => {
  const numbers = (from: number): readonly number[] =>
    Array.from({ length: 20_000 }, (_, at) => from + at);
  const long = (from: number): LintedTool => ({
    name: 'get_note_text',
    inputSchema: {
      properties: {
        listed: { enum: numbers(from) },
        either: { anyOf: numbers(from).map((value) => ({ const: value })) },
      },
    },
  });
  const before = process.cpuUsage();
  const changes = diffManifests([long(0)], [long(1)]);
  const { user, system } = process.cpuUsage(before);
  expect(changes.map(({ path }) => path)).toEqual(['input.listed', 'input.either']);
  expect((user + system) / 1000).toBeLessThan(2000);
});
