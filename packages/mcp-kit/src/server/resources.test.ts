import { describe, expect, onTestFinished, test } from 'vitest';
import { connectInMemory, type InMemoryClient } from '#testing';
import {
  defineResource,
  defineResourceTemplate,
  resources,
  type ReadResult,
  type ResourceSet,
} from './resources.ts';
import { createServer } from './server.ts';

const fixed = (uri: string, value: ReadResult, more: { readonly mimeType?: string } = {}) =>
  defineResource({ uri, name: uri, ...more, read: async () => value });

function make(): ResourceSet {
  return resources({
    resources: [
      fixed('note://text', 'hello', { mimeType: 'text/plain' }),
      fixed('note://empty', ''),
      fixed('note://bytes', new Uint8Array([0, 255]), { mimeType: 'image/png' }),
      fixed('note://many', [
        { uri: 'note://1', text: 'one' },
        { uri: 'note://2', blob: 'AA==' },
      ]),
      fixed('note://gone', undefined),
    ],
    templates: [
      defineResourceTemplate({
        uriTemplate: 'note://users/{id}',
        name: 'user',
        mimeType: 'application/json',
        read: ({ id }, _context, uri) => (id === 'lost' ? undefined : `${id} at ${uri}`),
      }),
    ],
  });
}

async function connected(set = make()): Promise<InMemoryClient> {
  const client = connectInMemory(createServer({ name: 'r', version: '1.0.0', features: [set] }));
  onTestFinished(() => client.close());
  await client.initialize();
  return client;
}

describe('resources/read', () => {
  test.each([
    ['note://text', [{ uri: 'note://text', mimeType: 'text/plain', text: 'hello' }]],
    ['note://empty', [{ uri: 'note://empty', text: '' }]],
    ['note://bytes', [{ uri: 'note://bytes', mimeType: 'image/png', blob: 'AP8=' }]],
    [
      'note://many',
      [
        { uri: 'note://1', text: 'one' },
        { uri: 'note://2', blob: 'AA==' },
      ],
    ],
    [
      'note://users/7',
      [{ uri: 'note://users/7', mimeType: 'application/json', text: '7 at note://users/7' }],
    ],
  ])('%s gives its contents', async (uri, contents) => {
    const client = await connected();
    expect(await client.request('resources/read', { uri })).toEqual({ contents });
  });

  test.each(['note://unknown', 'note://gone', 'note://users/lost', 'note://users/7/more', ''])(
    'there is nothing at %j: -32002 with a handshake, -32602 without',
    async (uri) => {
      const client = await connected();
      await expect(client.request('resources/read', { uri })).rejects.toMatchObject({
        code: -32002,
        data: { uri },
      });
      await expect(client.requestModern('resources/read', { uri })).rejects.toMatchObject({
        code: -32602,
        data: { uri },
      });
    },
  );

  test.each([[{}], [{ uri: 5 }], [{ uri: null }]])('%o is -32602', async (params) => {
    const client = await connected();
    await expect(client.request('resources/read', params)).rejects.toMatchObject({ code: -32602 });
  });

  test('a fixed address goes before a template', async () => {
    const set = make();
    set.add(fixed('note://users/7', 'fixed'));
    const client = await connected(set);
    expect(await client.request('resources/read', { uri: 'note://users/7' })).toMatchObject({
      contents: [{ text: 'fixed' }],
    });
  });
});

describe('a subscriber', () => {
  const updated = (uri: string): object => ({
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: { uri },
  });

  test('hears of what it subscribed to until it unsubscribes', async () => {
    const set = make();
    const client = await connected(set);
    await client.request('resources/subscribe', { uri: 'note://a' });
    set.updated('note://a');
    set.updated('note://b');
    await client.request('resources/unsubscribe', { uri: 'note://a' });
    set.updated('note://a');
    await client.request('ping');
    expect(client.notifications).toEqual([updated('note://a')]);
  });

  test('hears of additions and removals', async () => {
    const set = make();
    const client = await connected(set);
    set.add(fixed('note://new', 'new'));
    set.remove('note://new');
    set.remove('note://new');
    await client.request('ping');
    const changed = { jsonrpc: '2.0', method: 'notifications/resources/list_changed' };
    expect(client.notifications).toEqual([changed, changed]);
  });

  test('of too much is refused', async () => {
    const client = await connected();
    for (let at = 0; at < 1000; at += 1) {
      await client.request('resources/subscribe', { uri: `note://${at}` });
    }
    await expect(
      client.request('resources/subscribe', { uri: 'note://more' }),
    ).rejects.toMatchObject({ code: -32000 });
    await client.request('resources/subscribe', { uri: 'note://0' });
  });

  test.each(['resources/subscribe', 'resources/unsubscribe'])('%s needs an address', async (m) => {
    const client = await connected();
    await expect(client.request(m, {})).rejects.toMatchObject({ code: -32602 });
  });

  test('finds no method where nothing can be subscribed to', async () => {
    const client = connectInMemory(createServer({ name: 'r', version: '1.0.0', features: [] }));
    onTestFinished(() => client.close());
    await client.initialize();
    await expect(client.request('resources/subscribe', { uri: 'note://a' })).rejects.toMatchObject({
      code: -32601,
    });
  });
});

test('two resources of one address are refused', () => {
  const twice = [fixed('note://a', 'a'), fixed('note://a', 'b')];
  expect(() => resources({ resources: twice })).toThrow('resource note://a is defined twice');
});
