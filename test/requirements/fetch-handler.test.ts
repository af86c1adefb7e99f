import { describe, expect, onTestFinished, test } from 'vitest';
import { createBudget, createDeferred } from 'mcp-kit/internal';
import { createServer, type Context } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { toFetchHandler, type FetchHandler } from 'mcp-kit/transport/http';
import { EventReader, type StreamEvent } from '../support/event-reader.ts';
import type { Call, Message } from '../support/http-client.ts';
import { modern, notification, postHeaders, request } from '../support/mcp-http.ts';
import { countingTool, waitingTool } from './progress-tools.ts';

// The endpoint as a function from Request to Response.

interface Started {
  readonly handle: FetchHandler;
  /** The context of the call of `wait`. */
  readonly waiting: Promise<Context>;
  readonly tools: ReturnType<typeof toolSet>;
  [Symbol.asyncDispose](): Promise<void>;
}

function start(options: Parameters<typeof toFetchHandler>[1] = {}): Started {
  const { promise: waiting, resolve } = createDeferred<Context>();
  const tools = toolSet([
    tool({ name: 'say', description: 'Says hi.', run: () => 'hi' }),
    countingTool(3),
    waitingTool(resolve),
  ]);
  const server = createServer({ name: 'fetch', version: '1.0.0', features: [tools] });
  const handle = toFetchHandler(server, options);
  const close = async (): Promise<void> => {
    server.close();
    await handle.close();
  };
  return { handle, waiting, tools, [Symbol.asyncDispose]: close };
}

const url = 'http://localhost:3000/mcp';

function toRequest({ method = 'POST', headers = {}, body, signal }: Call): Request {
  return new Request(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
}

async function messagesOf(response: Response): Promise<Message[]> {
  const text = await response.text();
  if (response.headers.get('content-type') !== 'text/event-stream') {
    return text === '' ? [] : [JSON.parse(text) as Message];
  }
  return new EventReader()
    .push(text)
    .flatMap(({ data }) => (data ? [JSON.parse(data) as Message] : []));
}

/** Reads the blocks of a stream one by one. */
async function* eventsOf(response: Response): AsyncGenerator<StreamEvent> {
  const reader = new EventReader();
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    yield* reader.push(decoder.decode(chunk, { stream: true }));
  }
}

async function initialize({ handle }: Started): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-06-18', capabilities: {} };
  const response = await handle(
    toRequest({ headers: postHeaders, body: request(1, 'initialize', params) }),
  );
  const headers = {
    ...postHeaders,
    'mcp-session-id': String(response.headers.get('mcp-session-id')),
  };
  await handle(toRequest({ headers, body: notification('notifications/initialized') }));
  return headers;
}

const withToken = { meta: { progressToken: 'p' } };

