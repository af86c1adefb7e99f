import * as fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Gateway } from '@mcp-kit/host/gateway';
import { openSession, type Session } from 'mcp-kit/client';
import { memoryTarget } from 'mcp-kit/testing';
import { serveHttp } from 'mcp-kit/transport/http';
import { tool } from 'mcp-kit/tools';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cpuMs, cpuMsOf } from '../../support/cpu-time.ts';
import { gatewayOf, namesOf, sessionWith } from './servers.ts';

type Result = Readonly<Record<string, unknown>>;

/** What the tool `say` answers next. */
let next: Result = { content: [] };
const object = { type: 'object', properties: {}, additionalProperties: false } as const;
const rows = {
  type: 'object',
  properties: { rows: { type: 'array', items: { type: 'object' } } },
  required: ['rows'],
} as const;
const say = tool({ name: 'say', description: 'Says it.', input: object, run: () => next });
const many = (count: number) => ({
  rows: Array.from({ length: count }, (_, id) => ({ id, name: `row number ${id}` })),
});
const listRows = tool({
  name: 'rows',
  description: 'Lists rows.',
  input: object,
  output: rows,
  run: () => many(20_000),
});
const strictRows = tool({
  name: 'strict',
  description: 'Lists rows, and nothing else.',
  input: object,
  output: { ...rows, additionalProperties: false },
  run: () => many(20_000),
});

let all: Gateway;
beforeAll(async () => {
  all = await gatewayOf({ big: [say, listRows, strictRows] });
});
afterAll(() => all.close());

const textIn = (result: Result, at = 0): string => {
  const block = (result['content'] as { readonly text?: string }[])[at];
  return block?.text ?? '';
};
const idIn = (result: Result): string => {
  const { id } = Object(Object(result['_meta'])['mcp-kit/kept']);
  return String(id);
};

async function readAll(session: Session, id: string, path: string): Promise<string> {
  const parts: string[] = [];
  let offset = 0;
  for (;;) {
    const part = (await session.callTool('read_result', { id, path, offset })) as unknown as Result;
    expect(part['isError'] ?? false).toBe(false);
    const text = textIn(part);
    parts.push(text);
    offset += text.length;
    if (textIn(part, 1).endsWith('That is the end.')) return parts.join('');
  }
}

describe.each(['legacy', 'modern'] as const)('for a %s client', (era) => {
  test('10 MB cost little, and every byte of them can be read', async () => {
    await using session = await sessionWith(all, 'somebody', era);
    const text = 'a line of text, é and 😀\n'.repeat(400_000);
    next = { content: [{ type: 'text', text }] };
    const result = (await session.callTool('big__say')) as unknown as Result;
    expect(countTokens(JSON.stringify(result))).toBeLessThanOrEqual(2000);
    expect(textIn(result)).toContain(`text of ${text.length} characters`);
    expect(await readAll(session, idIn(result), '$.content[0].text')).toBe(text);
    const { contents } = await session.readResource(`mcp-kit-result:${idIn(result)}`);
    expect(JSON.parse(Object(contents[0]).text)).toMatchObject(next);
  });

  test('the tool that reads is listed once there is something to read', async () => {
    await using fresh = await gatewayOf({ big: [say] });
    const told: string[] = [];
    await using session = await openSession(memoryTarget(fresh), {
      era,
      probeTimeoutMs: 60_000,
      onNotification: ({ method }) => void told.push(method),
    });
    expect(await namesOf(session)).toEqual(['big__say']);
    next = { content: [{ type: 'text', text: 'x'.repeat(200_000) }] };
    const before = told.length;
    await session.callTool('big__say');
    await expect.poll(() => told.length).toBe(before + 1);
    expect(await namesOf(session)).toEqual(['big__say', 'read_result']);
  });

  test('a small result is what the server gave', async () => {
    await using session = await sessionWith(all, 'somebody', era);
    next = { content: [{ type: 'text', text: 'x'.repeat(90_000) }] };
    expect(textIn((await session.callTool('big__say')) as unknown as Result)).toHaveLength(90_000);
  });

  test('a structured result stays what its schema says, and says that it is shortened', async () => {
    await using session = await sessionWith(all, 'somebody', era);
    const result = (await session.callTool('big__rows')) as unknown as Result;
    expect(result['isError'] ?? false).toBe(false);
    expect(result['structuredContent']).toMatchObject({
      rows: [{ id: 0, name: 'row number 0' }, { id: 1 }, { id: 2 }],
      'mcp-kit/shortened': expect.stringContaining(idIn(result)),
    });
    expect(textIn(result)).toContain('$.structuredContent: {rows: list of 20000: {id: number');
    const names = await session.callTool('read_result', {
      id: idIn(result),
      path: '$.structuredContent.rows[19998:].name',
    });
    expect(textIn(names as unknown as Result)).toBe('["row number 19998","row number 19999"]');
    const whole = await readAll(session, idIn(result), '$.structuredContent');
    expect(JSON.parse(whole)).toEqual(many(20_000));
  });

  test('where no shorter form is right, the call is said to have succeeded', async () => {
    await using session = await sessionWith(all, 'somebody', era);
    const result = (await session.callTool('big__strict')) as unknown as Result;
    expect(result).toMatchObject({ isError: true });
    expect(result['structuredContent']).toBeUndefined();
    expect(textIn(result)).toContain('The call has SUCCEEDED; do not repeat it');
    expect(JSON.parse(await readAll(session, idIn(result), '$.structuredContent'))).toEqual(
      many(20_000),
    );
  });
});

