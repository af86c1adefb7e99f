import { Buffer } from 'node:buffer';
import { expect, expectTypeOf, test } from 'vitest';
import { imagesOf, orThrow, structuredOf, textOf, type ToolResult } from './tool-result.ts';
import type { CallToolResult } from './types.ts';

const picture = Buffer.from([1, 2, 3]);
const result: ToolResult<{ readonly sum: number }> = {
  content: [
    { type: 'text', text: 'one' },
    { type: 'image', mimeType: 'image/png', data: picture.toString('base64') },
    { type: 'audio', mimeType: 'audio/wav', data: '' },
    { type: 'text', text: 'two' },
  ],
  structuredContent: { sum: 3 },
};

test('a result gives its texts, its images and its structured content', () => {
  expect(textOf(result)).toBe('one\ntwo');
  expect(imagesOf(result)).toEqual([{ mimeType: 'image/png', bytes: picture }]);
  expect(structuredOf(result)).toEqual({ sum: 3 });
  expectTypeOf(structuredOf(result)).toEqualTypeOf<{ readonly sum: number } | undefined>();
});

test('a result without any of it gives nothing', () => {
  const empty: CallToolResult = { content: [] };
  expect([textOf(empty), imagesOf(empty), structuredOf(empty)]).toEqual(['', [], undefined]);
});

test('a result passes, and a failure is thrown with what the tool said', () => {
  expect(orThrow(result)).toBe(result);
  const failed = { ...result, isError: true };
  expect(() => orThrow(failed)).toThrow(
    expect.objectContaining({
      code: 'tool_failed',
      message: 'one\ntwo',
      details: { content: result.content, structuredContent: { sum: 3 } },
    }),
  );
  expect(() => orThrow({ content: [], isError: true })).toThrow('the tool failed without a word');
});
