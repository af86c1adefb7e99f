// --store: what a command serves outlives it.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Child } from '../support/child-process.ts';
import { announcementOf, expectUsageError, requireBuild } from '../support/cli.ts';
import { send } from '../support/http-client.ts';
import { lastingPort } from '../support/lasting-port.ts';
import { modern, notification, postHeaders, request, startSession } from '../support/mcp-http.ts';
import { fixture, mcpJson, Project, trusting } from '../support/project.ts';
import { hasRedis, RedisServer } from '../support/redis.ts';
import { sample } from '../support/scale.ts';

beforeAll(requireBuild);

const project = new Project({ 'mcp.json': mcpJson({ odd: fixture('odd') }) });
afterAll(() => project[Symbol.dispose]());

/** Starts a command at a port of its own, and says where it serves. */
async function start(
  ...args: readonly string[]
): Promise<{ readonly child: Child; readonly url: string }> {
  const child = project.start(...args, '--json');
  const { url } = await announcementOf(child);
  return { child, url };
}

const inState = ['--store', 'state'];

const commands: Readonly<Record<string, (port: string) => readonly string[]>> = {
  'serve --store': (port) => ['serve', '--port', port, ...inState],
  'cocos serve --store': (port) => ['cocos', 'serve', '--sample', '--port', port, ...inState],
  'up --store': (port) => ['up', '--sample', '--port', port, ...inState],
  'up by itself': (port) => ['up', '--sample', '--port', port],
  'bridge --store of a program': (port) => [
    'bridge',
    'odd',
    '--http',
    port,
    ...trusting,
    ...inState,
  ],
};

describe.each(Object.entries(commands))('mcpctl %s', (command, commandAt) => {
  const signals = sample(
    ['SIGTERM', 'SIGKILL'] as const,
    2,
    Object.keys(commands).indexOf(command),
  );
  test.each(signals.tried)(`${signals.share}: keeps sessions over %s`, async (signal) => {
    const port = String(await lastingPort());
    const first = await start(...commandAt(port));
    const session = await startSession(first.url);
    const before = await session.request('tools/list');
    await first.child.stop(signal);
    const second = await start(...commandAt(port));
    await using _child = second.child;
    const after = await session.request('tools/list');
    expect(after.message).toHaveProperty('result.tools');
    expect(after.message.result).toEqual(before.message.result);
  });
});

describe.skipIf(!hasRedis)('with --store redis://HOST:PORT', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  test.each([
    ['serve', []],
    ['up', ['--sample']],
    ['bridge', ['odd', ...trusting]],
  ])('several processes of mcpctl %s serve a session', async (command, args) => {
    const place = ['--store', redis.url];
    const at = command === 'bridge' ? ['--http', '0'] : ['--port', '0'];
    const first = await start(command, ...args, ...at, ...place);
    await using _first = first.child;
    const second = await start(command, ...args, ...at, ...place);
    await using _second = second.child;
    const session = await startSession(first.url, { ready: false });
    const headers = { ...postHeaders, ...session.headers };
    await send(second.url, { body: notification('notifications/initialized'), headers });
    for (const { url } of [first, second]) {
      const { message } = await send(url, { body: request('list', 'tools/list'), headers });
      expect(message).toHaveProperty('result.tools');
    }
  });
});

test('plans and keys of governed tools are known after a restart', async () => {
  const first = await start('serve', '--governed', '--port', '0', ...inState);
  const write = { name: 'milk', text: 'Two bottles.' };
  const call = async (url: string, more: object): Promise<Record<string, unknown>> => {
    const params = { name: 'set_note_text', arguments: { ...write, ...more } };
    const { message } = await send(url, modern('tools/call', params));
    return Object(message.result?.['structuredContent']) as Record<string, unknown>;
  };
  const { data } = await call(first.url, { dryRun: true });
  const { planToken } = Object(data) as { readonly planToken: string };
  await call(first.url, { name: 'bread', idempotencyKey: 'one' });
  await first.child.stop('SIGTERM');

  const second = await start('serve', '--governed', '--port', '0', ...inState);
  await using _child = second.child;
  expect(await call(second.url, { planToken })).toMatchObject({ success: true });
  const again = await call(second.url, { name: 'bread', idempotencyKey: 'one' });
  expect(again).toMatchObject({ success: true, meta: { replayed: true } });
});

test('a place that cannot be one is refused, and memory leaves nothing behind', async () => {
  const refused = await project.run('serve', '--store', 'https://localhost');
  expectUsageError(refused, /--store cannot be/, /Name a folder, redis:/);
  const away = await project.run('serve', '--port', '0', '--store', 'redis://:secret@127.0.0.1:9');
  expect(away.code).not.toBe(0);
  expect(away.stderr).toContain('Start Redis or Valkey there');
  expect(away.stderr).not.toContain('secret');
  const file = project.write('taken', 'a file');
  const inFile = await project.run('serve', '--store', path.join(file, 'state'));
  expect(inFile.code).not.toBe(0);
  expect(inFile.stderr).toContain('Name a folder that you may write to');
  expect(inFile.stderr).not.toContain('    at ');
  const child = project.start('serve', '--port', '0', '--json', '--store', 'memory');
  const { url } = await announcementOf(child);
  const body = request(1, 'ping');
  expect((await send(url, { body, headers: postHeaders })).status).toBe(400);
  await child.stop('SIGTERM');
  expect(readdirSync(project.folder)).not.toContain('memory');
});

test('mcpctl up goes on in memory where its usual place cannot be written, and says so', async () => {
  using other = new Project({}, { XDG_STATE_HOME: project.write('no-folder', 'a file') });
  await using child = other.start('up', '--sample', '--port', '0', '--json');
  const { url } = await announcementOf(child);
  expect(child.stderr).toContain('state is kept in memory');
  const session = await startSession(url);
  expect((await session.request('ping')).status).toBe(200);
});
