import { createDeferred, unref, type Logger } from '#base';
import type { Log } from '#store';
import { eventOf, noteIn } from '../events.ts';
import { isAnswer } from './lost-stream.ts';
import type { PacedStream } from '../paced-stream.ts';

/** A stream that a client can come back to. */
export interface Resumable {
  /** Nothing is left for a client that has seen this position. */
  endsAt(position: number): boolean;
  /** Continues on a connection, after the last event the client has seen. */
  attach(connection: PacedStream, after: number): void;
}

interface FollowedStreamOptions {
  readonly log: Log;
  readonly logger: Logger;
  readonly key: string;
  readonly eventId: (position: number) => string;
  readonly retryMs: number;
  /** Whether the stream ends with an answer. */
  readonly isCall: boolean;
  /** Whether the node is there that has it. */
  isOwned(): Promise<boolean>;
  /** Ends a call whose node is gone, unless it was answered. */
  conclude(): Promise<void>;
  /** Tells the node that has it whether its events are sent here. */
  tell(isOver: boolean): void;
}

const pageSize = 64;
/** How often it is asked whether the node is there. */
const lookMs = 500;

/** The events of a stream that another node has, sent from here: what it adds to the log goes to the client. */
export function followedStream(options: FollowedStreamOptions): Resumable {
  return {
    endsAt: () => false,
    attach(connection, after) {
      options.tell(false);
      follow(options, connection, after)
        .catch((error: unknown) => {
          options.logger.error('events could not be read', { error: String(error) });
          connection.cut();
        })
        .finally(() => options.tell(true));
    },
  };
}

async function follow(
  options: FollowedStreamOptions,
  connection: PacedStream,
  after: number,
): Promise<void> {
  const { log, key, isCall, logger } = options;
  let woken = createDeferred<void>();
  const wake = (): void => woken.resolve();
  const end = log.watch(key, wake);
  const timer = unref(setInterval(wake, lookMs));
  connection.onClose(wake);
  let isAbandoned = false;
  try {
    for (let written = after; connection.open;) {
      woken = createDeferred<void>();
      const { entries, complete } = await log.readAfter(key, written, pageSize);
      if (!complete) {
        logger.warn('events were lost before they were sent', { key });
        connection.cut();
        return;
      }
      for (const { position, data } of entries) {
        written = position;
        connection.write(eventOf(options, position, data));
        isAbandoned = noteIn(data)?.isOver === true;
        if (isCall && isAnswer(data)) return connection.end();
      }
      if (connection.congested) await connection.drained();
      if (entries.length > 0) continue;
      if (!isAbandoned && (await options.isOwned())) await woken.promise;
      else if (isCall) await options.conclude();
      // The client comes back, and listens where the rest of it is taken over.
      else return connection.end();
    }
  } finally {
    end();
    clearInterval(timer);
  }
}
