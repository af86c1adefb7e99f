import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { openSession, textOf } from 'mcp-kit/client';
import { memoryTarget } from 'mcp-kit/testing';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { metaKeys, modernVersion } from 'mcp-kit/protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { Child, root } from '../support/child-process.ts';
import { makeReady } from './peers.mjs';

// The recipes of docs/guides.md.

const folder = path.join(root, 'peers/recipes');
beforeAll(makeReady);

test('the page shows the recipes as they are', () => {
  const page = readFileSync(path.join(root, 'docs/guides.md'), 'utf8');
  const missing = readdirSync(folder).filter((name) => {
    const code = readFileSync(path.join(folder, name), 'utf8').trim();
    return !page.includes(`\`\`\`text\n${code}\n\`\`\``);
  });
  expect(missing).toEqual([]);
});

describe.each(['express', 'fastify', 'hono'])('%s', (name) => {
  test.each(['legacy', 'modern'] as const)('serves the %s era', async (era) => {
    const { PATH = '' } = process.env;
    const env = { PATH, PORT: '0' };
    await using child = new Child(process.execPath, [path.join(folder, `${name}.mjs`)], { env });
    const url = await child.until(() => /http:\S+/.exec(child.stdout)?.[0]);
    await using session = await openSession(httpTarget(url), { era, onNotification: () => {} });
    expect(textOf(await session.callTool('get_text_hello'))).toBe('Hello.');
  });
});

test('a route of Next answers requests', async () => {
  const { POST, GET, DELETE } = (await import(path.join(folder, 'next-route.mjs'))) as Record<
    string,
    (request: Request) => Promise<Response>
  >;
  const request = new Request('http://localhost:3000/mcp', {
    method: 'POST',
    headers: {
      host: 'localhost:3000',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': modernVersion,
      'mcp-method': 'tools/call',
      'mcp-name': 'get_text_hello',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'get_text_hello',
        _meta: { [metaKeys.protocolVersion]: modernVersion, [metaKeys.clientCapabilities]: {} },
      },
    }),
  });
  const response = await POST?.(request);
  expect(await response?.json()).toMatchObject({ result: { content: [{ text: 'Hello.' }] } });
  expect([GET, DELETE]).toEqual([POST, POST]);
});

test('the tools of the recipes are those of one server', async () => {
  const { server } = (await import(path.join(folder, 'tools.mjs'))) as { server: never };
  await using session = await openSession(memoryTarget(server));
  expect(textOf(await session.callTool('get_text_hello'))).toBe('Hello.');
});
