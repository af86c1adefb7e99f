import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mcpctl, root } from '../support/child-process.ts';
import { Project } from '../support/project.ts';
import { connectHost, type Session, type Speaker } from './hosts.ts';
import { fixtureCommand, makeReady } from './peers.mjs';

const v1: Speaker = { sdk: 'v1' };
const v2: Speaker = { sdk: 'v2', mode: { pin: '2026-07-28' } };

const everythingCommand = {
  command: process.execPath,
  args: [
    path.join(root, 'peers/node_modules/@modelcontextprotocol/server-everything/dist/index.js'),
  ],
};

/** What to call on each server: results, failures, errors, progress, logs and questions. */
const fixtureCalls: readonly (readonly [string, object?])[] = [
  ['greet', { name: 'Ada' }],
  ['echo', { text: 'one' }],
  ['show_all_content'],
  ['refuse'],
  ['greet'],
  ['count', { to: 3 }],
  ['ask_name'],
  ['ask_in_turn'],
  ['sample'],
  ['list_roots'],
  ['no_such_tool'],
];
const everythingCalls: readonly (readonly [string, object?])[] = [
  ['echo', { message: 'hi' }],
  ['get-sum', { a: 2, b: 3 }],
  ['get-tiny-image'],
  ['get-structured-content', { location: 'Chicago' }],
  ['get-sum', { a: 'two' }],
];

let place: Project;
beforeAll(async () => {
  await makeReady();
  place = new Project();
});
afterAll(() => place[Symbol.dispose]());

type Fields = Record<string, unknown>;

/** Everything that a client sees who asks for lists and calls. */
async function tour(session: Session, calls: typeof fixtureCalls): Promise<object> {
  const { client } = session;
  const outcomes: unknown[] = [];
  for (const [name, args] of calls) {
    outcomes.push(await settled(session.call(name, args, { onprogress: () => {} })));
  }
  return {
    // The newer SDK does not show how tools are executed.
    tools: (await client.listTools()).tools.map(({ execution: _, ...tool }: Fields) => tool),
    prompts: await settled(client.listPrompts()),
    resources: await settled(client.listResources()),
    templates: await settled(client.listResourceTemplates()),
    outcomes,
    // Servers ask for roots when they like; that is not part of a call.
    asked: session.asked.map(({ method }) => method).filter((method) => method !== 'roots/list'),
  };
}

/** The words of the modern era around a result, and who says it, are not what was asked for. */
async function settled(promise: Promise<unknown>): Promise<unknown> {
  try {
    const { _meta, resultType, ttlMs, cacheScope, ...rest } = Object(await promise);
    return rest;
  } catch (error) {
    const { code, message } = Object(error) as { code?: unknown; message?: unknown };
    return { code, message };
  }
}

/** The same through mcpctl, with its client. */
async function through(
  args: readonly string[],
  speaker: Speaker,
  calls: typeof fixtureCalls,
): Promise<object> {
  const command = { command: process.execPath, args: [mcpctl, ...args] };
  const session = await connectHost({ kind: 'stdio', command }, speaker);
  try {
    return await tour(session, calls);
  } finally {
    await session.close();
  }
}

const wordsOf = ({ command, args }: { command: string; args: readonly string[] }): string[] => [
  '--',
  command,
  ...args,
];

describe.each([
  {
    name: 'ours, as SDK v1 sees it',
    server: fixtureCommand,
    speaker: v1,
    calls: fixtureCalls,
    mocked: [v1],
  },
  {
    name: 'ours, as SDK v2 sees it',
    server: fixtureCommand,
    speaker: v2,
    calls: fixtureCalls,
    mocked: [v2],
  },
  {
    name: 'server-everything',
    server: everythingCommand,
    speaker: v1,
    calls: everythingCalls,
    mocked: [v1, v2],
  },
])('A recording of $name', ({ name, server, speaker, calls, mocked }) => {
  test('is answered the same by the server, and served the same without it', async () => {
    const file = path.join(place.folder, `${name}.jsonl`);
    const seen = await through(['record', '--out', file, ...wordsOf(server)], speaker, calls);
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();

    const replayed = await place.run('replay', file, '--json', ...wordsOf(server));
    const report = JSON.parse(replayed.stdout) as { same: boolean; servers: object[] };
    expect(report.servers).toMatchObject([{ skipped: 0, differences: [] }]);
    expect(replayed.code).toBe(0);

    for (const one of mocked) expect(await through(['mock', file], one, calls)).toEqual(seen);
  });
});
