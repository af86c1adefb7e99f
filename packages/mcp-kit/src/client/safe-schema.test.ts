import { expect, test } from 'vitest';
import { silentLogger } from '#base';
import { withoutPatterns } from './safe-schema.ts';
import { ToolTable } from './tool-table.ts';

const endless = '^(a+)+$';

test('patterns are left out wherever a schema stands, and nowhere else', () => {
  const data = { pattern: endless };
  const schema = {
    type: 'object',
    properties: {
      pattern: { type: 'string', pattern: endless },
      const: { type: 'string', pattern: endless },
      list: { type: 'array', items: { anyOf: [{ pattern: endless }, { const: data }] } },
    },
    $defs: { default: { pattern: endless, minLength: 1 } },
    default: data,
    required: ['pattern'],
  };
  expect(withoutPatterns(schema)).toEqual({
    type: 'object',
    properties: {
      pattern: { type: 'string' },
      const: { type: 'string' },
      list: { type: 'array', items: { anyOf: [{}, { const: data }] } },
    },
    $defs: { default: { minLength: 1 } },
    default: data,
    required: ['pattern'],
  });
});

test('a result is not held up by a pattern that never ends, and is checked otherwise', async () => {
  const table = new ToolTable(silentLogger);
  const outputSchema = {
    type: 'object',
    properties: { text: { type: 'string', pattern: endless } },
    required: ['text'],
  };
  table.learn([{ name: 'x', inputSchema: { type: 'object' }, outputSchema }], false);
  const content = { content: [] };
  const started = performance.now();
  await table.check('x', { ...content, structuredContent: { text: `${'a'.repeat(28)}!` } });
  expect(performance.now() - started).toBeLessThan(2000);
  const wrong = table.check('x', { ...content, structuredContent: { text: 1 } });
  await expect(wrong).rejects.toMatchObject({ code: 'invalid_answer' });
});

test.each([null, 'x', []])('a tool whose output schema is %j promises nothing', async (wrong) => {
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const table = new ToolTable({ ...silentLogger, warn });
  const outputSchema = wrong as unknown as Record<string, unknown>;
  table.learn([{ name: 'x', inputSchema: { type: 'object' }, outputSchema }], false);
  await table.check('x', { content: [] });
  expect(warnings).toEqual([]);
});

test('results of a tool with patterns for names are not checked, because they cannot be', async () => {
  const table = new ToolTable(silentLogger);
  const outputSchema = { type: 'object', patternProperties: { [endless]: { type: 'string' } } };
  table.learn([{ name: 'x', inputSchema: { type: 'object' }, outputSchema }], false);
  await table.check('x', { content: [], structuredContent: { aaa: 1 } });
});
