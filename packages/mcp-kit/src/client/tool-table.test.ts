import { expect, test } from 'vitest';
import { silentLogger } from '#base';
import type { Tool } from '#protocol';
import { checkArguments, ToolTable } from './tool-table.ts';

const endless = '^(a+)+$';

test('a result is not held up by a pattern that never ends, and is checked otherwise', () => {
  const table = new ToolTable(silentLogger);
  const outputSchema = {
    type: 'object',
    properties: { text: { type: 'string', pattern: endless } },
    required: ['text'],
  };
  table.learn([{ name: 'x', inputSchema: { type: 'object' }, outputSchema }], false);
  const content = { content: [] };
  table.check('x', { ...content, structuredContent: { text: `${'a'.repeat(60)}!` } });
  const wrong = (): void => table.check('x', { ...content, structuredContent: { text: 1 } });
  expect(wrong).toThrow(expect.objectContaining({ code: 'invalid_answer' }));
});

/** A table that knows one tool, `x`, and what it has warned of. */
function tableWith(outputSchema: unknown): {
  readonly table: ToolTable;
  readonly warnings: readonly string[];
} {
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const table = new ToolTable({ ...silentLogger, warn });
  const tool = { name: 'x', inputSchema: { type: 'object' }, outputSchema };
  table.learn([tool as Tool], false);
  return { table, warnings };
}

test.each([null, 'x', []])('a tool whose output schema is %j promises nothing', (wrong) => {
  const { table, warnings } = tableWith(wrong);
  table.check('x', { content: [] });
  expect(warnings).toEqual([]);
});

test('names that only patterns tell apart are not held against a result', () => {
  const { table } = tableWith({
    type: 'object',
    patternProperties: { [endless]: { type: 'string' } },
    required: ['b'],
  });
  table.check('x', { content: [], structuredContent: { aaa: 1, b: 1 } });
  const wrong = (): void => table.check('x', { content: [], structuredContent: { aaa: 1 } });
  expect(wrong).toThrow(expect.objectContaining({ code: 'invalid_answer' }));
});

test('a schema that cannot be used is told once, before the tool is called', () => {
  const { table, warnings } = tableWith({ type: 'object', $ref: '#/nowhere' });
  table.prepare('x');
  expect(warnings).toEqual([expect.stringContaining('results of tool x are not checked')]);
  table.prepare('x');
  table.check('x', { content: [], structuredContent: {} });
  expect(warnings).toHaveLength(1);
});

test('a result whose check would take too long is used, and said not to be checked', () => {
  const twice = [{ $ref: '#' }, { $ref: '#' }];
  const { table, warnings } = tableWith({ properties: { a: { allOf: twice } } });
  let nested = {};
  for (let depth = 0; depth < 60; depth += 1) nested = { a: nested };
  table.check('x', { content: [], structuredContent: nested });
  expect(warnings).toEqual(['a result of tool x is not checked: its schema takes too many steps']);
});

test('of more tools than can be remembered, the oldest are forgotten', () => {
  const table = new ToolTable(silentLogger);
  const description = 'x'.repeat(1024 * 1024);
  for (let page = 0; page < 100; page += 1) {
    const outputSchema = { type: 'object', description };
    table.learn([{ name: `t${page}`, inputSchema: { type: 'object' }, outputSchema }], false);
  }
  const known = Array.from({ length: 100 }, (_, page) => table.knows(`t${page}`));
  expect(known.indexOf(true)).toBeGreaterThan(30);
  expect(known.lastIndexOf(false)).toBe(known.indexOf(true) - 1);
});

const search: Tool = {
  name: 'search',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', pattern: '^(a+)+$' },
      limit: { type: 'integer', maximum: 10 },
    },
    required: ['query'],
  },
};

test('arguments that fit their schema have no issues', () => {
  expect(checkArguments(search, { query: 'x', limit: 3 })).toEqual([]);
});

test.each([
  [{ query: 1 }, 'query', 'query: expected string, received number'],
  [{ limit: 1 }, 'query', 'query: required but missing'],
  [{ query: 'x', limit: 11 }, 'limit', 'limit: expected at most 10, received 11'],
])('%j is refused, naming %s', (args, path, message) => {
  expect(checkArguments(search, args)).toMatchObject([{ path, message }]);
});

test('a pattern that would backtrack for ever is not run', () => {
  expect(checkArguments(search, { query: `${'a'.repeat(60)}!` })).toEqual([]);
});

test('a schema without a type is one of an object', () => {
  const loose = { name: 'loose', inputSchema: { required: ['a'] } };
  expect(checkArguments(loose, {})).toMatchObject([{ path: 'a' }]);
});

test('a schema that cannot be used is an error, not a verdict', () => {
  const broken = { name: 'broken', inputSchema: { properties: { a: { $ref: '#/nowhere' } } } };
  expect(() => checkArguments(broken, {})).toThrow(
    expect.objectContaining({ code: 'invalid_argument' }),
  );
});
