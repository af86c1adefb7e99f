import path from 'node:path';
import { openSession, type Session } from 'mcp-kit/client';
import { memoryTarget } from 'mcp-kit/testing';
import { childTarget } from 'mcp-kit/transport/child-process';
import { beforeAll, describe, expect, test } from 'vitest';
import { differences } from '../../packages/mcpctl/src/transcript/compare.ts';
import { mockOf } from '../../packages/mcpctl/src/transcript/mock.ts';
import { readTranscript } from '../../packages/mcpctl/src/transcript/transcript.ts';
import { mcpctl, root } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';
import { Project, trusting } from '../support/project.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

const firstTool = [process.execPath, path.join(root, 'examples/first-tool.mjs')];
const numbers = { command: firstTool[0], args: firstTool.slice(1) };

/** A recording as `mcpctl record` writes it: requests with their answers, one after the other. */
function recorded(
  ...calls: readonly (readonly [method: string, params: object, answer: object])[]
) {
  const info = { name: 'recorded', version: '3' };
  const greeting = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: info };
  const hello = ['initialize', { capabilities: {} }, { result: greeting }] as const;
  const lines = [hello, ...calls].flatMap(([method, params, answer], id) => [
    { direction: 'sent', message: { jsonrpc: '2.0', id, method, params } },
    { direction: 'received', message: { jsonrpc: '2.0', id, ...answer } },
  ]);
  const at = '2026-11-18T08:00:00.000Z';
  return lines
    .map((line) => JSON.stringify({ at, conversation: 1, side: 'server', ...line }))
    .join('\n');
}

const said = (text: string): object => ({ result: { content: [{ type: 'text', text }] } });
const echo = (text: string): object => ({ name: 'echo', arguments: { text } });

const call = async (session: Session, text: string): Promise<unknown> => {
  const { content } = await session.callTool('echo', { text });
  const [block] = content;
  return block !== undefined && 'text' in block ? block.text : undefined;
};

describe('A mock', () => {
  test.each(['legacy', 'modern'] as const)(
    'answers a client of the %s era as was recorded, in that order',
    async (era) => {
      using place = new Project();
      const file = place.write(
        'wire.jsonl',
        recorded(
          [
            'tools/list',
            {},
            { result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } },
          ],
          ['tools/call', echo('a'), said('first')],
          ['tools/call', echo('a'), said('second')],
          ['tools/call', echo('key ***'), said('masked')],
          ['tools/call', echo('b'), { error: { code: -32055, message: 'no b', data: { why: 1 } } }],
        ),
      );
      const { recordings } = await readTranscript(file);
      const [recording] = recordings;
      if (recording === undefined) throw new Error('nothing was read');
      await using session = await openSession(memoryTarget(mockOf(recording)), { era });
      expect(session.server).toMatchObject({ name: 'recorded', version: '3' });
      expect((await session.listTools()).tools).toMatchObject([{ name: 'echo' }]);
      expect(await call(session, 'a')).toBe('first');
      expect(await call(session, 'a')).toBe('second');
      expect(await call(session, 'a')).toBe('second');
      expect(await call(session, 'key 12345')).toBe('masked');
      await expect(call(session, 'b')).rejects.toMatchObject({ code: -32055, message: 'no b' });
      await expect(call(session, 'c')).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('no answer to tools/call echo with these parameters'),
        data: { recorded: expect.arrayContaining([echo('a')]) },
      });
      await expect(session.readResource('memo://x')).rejects.toMatchObject({ code: -32602 });
    },
  );
});

