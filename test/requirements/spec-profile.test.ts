import { describe, expect, test } from 'vitest';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { profiles, type ProfileName } from 'mcp-kit/transport/http';
import { send, type Answer } from '../support/http-client.ts';
import {
  initialize,
  modern,
  notification,
  post,
  postHeaders,
  request,
  serving,
  startSession,
  type Served,
} from '../support/mcp-http.ts';

// Where the profiles differ, cell by cell; the rules they share are in shared-rules.test.ts.

function start(profile: ProfileName): Promise<Served> {
  const tools = toolSet([
    tool({ name: 'say', description: 'Says hi.', run: () => 'hi' }),
    tool({
      name: 'count',
      description: 'Reports progress once.',
      async run(_args, context) {
        await context.progress(1);
        return 'counted';
      },
    }),
  ]);
  const server = createServer({ name: 'profiles', version: '1.0.0', features: [tools] });
  return serving(server, { profile });
}

interface Row {
  readonly topic: string;
  /** What can be seen of the topic. */
  look(server: Served): Promise<unknown>;
  readonly expected: Readonly<Record<ProfileName, unknown>>;
}

const same = (value: unknown): Row['expected'] => ({ spec: value, v2: value, '2025-06-18': value });
const statusAndCode = ({ status, message }: Answer): unknown => [status, message.error?.code];
const unknownSession = { 'mcp-session-id': '00000000-0000-4000-8000-000000000000' };
const preferStream = { accept: 'text/event-stream, application/json' };
const count = { name: 'count', _meta: { progressToken: 1 } };

const sessionRows: readonly Row[] = [
  {
    topic: 'a request without MCP-Session-Id',
    look: async ({ url }) => statusAndCode(await post(url, request(1, 'tools/list'))),
    expected: { spec: [400, -32600], v2: [400, -32600], '2025-06-18': [404, -32001] },
  },
  {
    topic: 'a session that never was',
    look: async ({ url }) =>
      statusAndCode(await post(url, request(1, 'tools/list'), unknownSession)),
    expected: { spec: [404, -32001], v2: [400, -32600], '2025-06-18': [404, -32001] },
  },
  {
    topic: 'a session that was deleted',
    async look({ url }) {
      const session = await startSession(url);
      await session.delete();
      return statusAndCode(await session.request('tools/list'));
    },
    expected: { spec: [404, -32001], v2: [400, -32600], '2025-06-18': [404, -32001] },
  },
  {
    topic: 'GET that does not ask for an event stream',
    async look({ url }) {
      const session = await startSession(url);
      return (await session.get({ accept: 'application/json' })).status;
    },
    expected: { spec: 405, v2: 200, '2025-06-18': 405 },
  },
  {
    topic: 'GET before notifications/initialized',
    async look({ url }) {
      const session = await startSession(url, { ready: false });
      return (await session.get({ accept: 'text/event-stream' })).status;
    },
    expected: same(400),
  },
  {
    topic: 'DELETE of a known session',
    look: async ({ url }) => (await (await startSession(url)).delete()).status,
    expected: same(204),
  },
  {
    topic: 'a business method before the session is ready',
    async look({ url }) {
      const session = await startSession(url, { ready: false });
      return statusAndCode(await session.request('tools/list'));
    },
    expected: same([200, -32600]),
  },
];

const messageRows: readonly Row[] = [
  {
    topic: 'a batch',
    async look({ url }) {
      const session = await startSession(url);
      return statusAndCode(await session.post([request(5, 'ping')]));
    },
    expected: { spec: [400, -32600], v2: [200, -32600], '2025-06-18': [400, -32600] },
  },
  {
    topic: 'a batch in a session of 2025-03-26',
    async look({ url }) {
      const session = await startSession(url, { version: '2025-03-26' });
      return statusAndCode(await session.post([request(5, 'ping')]));
    },
    expected: { spec: [200, undefined], v2: [200, -32600], '2025-06-18': [400, -32600] },
  },
  {
    topic: 'a POST that accepts neither JSON nor event streams',
    async look({ url }) {
      const { status, headers } = await initialize(url, { headers: { accept: 'text/html' } });
      return status === 200 ? headers['content-type'] : status;
    },
    expected: { spec: 406, v2: 'application/json', '2025-06-18': 400 },
  },
  {
    topic: 'the version header missing',
    async look({ url }) {
      const { id } = await startSession(url);
      const answer = await post(url, request(2, 'tools/list'), { 'mcp-session-id': id });
      return statusAndCode(answer);
    },
    expected: same([200, undefined]),
  },
  {
    topic: 'the version header unsupported',
    async look({ url }) {
      const session = await startSession(url);
      const headers = { 'mcp-protocol-version': '2023-01-01' };
      return (await session.request('tools/list', {}, headers)).status;
    },
    expected: same(400),
  },
];

