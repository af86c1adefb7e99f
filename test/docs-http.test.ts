import { createServer } from 'mcp-kit/server';
import { elicit, modernVersion } from 'mcp-kit/protocol';
import { tool, toolSet } from 'mcp-kit/tools';
import { expect, test } from 'vitest';
import { send } from './support/http-client.ts';
import {
  initialize,
  modern,
  notification,
  post,
  request,
  serving,
  startSession,
} from './support/mcp-http.ts';
import { read, tableOf } from './support/markdown.ts';

const profileNames = ['spec', 'v2', '2025-06-18'] as const;
const ping = request(7, 'ping');

/** Each row of the table, as the requests it speaks of; every one must get the status it says. */
const rows: Readonly<Record<string, (url: string) => Promise<readonly number[]>>> = {
  'POST initialize': async (url) => [(await initialize(url)).status],
  'POST initialize without an id': async (url) => [
    (await post(url, notification('initialize'))).status,
  ],
  'POST a request in a session': async (url) => [
    (await (await startSession(url)).post(ping)).status,
  ],
  'POST a notification or a response in a session': async (url) => {
    const session = await startSession(url);
    const response = { jsonrpc: '2.0', id: 99, result: {} };
    const note = notification('notifications/roots/list_changed');
    return [(await session.post(note)).status, (await session.post(response)).status];
  },
  'POST without MCP-Session-Id': async (url) => [(await post(url, ping)).status],
  'POST with an unknown, expired or deleted session': async (url) => {
    const session = await startSession(url);
    await session.delete();
    const unknown = await post(url, ping, { 'mcp-session-id': 'unknown' });
    return [unknown.status, (await session.post(ping)).status];
  },
  'POST that accepts neither JSON nor event streams': async (url) => [
    (await (await startSession(url)).post(ping, { accept: 'text/html' })).status,
  ],
  'POST without Accept': async (url) => {
    const { headers } = await startSession(url);
    const call = { headers: { ...headers, 'content-type': 'application/json' }, body: ping };
    return [(await send(url, call)).status];
  },
  'POST with another Content-Type than JSON': async (url) => [
    (await (await startSession(url)).post(ping, { 'content-type': 'text/plain' })).status,
  ],
  'POST something that is not JSON': async (url) => [
    (await (await startSession(url)).post('{')).status,
  ],
  'POST JSON that is not a message': async (url) => [
    (await (await startSession(url)).post({})).status,
  ],
  'POST an array of messages': async (url) => [
    (await post(url, [ping])).status,
    (await (await startSession(url)).post([ping])).status,
  ],
  'POST an array in a session of 2025-03-26': async (url) => [
    (await (await startSession(url, { version: '2025-03-26' })).post([ping])).status,
  ],
  'POST a body larger than the limit': async (url) => [
    (await post(url, ' '.repeat(4 * 1024 * 1024 + 1))).status,
  ],
  'an unsupported MCP-Protocol-Version': async (url) => {
    const session = await startSession(url);
    const version = { 'mcp-protocol-version': '1999-12-31' };
    return [
      (await session.post(ping, version)).status,
      (await session.get({ ...version, accept: 'text/event-stream' })).status,
      (await session.delete(version)).status,
    ];
  },
  'GET with Accept: text/event-stream in a session': async (url) => {
    using stream = await (await startSession(url)).listen();
    return [stream.status];
  },
  'GET before notifications/initialized': async (url) => {
    const session = await startSession(url, { ready: false });
    return [(await session.get({ accept: 'text/event-stream' })).status];
  },
  'GET with an unknown Last-Event-ID': async (url) => {
    const session = await startSession(url);
    return [(await session.get({ accept: 'text/event-stream', 'last-event-id': '99.9' })).status];
  },
  'GET with the last Last-Event-ID of an answer': async (url) => {
    const session = await startSession(url);
    const { events } = await session.post(ping, { accept: 'text/event-stream' });
    const last = { 'last-event-id': String(events.at(-1)?.id), accept: 'text/event-stream' };
    return [(await session.get(last)).status];
  },
  'GET without Accept: text/event-stream': async (url) => [
    (await send(url, { method: 'GET', headers: { accept: '*/*' } })).status,
    (await (await startSession(url)).get()).status,
  ],
  'DELETE in a session': async (url) => [(await (await startSession(url)).delete()).status],
  'another method': async (url) => [
    (await send(url, { method: 'PUT' })).status,
    (await send(url, { method: 'OPTIONS' })).status,
  ],
  'another path': async (url) => [(await post(`${url}/more`, ping)).status],
  'a foreign Host or Origin': async (url) => [
    (await post(url, ping, { host: 'evil.example' })).status,
    (await post(url, ping, { origin: 'https://evil.example' })).status,
  ],
  '2026-07-28: POST a request': async (url) => [(await send(url, modern('tools/list'))).status],
  '2026-07-28: POST a notification': async (url) => {
    const { headers = {} } = modern('notifications/cancelled');
    return [(await send(url, { headers, body: notification('notifications/cancelled') })).status];
  },
  '2026-07-28: a header is missing or differs from the body': async (url) => [
    (await send(url, modern('tools/list', {}, { headers: { 'mcp-method': undefined } }))).status,
    (await send(url, modern('tools/list', {}, { headers: { 'mcp-method': 'tools/call' } }))).status,
    (await send(url, modern('tools/list', {}, { headers: { 'mcp-protocol-version': undefined } })))
      .status,
    (await send(url, modern('tools/call', { name: 'ask' }, { headers: { 'mcp-name': 'other' } })))
      .status,
  ],
  '2026-07-28: an unknown method': async (url) => [(await send(url, modern('ping'))).status],
  '2026-07-28: the client lacks a capability the tool needs': async (url) => [
    (await send(url, modern('tools/call', { name: 'ask' }))).status,
  ],
  '2026-07-28: an array of messages': async (url) => {
    const { headers = {}, body } = modern('tools/list');
    return [(await send(url, { headers, body: [body] })).status];
  },
  '2026-07-28: GET or DELETE': async (url) => {
    const headers = { 'mcp-protocol-version': modernVersion, accept: 'text/event-stream' };
    return [
      (await send(url, { method: 'GET', headers })).status,
      (await send(url, { method: 'DELETE', headers })).status,
    ];
  },
};

const ask = tool({
  name: 'ask',
  description: 'Asks.',
  async run(_args, context) {
    await context.ask({ it: elicit({ message: '?', requestedSchema: { type: 'object' } }) });
    return 'asked';
  },
});

const table = tableOf(read('docs/http.md'), 'request');

test('docs/http.md speaks of the requests that are tried here', () => {
  expect(table.map(([name]) => name)).toEqual(Object.keys(rows));
});

test.each(profileNames)(
  'docs/http.md tells what each request gets in the profile %s',
  async (profile) => {
    const column = profileNames.indexOf(profile) + 1;
    const server = createServer({ name: 'test', version: '1', features: [toolSet([ask])] });
    await using served = await serving(server, { profile });
    for (const [name = '', ...statuses] of table) {
      const got = new Set(await rows[name]?.(served.url));
      expect([name, ...got]).toEqual([name, Number(statuses[column - 1])]);
    }
  },
);
