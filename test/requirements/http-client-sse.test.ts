import { createDeferred } from 'mcp-kit/internal';
import { Connection } from 'mcp-kit/jsonrpc';
import { describe, expect, test } from 'vitest';
import { sseTarget } from 'mcp-kit/transport/http-client';
import { closedPort } from '../support/lasting-port.ts';
import {
  event,
  json,
  result,
  scripted,
  stream,
  talk,
  type ScriptedServer,
  type Script,
  type Seen,
} from './http-client-fixture.ts';

// The HTTP client with servers of revision 2024-11-05: one stream for all that comes, POSTs for all that goes.

interface OldServer extends ScriptedServer {
  /** The stream of the last client. */
  say(data: unknown): void;
}

/** Serves streams that name `endpoint`; answers what is posted there on the stream, unless told otherwise. */
async function old(endpoint: string, posted?: Script): Promise<OldServer> {
  let open: Seen | undefined;
  const say = (data: unknown): void => void open?.response.write(`event: message\n${event(data)}`);
  const server = await scripted((seen) => {
    if (seen.method === 'GET') {
      open = seen;
      const place = endpoint.replace('HERE', `http://${seen.headers.host}`);
      stream(seen).write(`event: endpoint\n${event(place)}`);
    } else if (posted !== undefined) {
      posted(seen);
    } else {
      seen.response.writeHead(202).end('Accepted');
      if (seen.message.id !== undefined) say(result(seen, { path: seen.path }));
    }
  });
  return Object.assign(server, { say });
}

