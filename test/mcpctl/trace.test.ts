import { traceFile } from 'mcp-kit/tools/inspect';
import type { Trace } from 'mcp-kit/tools';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireBuild, startHttp } from '../support/cli.ts';
import { fixture, mcpJson, Project, samples, trusting, type Finished } from '../support/project.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

const project = new Project({ 'mcp.json': mcpJson({ odd: fixture('odd') }) });
afterAll(() => project[Symbol.dispose]());

const trace = (...args: readonly string[]): Promise<Finished> => project.run('trace', ...args);

const slow: Trace = {
  traceId: 'trc_0af7651916cd43dd8448eb211c80319c_1',
  tool: 'find_book_titles',
  timestamp: '2026-01-01T00:00:00.000Z',
  durationMs: 40,
  success: true,
  errorCode: null,
  argsSummary: { word: 'sea' },
  spans: [
    { name: 'validate', parent: -1, startMs: 0, durationMs: 1 },
    { name: 'run', parent: -1, startMs: 10, durationMs: 30 },
    { name: 'search', parent: 1, startMs: 20, durationMs: 20 },
  ],
};
const failed: Trace = {
  ...slow,
  traceId: 'trc_b',
  durationMs: 3,
  success: false,
  errorCode: 'E_CONFLICT',
  spans: [],
};
const asking: Trace = { ...failed, traceId: 'trc_c', tool: 'get_trace_by_id', durationMs: 99 };