describe('the modern era', () => {
  test('is answered in JSON', async () => {
    await using started = start();
    const response = await started.handle(toRequest(modern('tools/call', { name: 'say' })));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await messagesOf(response)).toMatchObject([
      { id: 1, result: { resultType: 'complete', content: [{ text: 'hi' }] } },
    ]);
  });

  test('is answered in a stream when something precedes the answer', async () => {
    await using started = start();
    const call = modern('tools/call', { name: 'count' }, withToken);
    const response = await started.handle(toRequest(call));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await messagesOf(response)).toMatchObject([
      { params: { progress: 1 } },
      { params: { progress: 2 } },
      { params: { progress: 3 } },
      { id: 1, result: {} },
    ]);
  });

  test('has its statuses', async () => {
    await using started = start();
    const { handle } = started;
    const unknown = await handle(toRequest(modern('nonsense')));
    expect(unknown.status).toBe(404);
    const headers = { 'mcp-method': undefined };
    const headless = await handle(toRequest(modern('tools/list', {}, { headers })));
    expect(headless.status).toBe(400);
    expect(await messagesOf(headless)).toMatchObject([{ error: { code: -32020 } }]);
  });

  test('streams a subscription until the handler is closed', async () => {
    const started = start();
    const call = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const events = eventsOf(await started.handle(toRequest(call)));
    expect((await events.next()).value?.data).toContain('acknowledged');
    started.tools.remove('say');
    expect((await events.next()).value?.data).toContain('notifications/tools/list_changed');
    await started[Symbol.asyncDispose]();
    expect((await events.next()).value?.data).toContain('"resultType":"complete"');
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test('is cancelled when the body is', async () => {
    await using started = start();
    const call = modern('tools/call', { name: 'wait' }, withToken);
    const response = await started.handle(toRequest(call));
    const { signal } = await started.waiting;
    await response.body?.cancel();
    expect(signal.aborted).toBe(true);
  });

  test('is cancelled when the request is', async () => {
    await using started = start();
    const controller = new AbortController();
    const call = modern('tools/call', { name: 'wait' }, withToken);
    const response = await started.handle(toRequest({ ...call, signal: controller.signal }));
    const { signal } = await started.waiting;
    controller.abort();
    expect(signal.aborted).toBe(true);
    await expect(response.text()).rejects.toBeInstanceOf(Error);
  });

  test('is cancelled when the request is, also before there is an answer', async () => {
    await using started = start();
    const controller = new AbortController();
    const call = modern('tools/call', { name: 'wait' });
    const answer = started.handle(toRequest({ ...call, signal: controller.signal }));
    const { signal } = await started.waiting;
    controller.abort();
    expect(signal.aborted).toBe(true);
    // Nobody reads it, but whoever awaits the handler goes on.
    expect((await answer).status).toBe(499);
  });
});

describe('the legacy era', () => {
  test('has sessions', async () => {
    await using started = start();
    const { handle } = started;
    const headers = await initialize(started);
    const called = await handle(
      toRequest({ headers, body: request(2, 'tools/call', { name: 'say' }) }),
    );
    expect(await messagesOf(called)).toMatchObject([{ id: 2, result: { content: [{}] } }]);
    const ended = await handle(toRequest({ method: 'DELETE', headers }));
    expect(ended.status).toBe(204);
    const lost = await handle(toRequest({ headers, body: request(3, 'tools/list') }));
    expect(lost.status).toBe(404);
  });

  test('answers 202 without a body', async () => {
    await using started = start();
    const headers = await initialize(started);
    const response = await started.handle(toRequest({ headers, body: notification('x') }));
    expect([response.status, await response.text()]).toEqual([202, '']);
  });

  test('streams events, and goes on where it was cut', async () => {
    await using started = start();
    const { handle, tools } = started;
    const session = await initialize(started);
    const headers = { ...session, accept: 'text/event-stream' };
    const listen = (more = {}): Promise<Response> =>
      handle(toRequest({ method: 'GET', headers: { ...headers, ...more } }));
    const first = await listen();
    expect(first.headers.get('content-type')).toBe('text/event-stream');
    tools.remove('say');
    const events = eventsOf(first);
    const { value: event } = await events.next();
    expect(event?.data).toContain('notifications/tools/list_changed');
    await events.return(undefined);
    tools.remove('count');
    const again = eventsOf(await listen({ 'last-event-id': event?.id }));
    expect((await again.next()).value?.data).toContain('notifications/tools/list_changed');
    await again.return(undefined);
  });

  test('is not cancelled by hanging up', async () => {
    await using started = start();
    const headers = await initialize(started);
    const params = { name: 'wait', _meta: { progressToken: 'p' } };
    const response = await started.handle(
      toRequest({ headers, body: request(2, 'tools/call', params) }),
    );
    const { signal } = await started.waiting;
    await response.body?.cancel();
    expect(signal.aborted).toBe(false);
    await started.handle(
      toRequest({ headers, body: notification('notifications/cancelled', { requestId: 2 }) }),
    );
    expect(signal.aborted).toBe(true);
  });
});

