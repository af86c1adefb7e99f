import { createDeferred } from 'mcp-kit/internal';
import type { Id, Sink } from 'mcp-kit/jsonrpc';
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

/** Hears of everything, and does nothing. */
export const deafSink: Sink = {
  deaf: false,
  message() {},
  malformed() {},
  skipped() {},
  lost() {},
  failed() {},
  released() {},
  ended() {},
  closed() {},
};

/** Reads the answer to a request; what comes before it is added to `told`. */
export async function answerTo(pipe: Pipe, id: Id, told: Message[]): Promise<Message> {
  for (;;) {
    const message = await pipe.next();
    if (message.id === id && message.method === undefined) return message;
    told.push(message);
  }
}

export function openPipe(service: Service): Pipe {
  const [near, far] = memoryPair();
  const unread: Message[] = [];
  let arrived = createDeferred<void>();
  near.start({
    ...deafSink,
    message(value) {
      unread.push(value as Message);
      arrived.resolve();
      arrived = createDeferred();
    },
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
