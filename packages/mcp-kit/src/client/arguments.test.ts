import type { Tool } from '#protocol';
import { expect, test } from 'vitest';
import { checkArguments } from './arguments.ts';

const tool: Tool = {
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

test('arguments that fit their schema have no issues', async () => {
  expect(await checkArguments(tool, { query: 'x', limit: 3 })).toEqual([]);
});

test.each([
  [{ query: 1 }, 'query', 'query: expected string, received number'],
  [{ limit: 1 }, 'query', 'query: required but missing'],
  [{ query: 'x', limit: 11 }, 'limit', 'limit: expected at most 10, received 11'],
])('%j is refused, naming %s', async (args, path, message) => {
  expect(await checkArguments(tool, args)).toMatchObject([{ path, message }]);
});

test('a pattern that would backtrack for ever is not run', async () => {
  expect(await checkArguments(tool, { query: `${'a'.repeat(60)}!` })).toEqual([]);
});

test('a schema without a type is one of an object', async () => {
  const loose = { name: 'loose', inputSchema: { required: ['a'] } };
  expect(await checkArguments(loose, {})).toMatchObject([{ path: 'a' }]);
});

test('a schema that cannot be used is an error, not a verdict', async () => {
  const broken = { name: 'broken', inputSchema: { properties: { a: { $ref: '#/nowhere' } } } };
  await expect(checkArguments(broken, {})).rejects.toMatchObject({ code: 'invalid_argument' });
});
