import { describe, expect, test } from 'vitest';
import { createDeferred } from 'mcp-kit/internal';
import { createServer, type Context } from 'mcp-kit/server';
import { tool, toolSet, type ToolSet } from 'mcp-kit/tools';
import type { HttpOptions } from 'mcp-kit/transport/http';
import { lastingPort, listenAgain } from '../support/lasting-port.ts';
import { serving, type Served } from '../support/mcp-http.ts';
import { enveloped, talk, type Talk } from './http-client-fixture.ts';
import { countingTool } from './progress-tools.ts';

// The HTTP client with the HTTP server of this library.

interface Started extends Served {
  readonly tools: ToolSet;
  /** The context of each call of `hold`, as they come. */
  readonly held: Promise<Context>;
  letGo(): void;
}

async function start(options: HttpOptions = {}): Promise<Started> {
  const held = createDeferred<Context>();
  const end = createDeferred<void>();
  const tools = toolSet([
    tool({
      name: 'echo',
      description: 'Echoes.',
      input: { type: 'object', properties: { text: { type: 'string', 'x-mcp-header': 'Text' } } },
      run: ({ text }) => String(text),
    }),
    countingTool(3),
    tool({
      name: 'hold',
      description: 'Runs until it is let go; lets the client hang up.',
      async run(_args, context) {
        context.release({ retryMs: 20 });
        held.resolve(context);
        await end.promise;
        return 'released';
      },
    }),
  ]);
  const service = createServer({ name: 'test', version: '1', features: [tools] });
  const served = await serving(service, options);
  return Object.assign(served, { tools, held: held.promise, letGo: () => end.resolve() });
}

const call = (client: Talk, name: string, args = {}): number =>
  client.ask('tools/call', { name, arguments: args, _meta: { progressToken: name } });

const text = (value: string): object => ({ content: [{ type: 'text', text: value }] });

describe('in the legacy era', () => {
  test.each(['spec', 'v2', '2025-06-18'] as const)(
    'calls tools in the profile %s',
    async (profile) => {
      await using server = await start({ profile });
      await using client = await talk(server.url);
      await client.shakeHands();
      expect((await client.answer(call(client, 'echo', { text: 'ü' }))).result).toMatchObject(
        text('ü'),
      );
      expect((await client.answer(call(client, 'count'))).result).toMatchObject(text('counted'));
      const progress = client.messages.filter(({ method }) => method === 'notifications/progress');
      expect(progress.map(({ params }) => params?.['progress'])).toEqual([1, 2, 3]);
      expect(client.malformed).toEqual([]);
    },
  );

  test('hears what the server says by itself', async () => {
    await using server = await start();
    await using client = await talk(server.url);
    await client.shakeHands();
    await client.answer(client.ask('ping'));
    const heard = (): boolean =>
      client.messages.some(({ method }) => method === 'notifications/tools/list_changed');
    // The stream is opened in the background; whoever comes before it is not heard.
    for (let at = 0; at < 1000 && !heard(); at += 1) {
      server.tools.add(tool({ name: `tool_${at}`, description: 'x', run: () => '' }));
      await client.answer(client.ask('ping'));
    }
    expect(heard()).toBe(true);
  });

  test('fetches an answer for which it was told to come back', async () => {
    await using server = await start();
    await using client = await talk(server.url);
    await client.shakeHands();
    const id = call(client, 'hold');
    await server.held;
    server.letGo();
    expect((await client.answer(id)).result).toMatchObject(text('released'));
  });

  test('stops a call that is cancelled', async () => {
    await using server = await start();
    await using client = await talk(server.url);
    await client.shakeHands();
    const id = call(client, 'hold');
    const { signal } = await server.held;
    const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
    client.notify('notifications/cancelled', { requestId: id });
    await stopped;
  });

  test.each(['spec', 'v2', '2025-06-18'] as const)(
    'learns that its session is forgotten in the profile %s, and opens another',
    async (profile) => {
      const port = await lastingPort();
      await using server = await listenAgain(() => start({ profile, port }));
      await using client = await talk(server.url);
      await client.shakeHands();
      await client.answer(client.ask('ping'));
      await server.close();
      await using again = await listenAgain(() => start({ profile, port }));
      // A connection of the old server may still look alive: what is sent there is lost in another way.
      const next = async (): Promise<unknown> => (await client.loss(client.ask('tools/list'))).code;
      await expect.poll(next).toBe('session_lost');
      await client.shakeHands();
      expect((await client.answer(call(client, 'echo', { text: 'x' }))).result).toMatchObject(
        text('x'),
      );
      expect(again.port).toBe(port);
    },
  );

  test('says farewell: the server has no session left', async () => {
    await using server = await start();
    const client = await talk(server.url);
    await client.shakeHands();
    const other = await talk(server.url);
    await other.shakeHands();
    await client.answer(client.ask('ping'));
    await client.channel.close();
    await other.answer(other.ask('ping'));
    await other.channel.close();
  });
});

describe('in the modern era', () => {
  test('calls tools, with what intermediaries want to know beside them', async () => {
    await using server = await start();
    await using client = await talk(server.url);
    const params = enveloped({ name: 'echo', arguments: { text: 'plain' } });
    const mirrored = { 'mcp-param-text': 'plain' };
    const answer = await client.answer(client.ask('tools/call', params, mirrored));
    expect(answer.result).toMatchObject(text('plain'));
    const refused = await client.answer(client.ask('tools/call', params));
    expect(refused.error?.code).toBe(-32_020);
  });

  test('stops a call by hanging up', async () => {
    await using server = await start();
    await using client = await talk(server.url);
    const id = client.ask('tools/call', enveloped({ name: 'hold' }));
    const { signal } = await server.held;
    const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
    client.notify('notifications/cancelled', { requestId: id });
    await stopped;
  });
});

test('many calls at once, of both eras, each get their own answer', async () => {
  await using server = await start();
  await using client = await talk(server.url, { maxConnections: 16 });
  await client.shakeHands();
  const calls = Array.from({ length: 500 }, (_, at) => {
    const args = { text: `call ${at}` };
    const params = { name: 'echo', arguments: args };
    return at % 2 === 0
      ? client.ask('tools/call', params)
      : client.ask('tools/call', enveloped(params), { 'mcp-param-text': args.text });
  });
  for (const [at, id] of calls.entries()) {
    expect((await client.answer(id)).result).toMatchObject(text(`call ${at}`));
  }
});
