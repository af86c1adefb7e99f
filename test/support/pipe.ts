import { createDeferred } from 'mcp-kit/internal';
import type { Service } from 'mcp-kit/protocol';
import { memoryPair, serveChannel } from 'mcp-kit/transport';
import type { Message } from './http-client.ts';

/** The client's end of a pipe to a server: raw messages both ways. */
export interface Pipe {
  send(message: unknown): void;
  next(): Promise<Message>;
  /** What has arrived and was not read. */
  readonly unread: readonly Message[];
  [Symbol.asyncDispose](): Promise<void>;
}

export function openPipe(service: Service): Pipe {
  const [near, far] = memoryPair();
  const unread: Message[] = [];
  let arrived = createDeferred<void>();
  near.start({
    message(value) {
      unread.push(value as Message);
      arrived.resolve();
      arrived = createDeferred();
    },
    deaf: false,
    malformed() {},
    skipped() {},
    lost() {},
    failed() {},
    released() {},
    ended() {},
    closed() {},
  });
  serveChannel(service, far);
  return {
    unread,
    send: (message) => void near.send(JSON.stringify(message)),
    async next() {
      for (;;) {
        const message = unread.shift();
        if (message !== undefined) return message;
        await arrived.promise;
      }
    },
    [Symbol.asyncDispose]: () => near.close(),
  };
}
