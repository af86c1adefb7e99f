import { describe, expect, onTestFinished, test } from 'vitest';
import { createDeferred } from '#base';
import { methodNotFound, type Serve } from '#protocol';
import { connectInMemory, type InMemoryClient } from '#testing';
import { clientOf } from './envelope.ts';
import { conversationOf } from './handshake.ts';

const greeting = { protocolVersion: '2025-06-18', odd: true };
const hello = { protocolVersion: '2025-11-25', capabilities: {} };

/** A client of something that serves so, and the methods that reached it. */
function connect(serve: Serve): InMemoryClient & { readonly reached: string[] } {
  const reached: string[] = [];
  const client = connectInMemory({
    serve(exchange) {
      reached.push(exchange.message.method);
      return serve(exchange);
    },
    mirroredHeaders: () => [],
    describe: () => ({}),
  });
  onTestFinished(() => client.close());
  return Object.assign(client, { reached });
}

describe('what answers initialize', () => {
  const relay: Serve = ({ message: { method } }) =>
    method === 'initialize' ? greeting : { method };

  test('is asked everything as it is, from then on', async () => {
    const client = connect(relay);
    expect(await client.request('initialize', hello)).toEqual(greeting);
    for (const method of ['ping', 'logging/setLevel', 'odd/method']) {
      expect(await client.request(method)).toEqual({ method });
    }
    client.notify('notifications/odd');
    await client.request('ping');
    expect(client.reached).toContain('notifications/odd');
  });

  test('is asked nothing before', async () => {
    const client = connect(relay);
    await expect(client.request('tools/list')).rejects.toMatchObject({ code: -32_600 });
    expect(await client.request('ping')).toEqual({});
    expect(client.reached).toEqual([]);
  });

  test('has the version that was agreed on', async () => {
    const client = connect((exchange) =>
      exchange.message.method === 'initialize' ? greeting : { version: clientOf(exchange).version },
    );
    await client.request('initialize', hello);
    expect(await client.request('any')).toEqual({ version: '2025-06-18' });
  });

  test('may take its time: what comes meanwhile waits, and readiness follows the answer', async () => {
    const opened = createDeferred<object>();
    const client = connect(({ message: { method } }) =>
      method === 'initialize' ? opened.promise : { method },
    );
    const answers: unknown[] = [];
    const note = (answer: unknown): void => void answers.push(answer);
    const first = client.request('initialize', hello).then(note);
    const second = client.request('early').then(note);
    client.notify('notifications/initialized');
    await new Promise((resolve) => setImmediate(resolve));
    expect(client.reached).toEqual(['initialize']);
    opened.resolve(greeting);
    await Promise.all([first, second]);
    expect(answers).toEqual([greeting, { method: 'early' }]);
    await expect.poll(() => client.reached.at(-1)).toBe('notifications/initialized');
  });

  test('may fail, and then nothing has begun', async () => {
    const client = connect(() => Promise.reject(new TypeError('broken')));
    await expect(client.request('initialize', hello)).rejects.toMatchObject({ code: -32_603 });
    await expect(client.request('tools/list')).rejects.toMatchObject({ code: -32_600 });
    expect(client.reached).toEqual(['initialize']);
  });
});

describe('what does not know initialize', () => {
  const serverInfo = { name: 'modern', version: '1' };
  const said = { capabilities: { tools: {} }, instructions: 'Be kind.' };
  const translate: Serve = (exchange) => {
    const { method } = exchange.message;
    if (method === 'initialize') throw methodNotFound(method);
    const { era, logLevel } = clientOf(exchange);
    if (method !== 'server/discover') return { era, logLevel };
    const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
    return Promise.resolve({ ...said, supportedVersions: [], _meta });
  };

  test('is asked what it is in modern words', async () => {
    const client = connect(translate);
    expect(await client.initialize()).toEqual({
      protocolVersion: '2025-11-25',
      serverInfo,
      ...said,
    });
    expect(client.reached.slice(0, 2)).toEqual(['initialize', 'server/discover']);
  });

  test('is not bothered with what only steers the conversation', async () => {
    const client = connect(translate);
    await client.initialize();
    await client.request('ping');
    await client.request('logging/setLevel', { level: 'error' });
    expect(await client.request('any')).toEqual({ era: 'legacy', logLevel: 'error' });
    expect(client.reached).not.toContain('ping');
    expect(client.reached).not.toContain('logging/setLevel');
  });

  test('has a conversation whose record is plain data', async () => {
    let record: unknown;
    const client = connect((exchange) => {
      record = conversationOf(exchange)?.handshake;
      return translate(exchange);
    });
    await client.initialize();
    await client.request('any');
    expect(record).toMatchObject({ phase: 'ready', mode: 'translate', client: { era: 'legacy' } });
    expect(structuredClone(record)).toEqual(record);
    expect(JSON.parse(JSON.stringify(record))).toEqual(record);
  });

  test('nor server/discover is no server for legacy clients', async () => {
    const client = connect(async ({ message: { method } }) => {
      throw methodNotFound(method);
    });
    await expect(client.request('initialize', hello)).rejects.toMatchObject({
      code: -32_601,
      message: 'Method not found: initialize',
    });
  });
});
