import type { Logger } from '#base';
import { Feed, type FeedOptions, type Verdict } from './feed.ts';
import type { Handshake } from './handshake.ts';

/** The stream for what the server of a session says by itself. */
export function createSessionStream(
  handshake: Handshake,
  options: Omit<FeedOptions, 'position' | 'headers' | 'refused'>,
  logger: Logger,
): Feed {
  let warned = false;
  return new Feed({
    ...options,
    position: { lastEventId: undefined, retryMs: undefined },
    headers: () => handshake.headers,
    refused: (status, error, wasOpen) => {
      // At first it may just as well mean that there is no such stream.
      if (status === 404 && wasOpen) handshake.lost = true;
      const isNews = error.code !== 'http_status' && !warned;
      if (isNews) logger.warn(`the stream of the session: ${error.message}`);
      warned ||= isNews;
      return judge(status, wasOpen);
    },
  });
}

/** Whether it is to be tried again. A server that had one has it again when it is back. */
function judge(status: number, wasOpen: boolean): Verdict {
  const unauthorized = status === 401 || status === 403;
  const down = status === 429 || (status >= 500 && status !== 501);
  if (unauthorized || down) return 'again';
  return wasOpen && status >= 400 && status !== 404 ? 'anew' : 'stop';
}
