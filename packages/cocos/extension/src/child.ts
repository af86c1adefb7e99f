// The server in a process of its own, beside an editor whose Node is too old for it.
import type { EditorRequester } from '#cocos/backend';
import type { BridgeAnswer, BridgeNews, BridgeRequest } from './bridge.ts';
import { startServer } from './server.ts';

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const waiting = new Map<number, Waiting>();
let count = 0;

function send(message: BridgeRequest | BridgeNews): void {
  if (process.connected) process.send?.(message);
}

const requester: EditorRequester = {
  request: (channel, method, ...args) =>
    new Promise((resolve, reject) => {
      const id = ++count;
      waiting.set(id, { resolve, reject });
      send({ id, channel, method, args });
    }),
};

process.on('message', ({ id, result, error }: BridgeAnswer) => {
  const one = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) one?.resolve(result);
  else one?.reject(new Error(error));
});

const ended = new Promise<void>((resolve) => {
  process.once('disconnect', resolve);
});

try {
  const server = await startServer(requester, process.argv[2] ?? '');
  send({ url: server.url });
  await ended;
  for (const one of waiting.values()) one.reject(new Error('the editor is gone'));
  await server.close();
} catch (error) {
  send({ failure: error instanceof Error ? error.message : String(error) });
  if (process.connected) process.disconnect();
}