test('an image of a kept result is read as an image', async () => {
  await using session = await sessionWith(all);
  const image = { type: 'image', data: 'QUJD'.repeat(1000), mimeType: 'image/png' };
  next = { content: [{ type: 'text', text: 'x'.repeat(200_000) }, image] };
  const result = (await session.callTool('big__say')) as unknown as Result;
  expect(textIn(result)).toContain('$.content[1]: image image/png, 4000 characters of base64');
  const read = await session.callTool('read_result', { id: idIn(result), path: '$.content[1]' });
  expect(read.content).toEqual([image]);
});

test('a path leads into text that is JSON, and a wrong one is said to be wrong', async () => {
  await using session = await sessionWith(all);
  next = { content: [{ type: 'text', text: JSON.stringify(many(5000)) }] };
  const id = idIn((await session.callTool('big__say')) as unknown as Result);
  const read = async (path: string): Promise<Result> =>
    (await session.callTool('read_result', { id, path })) as unknown as Result;
  expect(textIn(await read('$.content[0].text.rows[4999].name'))).toBe('row number 4999');
  expect(textIn(await read('$.content[0].text.rows[-1]'))).toBe(
    '{"id":4999,"name":"row number 4999"}',
  );
  for (const wrong of ['$.nothing', '$..name', '$.content[9]', '$.content[?(@.x)]']) {
    expect(await read(wrong)).toMatchObject({ isError: true });
  }
});

test('every byte of any result can be read', async () => {
  await using session = await sessionWith(all);
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('😀', '語', 'a', '"', '\\', '\n', '{', '[') }),
  );
  const value = fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' });
  await fc.assert(
    fc.asyncProperty(text, value, fc.integer({ min: 1, max: 40 }), async (one, json, times) => {
      const unit = `${one}${JSON.stringify(json)}`;
      const long = unit.repeat(Math.ceil(110_000 / unit.length) + times);
      next = {
        content: [
          { type: 'text', text: long },
          { type: 'text', text: one },
        ],
        structuredContent: { json },
      };
      const result = (await session.callTool('big__say')) as unknown as Result;
      const id = idIn(result);
      expect(countTokens(JSON.stringify(result))).toBeLessThanOrEqual(2000);
      expect(await readAll(session, id, '$.content[0].text')).toBe(long);
      expect(await readAll(session, id, '$.content[1].text')).toBe(one);
      expect(JSON.parse(await readAll(session, id, '$'))).toMatchObject(
        JSON.parse(JSON.stringify(next)),
      );
    }),
    { numRuns: Math.min(25, Number(process.env['PROPERTY_RUNS'])) },
  );
});

test('a text that is JSON is parsed once, however often it is read', async () => {
  await using session = await sessionWith(all, 'somebody', 'legacy');
  const { rows: items } = many(30_000);
  const text = JSON.stringify(items);
  next = { content: [{ type: 'text', text }] };
  const id = idIn((await session.callTool('big__say')) as unknown as Result);
  const times = 20;
  const parsing = cpuMs(() => {
    for (let time = 0; time < times; time += 1) JSON.parse(text);
  });
  const reading = await cpuMsOf(async () => {
    for (let at = 0; at < times; at += 1) {
      const path = `$.content[0].text[${at * 1500}]`;
      const part = (await session.callTool('read_result', { id, path })) as unknown as Result;
      expect(JSON.parse(textIn(part))).toEqual(items[at * 1500]);
    }
  });
  expect(reading).toBeLessThan(parsing / 2);
});

test('others have their turn while a large result is read, and no long text is parsed at once', async () => {
  await using session = await sessionWith(all, 'somebody', 'legacy');
  const json = JSON.stringify(many(60_000));
  next = { content: [{ type: 'text', text: json }], structuredContent: many(100_000) };
  const id = idIn((await session.callTool('big__say')) as unknown as Result);
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    ticking = setImmediate(turn);
  };
  let ticking = setImmediate(turn);
  const far = { id, path: '$.structuredContent', offset: 3_000_000 };
  const part = await session.callTool('read_result', far);
  clearImmediate(ticking);
  expect(textIn(part as unknown as Result)).toHaveLength(20_000);
  expect(turns).toBeGreaterThanOrEqual(10);
  const inside = await session.callTool('read_result', { id, path: '$.content[0].text.rows[0]' });
  expect(inside).toMatchObject({ isError: true });
  expect(textIn(inside as unknown as Result)).toContain('are read by offset and length');
  const end = { id, path: '$.content[0].text', offset: json.length - 10 };
  const read = (await session.callTool('read_result', end)) as unknown as Result;
  expect(textIn(read)).toBe(json.slice(-10));
});

test('nobody else can read it', async () => {
  next = { content: [{ type: 'text', text: 'x'.repeat(200_000) }] };
  const call = async (key: string, name: string, args: object): Promise<Result> => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const response = await fetch(served.url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': name,
        Authorization: `Bearer ${key}`,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args, _meta: meta },
      }),
    });
    const { result } = (await response.json()) as { readonly result: Result };
    return result;
  };
  const served = await serveHttp(all, {
    answer: 'json',
    admit: ({ headers }) => ({ principal: String(headers['authorization']) }),
  });
  try {
    const id = idIn(await call('ann', 'big__say', {}));
    expect(textIn(await call('ann', 'read_result', { id, length: 5 }))).toBe('{"con');
    expect(await call('bob', 'read_result', { id })).toMatchObject({ isError: true });
  } finally {
    await served.close();
  }
  await using one = await sessionWith(all, 'one', 'legacy');
  await using other = await sessionWith(all, 'other', 'legacy');
  const id = idIn((await one.callTool('big__say')) as unknown as Result);
  expect(await one.callTool('read_result', { id })).not.toMatchObject({ isError: true });
  expect(await other.callTool('read_result', { id })).toMatchObject({ isError: true });
  await expect(other.readResource(`mcp-kit-result:${id}`)).rejects.toThrow(/not found/);
});
