import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect, createServer, prompt, resource, resourceTemplate, serve, tool } from 'mcp-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const example = path.resolve(import.meta.dirname, '../../../examples/first-tool.mjs');

const add = tool({
  name: 'add_number_pair',
  description: 'Adds two numbers.',
  input: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  run: ({ a, b }) => `${a + b}`,
});

const server = createServer({
  name: 'root',
  version: '1.0.0',
  tools: [add],
  resources: [
    resource({ name: 'greeting', uri: 'text://greeting', read: () => 'hello' }),
    resourceTemplate({
      name: 'echo',
      uriTemplate: 'text://echo/{word}',
      read: ({ word }) => word,
    }),
  ],
  prompts: [prompt({ name: 'greet', get: () => 'Say hello.' })],
});

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-root-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Calls the tool and reads both resources, wherever the server is. */
async function useServer(place: Parameters<typeof connect>[0]): Promise<void> {
  await using session = await connect(place, { name: 'test', version: '1' });
  expect(await session.callTool('add_number_pair', { a: 2, b: 3 })).toMatchObject({
    content: [{ type: 'text', text: '5' }],
  });
  for (const [uri, text] of [
    ['text://greeting', 'hello'],
    ['text://echo/again', 'again'],
  ] as const) {
    expect(await session.readResource(uri)).toMatchObject({ contents: [{ uri, text }] });
  }
  expect(await session.getPrompt('greet')).toMatchObject({
    messages: [{ content: { text: 'Say hello.' } }],
  });
}

test('a server over HTTP is used by its URL, as a text or as a URL', async () => {
  const listening = await serve(server, { http: 0 });
  await useServer(listening.url);
  await useServer(new URL(listening.url));
  await listening.close();
});

test('the options of HTTP can be given instead of a port', async () => {
  const listening = await serve(server, { http: { path: '/tools' } });
  expect(new URL(listening.url).pathname).toBe('/tools');
  await useServer(listening.url);
  await listening.close();
});

test('a server at a unix socket is used by its path', async () => {
  const place = path.join(folder, 'server.sock');
  const listening = await serve(server, { unix: place });
  await useServer(place);
  await listening.close();
});

test('a server over stdio is used by its command', async () => {
  await using session = await connect({ command: process.execPath, args: [example] });
  expect(await session.callTool('get_number_sum', { a: 2, b: 3 })).toMatchObject({
    content: [{ type: 'text', text: '2 + 3 = 5' }],
  });
});

test('a URL of another kind is refused by name', async () => {
  const refused = await connect('ftp://example.com/mcp').catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'invalid_argument' });
  expect(String(refused)).toContain('ftp://example.com/mcp: ');
});

test('a server says only what it offers', () => {
  const plain = createServer({ name: 'plain', version: '1', tools: [add] });
  expect(plain.capabilities).toHaveProperty('tools');
  expect(plain.capabilities).not.toHaveProperty('resources');
  expect(plain.capabilities).not.toHaveProperty('prompts');
});
