import { createDeferred } from '#base';
import { describe, expect, test, vi } from 'vitest';
import type { Channel, Sink } from './channel.ts';
import { Connection } from './connection.ts';
import type { Handlers } from './handlers.ts';

/** A connection whose peer is the test: `wire.receive` takes what arrives, `wire.texts` holds what was answered. */
function open(request: Handlers['request'], accepted = true) {
  const texts: string[] = [];
  const origins: unknown[] = [];
  let started: Sink | undefined;
  const channel: Channel = {
    start: (sink) => {
      started = sink;
    },
    send: () => 'sent',
    tell: () => undefined,
    letGo: () => false,
    lastWords: () => '',
    reply: (text, options) => {
      origins.push(options?.origin);
      if (text !== undefined) texts.push(text);
    },
    drained: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const connection = new Connection(channel, () => ({
    request,
    notification: () => {},
    acceptsBatch: () => accepted,
    closed: () => {},
  }));
  const wire = {
    texts,
    origins,
    receive: (value: unknown) => started?.message(value),
    get sent(): unknown[] {
      return texts.map((text) => JSON.parse(text) as unknown);
    },
  };
  return { connection, wire };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('batches', () => {
  const message = (id: number) => ({ jsonrpc: '2.0', id, method: 'm' });

  test('are answered with one array when the last of their answers is there', async () => {
    const gate = createDeferred<string>();
    const { wire } = open(({ message: { id } }) => (id === 1 ? gate.promise : 'at once'));
    wire.receive([message(1), message(2), { jsonrpc: '2.0', method: 'n' }, 3]);
    expect(wire.texts).toEqual([]);
    gate.resolve('later');
    await turn();
    expect(wire.sent).toHaveLength(1);
    expect(wire.sent[0]).toMatchObject([
      { id: 2, result: 'at once' },
      { error: { code: -32600 } },
      { id: 1, result: 'later' },
    ]);
  });

  test('of notifications only are not answered', () => {
    const { wire } = open(() => ({}));
    wire.receive([{ jsonrpc: '2.0', method: 'n' }]);
    expect(wire.texts).toEqual([]);
    expect(wire.origins).toHaveLength(1);
  });

  test('whose every request was cancelled are not answered', async () => {
    const { wire, connection } = open(() => new Promise(() => {}));
    wire.receive([message(1), message(2)]);
    connection.cancel(1, 'x');
    connection.cancel(2, 'x');
    await turn();
    expect(wire.texts).toEqual([]);
    expect(wire.origins).toHaveLength(1);
  });

  test.each([
    ['unwelcome', [message(1)], false],
    ['empty', [], true],
    ['of more than a hundred', Array.from({ length: 101 }, (_, id) => message(id)), true],
  ])('%s are refused as a whole', (_name, batch, accepted) => {
    const request = vi.fn<Handlers['request']>(() => ({}));
    const { wire } = open(request, accepted);
    wire.receive(batch);
    expect(wire.sent).toMatchObject([{ error: { code: -32600 } }]);
    expect(request).not.toHaveBeenCalled();
  });
});