describe('Answers', () => {
  const loose = { ignore: [], exact: false };

  test('differ where a value does, and nowhere else', () => {
    const one = { content: [{ text: 'a' }], count: 1, only: true };
    const other = { content: [{ text: 'b' }, { text: 'c' }], count: 1 };
    expect(differences(one, other, loose)).toEqual([
      { path: 'content.0.text', recorded: 'a', now: 'b' },
      { path: 'content.1', recorded: undefined, now: { text: 'c' } },
      { path: 'only', recorded: true, now: undefined },
    ]);
    const ignore = ['content.*.text', 'content.1', 'on*'];
    expect(differences(one, other, { ...loose, ignore })).toEqual([]);
    expect(
      differences({ a: { b: { c: 1 } } }, { a: { b: { c: 2 } } }, { ...loose, ignore: ['a.**'] }),
    ).toEqual([]);
  });

  test('do not differ by times, made-up ids and what was masked, unless they are to', () => {
    const then = 'at 2026-11-18T08:00:00Z, 0d9f3a52-1111-4222-8333-444455556666, key ***';
    const now = 'at 2027-01-01T09:30:00.123Z, ffffffff-1111-4222-8333-444455556666, key abc';
    expect(differences(then, now, loose)).toEqual([]);
    expect(differences(then, now, { ...loose, exact: true })).toHaveLength(1);
    expect(differences('key *** end', 'key abc', loose)).toHaveLength(1);
  });
});

describe('mcpctl replay', () => {
  test('shows what differs, by its exit code as well', async () => {
    const sum = { name: 'get_number_sum', arguments: { a: 2, b: 3 } };
    using place = new Project();
    place.write('wire.jsonl', recorded(['tools/call', sum, said('2 + 3 = 6')]));
    const run = (...more: string[]) =>
      place.run('replay', 'wire.jsonl', ...more, '--', ...firstTool);
    const shown = await run('--ignore', 'info.**', '--ignore', 'capabilities.**');
    expect(shown.code).toBe(1);
    expect(shown.stdout).toContain('#1 tools/call get_number_sum result.content.0.text');
    expect(shown.stdout).toContain('- "2 + 3 = 6"\n+ "2 + 3 = 5"\n');
    expect(shown.stderr).toMatch(/1 call, \d differences? /);
    // What may differ can be said in the recording.
    const ignore = JSON.stringify({ ignore: ['**'] });
    place.write('wire.jsonl', `${ignore}\n${recorded(['tools/call', sum, said('2 + 3 = 6')])}`);
    const { code, stdout } = await run('--json');
    expect({ code, report: JSON.parse(stdout) as unknown }).toMatchObject({
      code: 0,
      report: { same: true, servers: [{ calls: 1, skipped: 0, differences: [] }] },
    });
  });

  oneIn(3)([
    [['replay', 'missing.jsonl', 'x'], 'missing.jsonl cannot be read'],
    [['replay', 'bad.jsonl', 'x'], 'bad.jsonl:1 is no line of a recording'],
    [['mock', 'empty.jsonl'], 'empty.jsonl has no messages of a server'],
    [['record', 'x'], '--out is missing'],
  ])('says what is wrong with %j', async (args, what) => {
    using place = new Project({ 'bad.jsonl': 'no line', 'empty.jsonl': '{}' });
    const { code, stderr } = await place.run(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(what);
  });
});

test('mcpctl up writes down what crosses to each server, and that can be replayed', async () => {
  using place = new Project({ '.mcp.json': { mcpServers: { numbers, more: numbers } } });
  const args = [mcpctl, 'up', '--stdio', '--record', 'wire.jsonl', ...trusting];
  const command = { command: process.execPath, args, cwd: place.folder, env: { HOME: place.home } };
  const session = await openSession(childTarget(command));
  await session.callTool('numbers__get_number_sum', { a: 2, b: 3 });
  await session.close();
  const { recordings } = await readTranscript(path.join(place.folder, 'wire.jsonl'));
  expect(new Set(recordings.map(({ server }) => server))).toEqual(new Set(['more', 'numbers']));
  const { code, stdout } = await place.run('replay', 'wire.jsonl', '--json', ...trusting);
  expect(JSON.parse(stdout)).toMatchObject({ same: true });
  expect(code).toBe(0);
});
