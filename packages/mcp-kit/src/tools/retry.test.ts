import { describe, expect, test } from 'vitest';
import { KitError } from '#base';
import type { Params } from '#jsonrpc';
import type { CallToolResult, Tool as ListedTool } from '#protocol';
import { callWithRetries } from './retry.ts';

const writing: ListedTool = {
  name: 'create_note_text',
  inputSchema: { type: 'object', properties: { idempotencyKey: { type: 'string' } } },
  annotations: { readOnlyHint: false },
};
const keyless: ListedTool = { ...writing, inputSchema: { type: 'object' } };
const reading: ListedTool = { ...keyless, annotations: { readOnlyHint: true } };

const done: CallToolResult = { content: [] };
const failed = (retryable: boolean): CallToolResult => ({
  content: [],
  isError: true,
  structuredContent: { error: { code: 'E_X', retryable } },
});

/** Calls whose answers are given, and what they were called with. */
async function run(
  tool: ListedTool,
  answers: readonly (CallToolResult | Error)[],
  args: Params = {},
): Promise<{ seen: Params[]; ended: unknown }> {
  const seen: Params[] = [];
  const left = [...answers];
  const ended = await callWithRetries({
    tool,
    args,
    delayMs: () => 0,
    async call(sent) {
      seen.push(sent);
      const answer = left.shift();
      if (answer instanceof Error) throw answer;
      return answer ?? done;
    },
  }).catch((error: unknown) => error);
  return { seen, ended };
}

const lost = new KitError('answer_lost', 'gone');
const unreachable = new KitError('unreachable', 'nobody there');

describe('a call that takes a key', () => {
  test('has one key for all attempts, and is repeated until it is answered', async () => {
    const { seen, ended } = await run(writing, [lost, failed(true), done]);
    expect(ended).toMatchObject({ attempts: 3, result: done });
    expect(new Set(seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(seen[0]?.['idempotencyKey']).toMatch(/.{20}/);
  });

  test('keeps a key that was given', async () => {
    const { seen, ended } = await run(writing, [done], { idempotencyKey: 'mine' });
    expect(seen).toEqual([{ idempotencyKey: 'mine' }]);
    expect(ended).toMatchObject({ idempotencyKey: 'mine' });
  });

  test('gives up after so many attempts, with the last answer', async () => {
    const { seen, ended } = await run(
      writing,
      Array.from({ length: 9 }, () => failed(true)),
    );
    expect(seen).toHaveLength(4);
    expect(ended).toMatchObject({ result: { isError: true } });
  });

  test('is not repeated when that would not help', async () => {
    expect((await run(writing, [failed(false)])).seen).toHaveLength(1);
    const replayed = { error: { code: 'E_X', retryable: true }, meta: { replayed: true } };
    const again = { ...failed(true), structuredContent: replayed };
    expect((await run(writing, [failed(true), again, done])).seen).toHaveLength(2);
    const refused = new KitError('unauthorized', 'no');
    expect((await run(writing, [refused])).ended).toBe(refused);
  });
});

test('what may have run and takes no key is not repeated', async () => {
  expect(await run(keyless, [lost, done])).toMatchObject({ seen: [{}], ended: lost });
  expect((await run(keyless, [failed(true), done])).seen).toHaveLength(1);
});

test('what was never sent is repeated in any case', async () => {
  expect((await run(keyless, [unreachable, done])).seen).toHaveLength(2);
});

test('what only reads is repeated', async () => {
  expect((await run(reading, [lost, done])).seen).toHaveLength(2);
});

test('a dry run is repeated, and needs no key', async () => {
  const { seen } = await run(writing, [lost, done], { dryRun: true });
  expect(seen).toEqual([{ dryRun: true }, { dryRun: true }]);
});