describe('a large answer', () => {
  const kibibyte = 1024;
  const bytes = 200 * kibibyte;
  const large = (options: Parameters<typeof toFetchHandler>[1]) => {
    const tools = toolSet([
      tool({ name: 'much', description: 'Says much.', run: () => 'x'.repeat(bytes) }),
      tool({
        name: 'count',
        description: 'Reports progress, then says much.',
        async run(_args, context) {
          await context.progress(1);
          return 'x'.repeat(bytes);
        },
      }),
    ]);
    const server = createServer({ name: 'large', version: '1.0.0', features: [tools] });
    const handle = toFetchHandler(server, options);
    onTestFinished(() => handle.close());
    return (name: string) => handle(toRequest(modern('tools/call', { name }, withToken)));
  };

  test.each(['much', 'count'])('is counted until it is read: %s', async (name) => {
    const budget = createBudget();
    const call = large({ budget });
    const response = await call(name);
    await expect.poll(() => budget.held.unread).toBeGreaterThan(bytes);
    expect((await messagesOf(response)).at(-1)).toMatchObject({ result: { content: [{}] } });
    expect(budget.used).toBe(0);
    await (await call(name)).body?.cancel();
    await expect.poll(() => budget.used).toBe(0);
  });

  test('has a length', async () => {
    const response = await large({})('much');
    expect((await response.arrayBuffer()).byteLength).toBe(
      Number(response.headers.get('content-length')),
    );
  });

  test('that nobody reads is given up when others need the room', async () => {
    const budget = createBudget(2 * kibibyte * kibibyte);
    const call = large({ budget });
    const unread = [];
    for (let count = 0; count < 4; count += 1) unread.push(await call('much'));
    await expect.poll(async () => (await call('much')).status, { interval: 50 }).toBe(503);
    expect(budget.held.unread).toBeLessThanOrEqual(budget.limit / 2);
    // As soon as nothing was read for a second.
    const another = async (): Promise<number> => {
      const response = await call('much');
      await response.text();
      return response.status;
    };
    await expect.poll(another, { timeout: 20_000, interval: 50 }).toBe(200);
    await expect(unread[0]?.text()).rejects.toThrow('the connection was cut');
    expect(budget.letGo.unread).toBeGreaterThan(0);
  });
});

describe('what it refuses', () => {
  test.each([
    ['a foreign host', 403, new Request('http://evil.example/mcp')],
    ['a foreign origin', 403, new Request(url, { headers: { origin: 'http://evil.example' } })],
    ['another method', 405, new Request(url, { method: 'PUT' })],
    ['a plain GET', 405, new Request(url)],
    ['another content type', 415, new Request(url, { method: 'POST', body: '{}' })],
    ['no JSON', 400, new Request(url, { method: 'POST', headers: postHeaders, body: '{' })],
  ])('%s: %i', async (_what, status, wrong) => {
    await using started = start();
    const { handle } = started;
    expect((await handle(wrong)).status).toBe(status);
  });

  test('a body over the limit: 413', async () => {
    await using started = start({ limits: { maxBytes: 1000 } });
    const { handle } = started;
    const long = toRequest({ headers: postHeaders, body: 'x'.repeat(1001) });
    expect((await handle(long)).status).toBe(413);
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(400)),
    });
    const endless = new Request(url, {
      method: 'POST',
      headers: postHeaders,
      body: stream,
      duplex: 'half',
    });
    expect((await handle(endless)).status).toBe(413);
  });

  test('not the hosts and origins it was told to welcome', async () => {
    await using started = start({
      allowedHosts: ['mcp.example'],
      allowedOrigins: ['https://app.example'],
    });
    const { handle } = started;
    const { headers = {}, body } = modern('tools/list');
    const welcome = new Request('https://mcp.example/mcp', {
      method: 'POST',
      headers: { ...headers, origin: 'https://app.example' },
      body: JSON.stringify(body),
    });
    expect((await handle(welcome)).status).toBe(200);
  });
});
