import { describe, expect, test } from 'vitest';
import { fromListed, lintTools } from './lint.ts';
import type { LintedTool } from './rule.ts';

const tool = (name: string, more: object = {}): LintedTool => ({
  name,
  description: 'Does something.',
  inputSchema: { type: 'object' },
  ...more,
});

const found = (
  ...tools: readonly LintedTool[]
): readonly (readonly [string, string | undefined])[] =>
  lintTools(tools).map(({ rule, hint }) => [rule, hint]);

describe('names that are joined as others do', () => {
  test.each(['get-note-text', 'getNoteText', 'get.note.text', 'GetNoteText'])(
    '%s is told how it would be written here, and has its verb',
    (name) => {
      expect(found(tool(name))).toEqual([['name-format', 'Use "get_note_text".']]);
    },
  );

  test('have the right verb suggested', () => {
    expect(found(tool('remove-note'))).toEqual([
      ['name-format', 'For example get_note_text.'],
      ['name-verb', 'Use "delete".'],
    ]);
  });
});

test.each([
  ['', ['it has no description']],
  ['   ', ['it has no description']],
  ['Reads.', ['its description is one word']],
  ['Reads notes.', []],
  ['读取一个笔记', []],
  ['ノートを読みます。', []],
])('the description %j has these faults: %j', (description, faults) => {
  const findings = lintTools([tool('get_note_text', { description })]);
  expect(findings.map(({ message }) => message)).toEqual(faults);
});

describe('a schema that cannot be used', () => {
  const inputSchema = { type: 'strange' };

  test('is a finding where examples are to fit it', () => {
    const governed = { safety: 'readonly', examples: [{ input: {} }], inputSchema };
    expect(lintTools([tool('get_note_text', governed)])).toMatchObject([
      { rule: 'input-object' },
      { rule: 'example-fits', message: expect.stringMatching(/cannot be tried: .*get_note_text/) },
    ]);
  });

  test('is tried within bounds, and without running its patterns', () => {
    const twice = [{ $ref: '#' }, { $ref: '#' }];
    const schema = {
      type: 'object',
      properties: { a: { allOf: twice }, text: { type: 'string', pattern: '^(a+)+$' } },
    };
    let input: object = { text: `${'a'.repeat(60)}!` };
    for (let depth = 0; depth < 60; depth += 1) input = { a: input };
    const governed = { safety: 'readonly', examples: [{ input }], inputSchema: schema };
    expect(
      lintTools([tool('get_note_text', governed)], {
        ignore: ['parameter-described', 'pattern-bounded'],
      }),
    ).toEqual([]);
  });

  test('of others, who have no examples, is a fault of the protocol', () => {
    const listed = { name: 'get_note_text', description: 'Does something.', inputSchema };
    const findings = lintTools([fromListed(listed)]);
    expect(findings.map(({ rule }) => rule)).toEqual(['input-object']);
  });
});

describe('arguments of others', () => {
  const taking = (properties: object, more: object = {}): LintedTool =>
    tool('get_note_text', { inputSchema: { type: 'object', properties }, ...more });
  const rulesFor = (...tools: readonly LintedTool[]): readonly string[] =>
    lintTools(tools).flatMap(({ rule }) => (/-(?:name|coordinates)$/.test(rule) ? [rule] : []));

  test('are not called otherwise where nobody uses the agreed name', () => {
    expect(rulesFor(taking({ parentId: { type: 'string' } }))).toEqual([]);
    const other = taking({ parentUuid: { type: 'string' } });
    expect(rulesFor(taking({ parentId: { type: 'string' } }), other)).toEqual(['parameter-name']);
  });

  test.each([{ type: 'number' }, { type: 'integer' }, { enum: ['before', 'after'] }])(
    'are no point that was written otherwise: %j',
    (schema) => expect(rulesFor(taking({ position: schema }))).toEqual([]),
  );
});
