import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sample } from '../support/scale.ts';
import { serveFixtureHttp } from './fixture.mjs';
import { fixtureCommand, inspectorCommand, makeReady } from './peers.mjs';
import { readyMs } from './try-features.ts';

const patienceMs = 60_000;

let home = '';
let fixture: Awaited<ReturnType<typeof serveFixtureHttp>>;

beforeAll(async () => {
  await makeReady();
  home = await mkdtemp(path.join(tmpdir(), 'mcp-kit-inspector-'));
  fixture = await serveFixtureHttp();
}, readyMs);

afterAll(async () => {
  await fixture.close();
  await rm(home, { recursive: true, force: true });
});

interface Run {
  readonly code: number;
  readonly output: unknown;
}

/** Runs the Inspector, which keeps what it remembers in a home of its own. */
function inspect(args: readonly string[]): Promise<Run> {
  const [command, ...before] = inspectorCommand();
  const all = [...before, '--format', 'json', '--quiet', ...args];
  const env = { PATH: process.env['PATH'], HOME: home };
  return new Promise((resolve) => {
    execFile(command, all, { env, timeout: patienceMs }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : -1;
      resolve({ code, output: code === 0 ? JSON.parse(stdout) : stderr });
    });
  });
}

interface Request {
  readonly name: string;
  readonly args: readonly string[];
  readonly result: object;
}

const toolRequests: readonly Request[] = [
  {
    name: 'lists the tools and finds their schemas portable',
    args: ['--method', 'tools/list', '--strict'],
    result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'change_list' })]) },
  },
  {
    name: 'calls a tool',
    args: '--method tools/call --tool-name measure --tool-args-json {"text":"wörd"}'.split(' '),
    result: { structuredContent: { characters: 4, words: ['wörd'] } },
  },
];

const contentRequests: readonly Request[] = [
  {
    name: 'lists the resources',
    args: ['--method', 'resources/list'],
    result: {
      resources: expect.arrayContaining([expect.objectContaining({ uri: 'memo://gone' })]),
    },
  },
  {
    name: 'reads a resource by its template',
    args: ['--method', 'resources/read', '--uri', 'shelf://prose/b'],
    result: { contents: [{ uri: 'shelf://prose/b', text: '{"shelf":"prose","book":"b"}' }] },
  },
  {
    name: 'lists the prompts',
    args: ['--method', 'prompts/list'],
    result: {
      prompts: expect.arrayContaining([expect.objectContaining({ name: 'with_resource' })]),
    },
  },
  {
    name: 'gets a prompt',
    args: ['--method', 'prompts/get', '--prompt-name', 'review', '--prompt-args', 'language=ruby'],
    result: { messages: [{ content: { text: 'Review this ruby.' } }, { role: 'assistant' }] },
  },
];

/** Each start of the Inspector costs a second: content is asked for once per era and once per wire; half of it where somebody waits. */
const rows = [
  { era: 'legacy', over: 'stdio', requests: toolRequests },
  { era: 'legacy', over: 'http', requests: [...toolRequests, ...contentRequests] },
  { era: 'modern', over: 'stdio', requests: [...toolRequests, ...contentRequests] },
  { era: 'modern', over: 'http', requests: toolRequests },
];

for (const [turn, { era, over, requests }] of rows.entries()) {
  const { tried, share } = sample(requests, 2, turn);
  describe(`The Inspector over ${over}, of the ${era} era, ${share} tried,`, () => {
    const target = () =>
      over === 'http'
        ? ['--transport', 'http', '--server-url', fixture.url]
        : ['--', fixtureCommand.command, ...fixtureCommand.args];

    test.concurrent.each(tried.map(({ name, ...request }) => [name, request] as const))(
      '%s',
      async (_name, { args, result }) => {
        const run = await inspect(['--protocol-era', era, ...args, ...target()]);
        expect(run).toMatchObject({ code: 0, output: { result } });
      },
      patienceMs,
    );
  });
}