describe('trace --file', () => {
  beforeAll(async () => {
    const file = traceFile(project.write('traces.ndjson', ''));
    for (const each of [slow, failed, asking]) file.sink(each);
    await file.close();
    project.write('cut.ndjson', `${String(project.read('traces.ndjson'))}{"traceId":"trc_d","to`);
    project.write('empty.ndjson', '');
  });

  test('draws the steps of a call over its time', async () => {
    const { code, stdout, stderr } = await trace(slow.traceId, '--file', 'traces.ndjson');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [head, args, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toBe(`${slow.traceId} ${slow.timestamp} ok`);
    expect(args).toBe('arguments {"word":"sea"}');
    const drawn = rows.map((row) => /^( *)(\w+) +([\d.]+) ms( +)█+$/.exec(row)?.slice(1));
    expect(drawn.map((row) => row?.slice(0, 3))).toEqual([
      ['', 'find_book_titles', '40'],
      ['  ', 'validate', '1.00'],
      ['  ', 'run', '30'],
      ['    ', 'search', '20'],
    ]);
    const begins = drawn.map((row) => row?.[3]?.length ?? 0);
    expect(begins).toEqual(begins.toSorted((a, b) => a - b));
    expect(new Set(begins).size).toBe(3);
  });

  oneIn(2)<[readonly string[], string]>([
    [['--last'], 'trc_b'],
    [['--slow'], slow.traceId],
    [['trc_b'], 'trc_b'],
    // What its caller calls the whole trace.
    [['trc_0af7651916cd43dd8448eb211c80319c'], slow.traceId],
    [['trc_c'], 'trc_c'],
  ])('%j is the right one, also when the last line is cut short', async (which, traceId) => {
    for (const file of ['traces.ndjson', 'cut.ndjson']) {
      const { code, stdout } = await trace(...which, '--file', file, '--json');
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ traceId });
    }
  });

  test('shows nothing that a terminal would obey', async () => {
    const spans = [{ name: 'a\u001B[2J\nb', parent: -1, startMs: 0, durationMs: 1 }];
    const hostile = { ...slow, tool: 't\u001B]0;x\u0007', spans };
    project.write('hostile.ndjson', `${JSON.stringify(hostile)}\n`);
    const { code, stdout } = await trace('--last', '--file', 'hostile.ndjson');
    expect(code).toBe(0);
    for (const obeyed of ['\u001B', '\u0007']) expect(stdout).not.toContain(obeyed);
    expect(stdout.trimEnd().split('\n')).toHaveLength(4);
  });

  oneIn(4)<[readonly string[], RegExp]>([
    [['trc_x', '--file', 'traces.ndjson'], /has no call trc_x among 3 traces\nThe latest is trc_c/],
    [['--last', '--file', 'empty.ndjson'], /empty\.ndjson has no traces/],
    [['--last', '--file', 'mcp.json'], /mcp\.json has no traces/],
    [['--last', '--file', 'missing'], /--file missing cannot be read \(ENOENT\)/],
    [['--file', 'traces.ndjson'], /which call\?/],
    [[], /which call\?/],
    [['--last', '--slow', 'odd'], /--last and --slow exclude each other/],
    [['--last', 'trc_b', 'odd'], /unexpected argument "trc_b"/],
    [['--last', 'odd', '--file', 'traces.ndjson'], /--file and odd exclude each other/],
    [['--last', 'add'], /unknown mcp server: add\nDid you mean odd\?/],
  ])('%j is a usage error', async (args, message) => {
    const { code, stdout, stderr } = await trace(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('trace of a live server', () => {
  test('finds a call by its id, the last one, and the slowest', async () => {
    const { child, announced } = await startHttp('--profile', 'v2');
    await using _ = child;
    const at = ['--url', announced.url];
    const call = async (...args: readonly string[]): Promise<string> => {
      const { stdout } = await project.run('call', ...args, ...at, '--json');
      const { structuredContent }: { structuredContent: { meta: { traceId: string } } } =
        JSON.parse(stdout);
      return structuredContent.meta.traceId;
    };
    const counting = await call('execute_timer_countdown', 'from=3', 'stepMs=500');
    const telling = await call('get_time_now');
    const found = async (...args: readonly string[]): Promise<unknown> => {
      const { stdout } = await trace(...args, ...at, '--json');
      return (JSON.parse(stdout) as Trace).traceId;
    };
    expect(await found('--last')).toBe(telling);
    // Whoever asks does not become the last.
    expect(await found('--last')).toBe(telling);
    expect(await found('--slow')).toBe(counting);
    expect(await found(counting)).toBe(counting);
    const drawn = await trace(counting, ...at);
    expect(drawn.code).toBe(0);
    expect(drawn.stdout).toMatch(/^execute_timer_countdown +\d+ ms █+$/m);
    const unknown = await trace('trc_none', ...at);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toMatch(/No call with trace trc_none is remembered\n.*--file/);
  });

  test('of one that does not tell says what to do', async () => {
    for (const args of [
      ['--last', 'odd', ...trusting],
      // The only one there is need not be named.
      ['--last', ...trusting],
      ['trc_b', 'odd', ...trusting],
      ['--last', '--', ...samples],
    ]) {
      const { code, stderr } = await trace(...args, '--quiet');
      expect({ args, code }).toEqual({ args, code: 1 });
      expect(stderr).toMatch(/does not tell of its calls\nOnly governed servers/);
    }
  });

  test('of one that tells nonsense says so', async () => {
    const tool = { inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
    const answers = {
      'tools/list': { result: { tools: [{ name: 'get_trace_by_id', ...tool }] } },
      'tools/call': { result: { content: [], structuredContent: { data: { traceId: 'x' } } } },
    };
    const env = `BLUNT=${JSON.stringify(answers)}`;
    const { code, stderr } = await trace('--last', '--env', env, '--', ...fixture('blunt'));
    expect(code).toBe(1);
    expect(stderr).toMatch(/what it tells of the call is not a trace/);
  });

  test('wants to know of which server, where there are several', async () => {
    using several = new Project({ 'mcp.json': mcpJson({ one: samples, two: samples }) });
    const { code, stderr } = await several.run('trace', '--last', ...trusting, '--quiet');
    expect(code).toBe(2);
    expect(stderr).toMatch(/of which server\?\nThere are: one, two\./);
  });
});