describe('a conversation of revision 2024-11-05', () => {
  test('posts where the server says, and hears on the stream', async () => {
    await using server = await old('/messages?session=1');
    await using client = await talk(sseTarget(server.url, { headers: { 'x-key': 'k' } }));
    const [seen] = server.all('GET');
    expect(seen?.headers).toMatchObject({ accept: 'text/event-stream', 'x-key': 'k' });
    const { result: value } = await client.answer(client.ask('initialize'));
    expect(value).toEqual({ path: '/messages?session=1' });
    client.notify('notifications/initialized');
    client.channel.reply('{"jsonrpc":"2.0","id":3,"result":{}}');
    const posts = [await server.nth('POST', 1), await server.nth('POST', 2)];
    for (const { headers } of posts) {
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-key': 'k' });
      expect(headers).not.toHaveProperty('mcp-protocol-version');
    }
    server.say({ jsonrpc: '2.0', id: 1, method: 'roots/list' });
    server.say('{');
    server.say({ jsonrpc: '2.0', method: 'notifications/message' });
    await client.until(() =>
      client.messages.find(({ method }) => method === 'notifications/message'),
    );
    expect(client.malformed).toHaveLength(1);
    await client.channel.close();
    await server.deserted();
    expect(client.closed).toEqual([undefined]);
    expect(server.all('DELETE')).toEqual([]);
  });

  test('may be told the whole address, but not one of another origin', async () => {
    await using other = await scripted((seen) => json(seen, result(seen)));
    await using server = await old(`${other.url}/post`);
    await expect(sseTarget(server.url).dial()).rejects.toMatchObject({
      code: 'http_status',
      hint: expect.stringContaining(other.url),
    });
    expect(other.seen).toEqual([]);
    await server.deserted();
    await using same = await old('HERE/post');
    await using client = await talk(sseTarget(same.url));
    expect((await client.answer(client.ask('ping'))).result).toEqual({ path: '/post' });
  });

  test('delivers what came before anybody listened', async () => {
    await using server = await scripted((seen) => {
      const early = event({ jsonrpc: '2.0', method: 'early' });
      stream(seen).write(`event: endpoint\n${event('/post')}${early}`);
    });
    await using client = await talk(sseTarget(server.url));
    await client.until(() => client.messages[0]);
    expect(client.messages).toEqual([{ jsonrpc: '2.0', method: 'early' }]);
  });

  test('is over when its stream ends, because it cannot be continued', async () => {
    await using server = await old('/post', ({ response }) => response.writeHead(202).end());
    await using client = await talk(sseTarget(server.url));
    client.ask('ping');
    await server.nth('ping');
    server.all('GET')[0]?.response.end();
    const [cause] = await client.until(() =>
      client.closed.length > 0 ? client.closed : undefined,
    );
    expect(cause).toMatchObject({ code: 'closed', hint: expect.stringContaining('new session') });
    expect(client.send({ id: 1, method: 'ping' })).toBe('dropped');
    await server.deserted();
  });

  test('loses a request whose POST is refused, with the reason', async () => {
    const error = { code: -32_000, message: 'busy' };
    await using server = await old('/post', (seen) => {
      if (seen.message.method === 'a') seen.response.writeHead(500).end('broken');
      else seen.response.writeHead(400).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    });
    await using client = await talk(sseTarget(server.url));
    expect(await client.loss(client.ask('a'))).toMatchObject({
      code: 'http_status',
      message: 'HTTP 500: broken',
    });
    expect((await client.answer(client.ask('b'))).error).toEqual(error);
  });

  test.each([
    ['first', (id: unknown, pad: string) => ({ jsonrpc: '2.0', id, result: { pad } })],
    ['last', (id: unknown, pad: string) => ({ result: { pad }, jsonrpc: '2.0', id })],
  ])(
    'fails the request whose answer is over a limit, with its id %s, and no other',
    async (_, make) => {
      await using server = await old('/post', ({ response }) => response.writeHead(202).end());
      const target = sseTarget(server.url, { limits: { maxBytes: 1000, maxDepth: 10 } });
      const sink = createDeferred<never>();
      const connection = new Connection(await target.dial(), () => ({
        request: () => sink.promise,
        notification: () => {},
        acceptsBatch: () => false,
        malformed: () => {},
        closed: () => {},
      }));
      try {
        const asked = ['large', 'small', 'deep'].map((method) => connection.request(method));
        const [large, small, deep] = await Promise.all(
          ['large', 'small', 'deep'].map(async (method) => (await server.nth(method)).message.id),
        );
        server.say(make(large, 'x'.repeat(5000)));
        server.say(
          `{"jsonrpc":"2.0","id":${String(deep)},"result":${'['.repeat(20)}${']'.repeat(20)}}`,
        );
        await expect(asked[0]).rejects.toMatchObject({ code: 'invalid_answer' });
        await expect(asked[2]).rejects.toMatchObject({ code: 'invalid_answer' });
        server.say(make(small, 'y'));
        expect(await asked[1]).toEqual({ pad: 'y' });
      } finally {
        await connection.close();
      }
    },
  );

  const failures: readonly (readonly [string, Script, string])[] = [
    ['a refusal', ({ response }) => response.writeHead(405).end(), 'http_status'],
    ['a demand for credentials', ({ response }) => response.writeHead(401).end(), 'unauthorized'],
    ['something else', (seen) => json(seen, {}), 'invalid_answer'],
    ['a stream without an endpoint', (seen) => stream(seen).end(), 'invalid_answer'],
    ['silence', (seen) => stream(seen), 'timeout'],
    ['no headers', () => {}, 'timeout'],
  ];
  test.each(failures)('does not begin with %s', async (_, script, code) => {
    await using server = await scripted(script);
    // What is answered may take as long as this machine takes.
    const connectTimeoutMs = code === 'timeout' ? 200 : 60_000;
    const target = sseTarget(server.url, { connectTimeoutMs });
    await expect(target.dial()).rejects.toMatchObject({ code });
    await server.deserted();
  });

  test('does not begin without a server, or when the caller gives up', async () => {
    const gone = `http://127.0.0.1:${closedPort}/sse`;
    await expect(sseTarget(gone).dial()).rejects.toMatchObject({ code: 'unreachable' });
    await using server = await scripted(() => {});
    const controller = new AbortController();
    const dialling = sseTarget(server.url).dial(controller.signal);
    await server.nth('GET');
    controller.abort('enough');
    await expect(dialling).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
    await server.deserted();
  });

  test('tells whoever sends a notification whether it was taken', async () => {
    const statuses = [202, 500];
    await using server = await old('/messages', ({ response }) => {
      response.writeHead(statuses.shift() ?? 202).end();
    });
    await using client = await talk(sseTarget(server.url));
    const message = { jsonrpc: '2.0', method: 'notifications/note' } as const;
    const tell = (): Promise<void> | undefined =>
      client.channel.tell(JSON.stringify(message), { message });
    await tell();
    await expect(tell()).rejects.toMatchObject({ code: 'http_status', details: { status: 500 } });
    await client.channel.close();
    await expect(tell()).rejects.toMatchObject({ code: 'closed' });
  });
});