const answerRows: readonly Row[] = [
  {
    topic: 'the form of an answer that nothing precedes, JSON preferred',
    async look({ url }) {
      const session = await startSession(url);
      return (await session.request('tools/call', { name: 'say' })).headers['content-type'];
    },
    expected: same('application/json'),
  },
  {
    topic: 'the form of an answer that nothing precedes, an event stream preferred',
    async look({ url }) {
      const session = await startSession(url);
      const answer = await session.request('tools/call', { name: 'say' }, preferStream);
      return answer.headers['content-type'];
    },
    expected: {
      spec: 'application/json',
      v2: 'application/json',
      '2025-06-18': 'text/event-stream',
    },
  },
  {
    topic: 'the form of an answer that something precedes',
    async look({ url }) {
      const session = await startSession(url);
      return (await session.request('tools/call', count)).headers['content-type'];
    },
    expected: { ...same('text/event-stream'), '2025-06-18': 'application/json' },
  },
  {
    topic: 'event ids',
    async look({ url }) {
      const session = await startSession(url);
      const { events } = await session.request('tools/call', count);
      const ids = events.map(({ id = '' }) => id);
      if (ids.every((id, at) => id === `${session.id}-${at + 1}`)) return 'session and counter';
      const opaque = ids.every((id) => id !== '' && !id.includes(session.id));
      return opaque && new Set(ids).size === ids.length ? 'opaque' : ids;
    },
    expected: { spec: 'opaque', v2: 'opaque', '2025-06-18': 'session and counter' },
  },
];

const modernRows: readonly Row[] = [
  {
    topic: 'a stateless request of an unknown method',
    look: async ({ url }) => statusAndCode(await send(url, modern('nonsense'))),
    expected: same([404, -32601]),
  },
  {
    topic: 'a stateless request without its Mcp-Method header',
    look: async ({ url }) =>
      statusAndCode(
        await send(url, modern('tools/list', {}, { headers: { 'mcp-method': undefined } })),
      ),
    expected: same([400, -32020]),
  },
  {
    topic: 'a stateless request from a foreign origin',
    look: async ({ url }) =>
      (
        await send(
          url,
          modern('tools/list', {}, { headers: { origin: 'http://elsewhere.example' } }),
        )
      ).status,
    expected: same(403),
  },
];

const names: readonly ProfileName[] = ['spec', 'v2', '2025-06-18'];
const rows = [...sessionRows, ...messageRows, ...answerRows, ...modernRows];

describe.each(names)('in the profile %s', (profile) => {
  test.each(rows.map((row) => ({ ...row, expected: row.expected[profile] })))(
    '$topic: $expected',
    async ({ look, expected }) => {
      await using server = await start(profile);
      expect(await look(server)).toEqual(expected);
    },
  );

  test('heartbeats are as written down', () => {
    const expected = {
      spec: { comment: 'heartbeat', everyMs: 15_000 },
      v2: { comment: 'heartbeat', everyMs: 15_000 },
      '2025-06-18': { comment: 'ping', everyMs: 30_000 },
    };
    expect(profiles[profile].heartbeat).toEqual(expected[profile]);
  });

  test('a plain GET never opens a stream or a session', async () => {
    await using server = await start(profile);
    await send(server.url, { method: 'GET', headers: postHeaders });
    await post(server.url, notification('notifications/initialized'));
    expect(server.endpoint).toMatchObject({ sessionCount: 0, streamCount: 0 });
  });
});

test('every switch can be set alone', async () => {
  const server = createServer({ name: 'profiles', version: '1.0.0', features: [] });
  const profile = { ...profiles.spec, missingSession: 404, plainGet: 'describe' } as const;
  await using served = await serving(server, { profile });
  expect(await post(served.url, request(1, 'ping'))).toMatchObject({ status: 404 });
  expect(await send(served.url, { method: 'GET' })).toMatchObject({ status: 200 });
});

test('spec is the default', async () => {
  const server = createServer({ name: 'profiles', version: '1.0.0', features: [] });
  await using served = await serving(server);
  expect(await post(served.url, request(1, 'ping'))).toMatchObject({ status: 400 });
  expect(await send(served.url, { method: 'GET' })).toMatchObject({ status: 405 });
});
