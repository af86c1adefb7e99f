import type { Channel, Sink } from 'mcp-kit/jsonrpc';
import { metaKeys, modernVersion } from 'mcp-kit/protocol';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { serveChannel } from 'mcp-kit/transport';
import { expect, test } from 'vitest';

const envelope = {
  [metaKeys.protocolVersion]: modernVersion,
  [metaKeys.clientCapabilities]: {},
};

/** A server whose one tool notes through which of our modules it was called. */
function open() {
  let path: readonly string[] = [];
  const look = tool({
    name: 'get_path',
    description: 'Looks where it was called from.',
    run: () => {
      const limit = Error.stackTraceLimit;
      Error.stackTraceLimit = 100;
      const { stack = '' } = new Error('here');
      Error.stackTraceLimit = limit;
      path = [...new Set([...stack.matchAll(/src\/([\w/-]+\.ts)/g)].map(([, file = '']) => file))];
      return 'done';
    },
  });
  const replies: unknown[] = [];
  let sink: Sink | undefined;
  const channel: Channel = {
    start: (given) => void (sink = given),
    send: () => 'sent',
    tell: () => undefined,
    letGo: () => false,
    lastWords: () => '',
    reply: (text) => void (text !== undefined && replies.push(JSON.parse(text))),
    drained: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const features = [toolSet([look])];
  serveChannel(createServer({ name: 'path', version: '1', features }), channel);
  const say = (message: object): void => sink?.message({ jsonrpc: '2.0', ...message });
  return { say, replies, path: () => path };
}

const call = { id: 2, method: 'tools/call', params: { name: 'get_path', arguments: {} } };
const most = 8;

test('a synchronous tool answers a legacy client in the same turn, through few modules', () => {
  const { say, replies, path } = open();
  const params = { protocolVersion: '2025-11-25', capabilities: {} };
  say({ id: 1, method: 'initialize', params });
  say({ method: 'notifications/initialized' });
  say(call);
  expect(replies).toMatchObject([{ id: 1 }, { id: 2, result: { content: [{ text: 'done' }] } }]);
  expect(path().slice(most)).toEqual([]);
});

test('a synchronous tool answers a modern client in the same turn, through few modules', () => {
  const { say, replies, path } = open();
  say({ ...call, params: { ...call.params, _meta: envelope } });
  expect(replies).toMatchObject([{ id: 2, result: { content: [{ text: 'done' }] } }]);
  expect(path().slice(most)).toEqual([]);
});
