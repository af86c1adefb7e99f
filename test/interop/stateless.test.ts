import { beforeAll, describe, expect, test } from 'vitest';
import { serveFixtureHttp } from './fixture.mjs';
import { connectHost, textOf, type Session, type Speaker } from './hosts.ts';
import { loadSdkV2, makeReady, type SdkV2Client } from './peers.mjs';
import { openPlace } from './places.ts';
import { allTools } from './features-tools.ts';
import { readyMs } from './try-features.ts';

beforeAll(makeReady, readyMs);

const modern: Speaker = { sdk: 'v2', mode: 'auto' };

interface Recorded {
  readonly headers: Headers;
  readonly method: string;
}

/** A client over HTTP whose requests are recorded. */
async function recorded(
  options: Parameters<typeof serveFixtureHttp>[0] & { readonly speaker?: Speaker },
  play: (session: Session, requests: Recorded[], url: URL) => Promise<void>,
): Promise<void> {
  const { speaker = modern, ...rest } = options;
  const { url, close } = await serveFixtureHttp(rest);
  const requests: Recorded[] = [];
  const record: typeof fetch = (input, init) => {
    const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : {};
    const { method } = body as { method?: string };
    requests.push({ headers: new Headers(init?.headers), method: method ?? '' });
    return fetch(input, init);
  };
  try {
    const session = await connectHost({ kind: 'http', url, fetch: record }, speaker);
    try {
      await play(session, requests, new URL(url));
    } finally {
      await session.close();
    }
  } finally {
    await close();
  }
}

const lastCall = (requests: readonly Recorded[]): Recorded | undefined =>
  requests.findLast(({ method }) => method === 'tools/call');

describe('In the modern era', () => {
  test('a client that negotiates finds the newest revision', () =>
    recorded({}, async ({ client }) => {
      const { getProtocolEra, getNegotiatedProtocolVersion } = client as SdkV2Client;
      expect(getProtocolEra.call(client)).toBe('modern');
      expect(getNegotiatedProtocolVersion.call(client)).toBe('2026-07-28');
      expect((client as SdkV2Client).getDiscoverResult()).toMatchObject({
        supportedVersions: ['2026-07-28'],
        instructions: 'Try greet first.',
      });
    }));

  test.each(['stdio', 'http', 'socket'] as const)(
    'a client that insists on a revision we do not speak is refused over %s',
    async (kind) => {
      await using open = await openPlace(kind);
      const pinned = connectHost(open.place, { sdk: 'v2', mode: { pin: '2099-01-01' } });
      await expect(pinned).rejects.toThrow(/2099-01-01/);
    },
  );

  test('a client may go by what it discovered before', () =>
    recorded({}, async (session, _requests, url) => {
      const discover = (session.client as SdkV2Client).getDiscoverResult();
      const { Client, StreamableHTTPClientTransport } = loadSdkV2();
      const again = new Client({ name: 'again', version: '1' });
      const transport = new StreamableHTTPClientTransport(url);
      await again.connect(transport, { prior: { kind: 'modern', discover } });
      expect(await again.callTool({ name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({
        content: [{ text: 'Hello, Ada!' }],
      });
      await again.close();
    }));

  test('results say how long they may be kept', () =>
    recorded({}, async ({ client }) => {
      const hints = { ttlMs: 0, cacheScope: 'private' };
      expect((client as SdkV2Client).getDiscoverResult()).toMatchObject(hints);
      expect(await client.listTools()).toMatchObject(hints);
      expect(await client.listPrompts()).toMatchObject(hints);
      expect(await client.listResources()).toMatchObject(hints);
      expect(await client.listResourceTemplates()).toMatchObject(hints);
      expect(await client.readResource({ uri: 'memo://one' })).toMatchObject(hints);
    }));

  test('a client keeps what it may keep, and asks again when told of a change', () =>
    recorded({ caching: { ttlMs: 60_000, scope: 'public' } }, async (session, requests) => {
      const client = session.client as SdkV2Client;
      const lists = () => requests.filter(({ method }) => method === 'tools/list').length;
      const subscription = await client.listen({ toolsListChanged: true });
      const first = await client.listTools();
      const asked = lists();
      expect(await client.listTools()).toEqual(first);
      expect(lists()).toBe(asked);
      await session.call('change_list', { kind: 'tools', name: 'newcomer' });
      await session.inbox.next('notifications/tools/list_changed');
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('newcomer');
      await subscription.close();
    }));

  test('arguments are repeated in headers, in any script', () =>
    recorded({}, async (session, requests) => {
      await allTools(session);
      const plain = await session.call('route', { region: 'eu-west', shard: 42, query: 'q' });
      expect(textOf(plain)).toBe('eu-west/42/q');
      const headers = lastCall(requests)?.headers;
      expect(headers?.get('mcp-param-region')).toBe('eu-west');
      expect(headers?.get('mcp-param-shard')).toBe('42');
      expect(headers?.get('mcp-method')).toBe('tools/call');
      expect(headers?.get('mcp-name')).toBe('route');
      for (const region of ['日本 – été', ' padded ', '=?base64?x?=', '']) {
        expect(textOf(await session.call('route', { region }))).toBe(`${region}/-/-`);
        expect(lastCall(requests)?.headers.get('mcp-param-region')).toMatch(/^=\?base64\?/);
      }
    }));

  test('a client that does not know which headers to send learns it from the refusal', () =>
    recorded({}, async (session, requests) => {
      expect(textOf(await session.call('route', { region: 'eu' }))).toBe('eu/-/-');
      expect(requests.map(({ method }) => method)).toContain('tools/list');
      expect(lastCall(requests)?.headers.get('mcp-param-region')).toBe('eu');
    }));

  test('names that headers cannot carry are found all the same', () =>
    recorded({}, async ({ client }) => {
      const uri = 'path:///日本/été';
      const { contents } = await client.readResource({ uri });
      expect(contents[0]).toMatchObject({ uri });
    }));
});

const kinds = [
  { tool: 'ask_name', needs: { elicitation: { form: {} } } },
  { tool: 'sample', needs: { sampling: {} } },
  { tool: 'list_roots', needs: { roots: {} } },
];

describe.each(['stdio', 'http', 'socket'] as const)(
  'A client without abilities over %s',
  (kind) => {
    test('is told by the modern era what it lacks', async () => {
      await using open = await openPlace(kind);
      const session = await connectHost(open.place, { ...modern, capabilities: {} });
      for (const { tool, needs } of kinds) {
        await expect(session.call(tool)).rejects.toMatchObject({
          code: -32021,
          data: { requiredCapabilities: needs },
        });
      }
      expect(textOf(await session.call('greet', { name: 'Ada' }))).toBe('Hello, Ada!');
      await session.close();
    });

    test.each(['v1', 'v2'] as const)('is told by the legacy era too (SDK %s)', async (sdk) => {
      await using open = await openPlace(kind);
      const session = await connectHost(open.place, { sdk, capabilities: {} });
      for (const { tool, needs } of kinds) {
        const result = await session.call(tool);
        expect(result.isError).toBe(true);
        expect(textOf(result)).toContain(Object.keys(needs)[0]);
      }
      await session.close();
    });
  },
);
