import { request as httpRequest } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createApiKey } from '@mcp-kit/host/operate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../support/http-client.ts';
import { modern, notification, startSession } from '../support/mcp-http.ts';
import { operating } from './fixture.ts';

const [alice, bob] = [createApiKey('alice'), createApiKey('bob')];
let folder = '';
let apiKeys = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-repeated-'));
  apiKeys = path.join(folder, 'keys.json');
  await writeFile(apiKeys, JSON.stringify({ keys: [alice.entry, bob.entry] }));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The status of a POST; a header with several values is sent as often. */
function statusOf(
  url: string,
  call: Call,
  more: Readonly<Record<string, string | string[] | undefined>>,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST', agent: false });
    for (const [name, value] of Object.entries({ ...call.headers, ...more })) {
      if (value !== undefined) request.setHeader(name, value);
    }
    request.on('error', reject).on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    request.end(JSON.stringify(call.body));
  });
}

const bearer = (...keys: readonly string[]): string[] => keys.map((key) => `Bearer ${key}`);

describe('two credentials are none', () => {
  test.each([
    ['two keys', { authorization: bearer(alice.key, bob.key) }],
    ['the same key twice', { authorization: bearer(alice.key, alice.key) }],
    [
      'a key and a scheme that nobody asked for',
      { authorization: [`Bearer ${alice.key}`, 'Basic x'] },
    ],
    ['a key and nothing', { authorization: [`Bearer ${alice.key}`, ''] }],
    ['two in the header for keys', { 'x-api-key': [alice.key, bob.key] }],
    ['one in each header', { authorization: `Bearer ${alice.key}`, 'x-api-key': alice.key }],
  ])('%s', async (_what, headers) => {
    await using server = await operating({ auth: { apiKeys } });
    const call = modern('tools/call', { name: 'whoami', arguments: {} });
    expect(await statusOf(server.url, call, { authorization: `Bearer ${alice.key}` })).toBe(200);
    expect(await statusOf(server.url, call, headers)).toBe(401);
  });
});

describe('what is said twice is not said', () => {
  test.each([
    ['host', 403],
    ['origin', 403],
    ['mcp-protocol-version', 400],
    ['mcp-method', 400],
    ['mcp-name', 400],
  ])('in %s', async (name, status) => {
    await using server = await operating({});
    const call = modern('tools/call', { name: 'whoami', arguments: {} });
    const { host, origin } = new URL(server.url);
    const value = { ...call.headers, host, origin }[name] ?? '';
    expect(await statusOf(server.url, call, { [name]: value })).toBe(200);
    expect(await statusOf(server.url, call, { [name]: [value, value] })).toBe(status);
  });

  test('in the name of a session', async () => {
    await using server = await operating({});
    const { id, headers } = await startSession(server.url);
    const call: Call = {
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
      body: notification('notifications/anything'),
    };
    expect(await statusOf(server.url, call, {})).toBe(202);
    expect(await statusOf(server.url, call, { 'mcp-session-id': [id, id] })).toBe(404);
  });
});
