import type { ServerResponse } from 'node:http';
import type { Feed } from '../feed/feed.ts';
import { rowOf, type Mask } from '../feed/row.ts';

/** What one open page hears: events of a stream, each with its name. */
export interface PageStream {
  tell(event: string, data: unknown): void;
}

export interface StreamOptions {
  readonly feed: Feed;
  readonly mask: Mask;
  /** The last that this page has seen; all that is kept comes where it has seen nothing. */
  readonly after: number;
  /** What is told when it begins, and again whenever it is another. */
  readonly state: () => unknown;
}

/** Rows that are written at once. */
const rowsAtOnce = 500;
/** Nobody sees what comes faster. */
const pauseMs = 100;
/** So many times as long as it took to write rows it waits before it writes more: the work of the gateway comes first. */
const restFor = 7;
const stateMs = 1000;

/**
 * Tells a page of rows as they come, and never waits for it: one that does not read is told nothing until it does, and goes on
 * with what is still kept then. Nothing runs where no page is open.
 */
export function openStream(response: ServerResponse, options: StreamOptions): PageStream {
  const { feed, mask, state } = options;
  let seen = options.after;
  let isFull = false;
  let told = '';
  let restMs = pauseMs;
  let timer: NodeJS.Timeout | undefined;
  const write = (event: string, data: unknown, id?: string): void => {
    const head = id === undefined ? '' : `id: ${id}\n`;
    isFull = !response.write(`${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const flush = (): void => {
    const begunMs = performance.now();
    timer = undefined;
    if (isFull || seen >= feed.last) return;
    const missed = Math.max(feed.first - 1 - seen, 0);
    const entries = feed.after(seen, rowsAtOnce);
    seen = entries.at(-1)?.seq ?? feed.last;
    const rows = entries.map((entry) => rowOf(entry, mask));
    write('rows', { rows, missed }, `${feed.run}/${seen}`);
    restMs = Math.max(pauseMs, restFor * (performance.now() - begunMs));
    later();
  };
  const later = (): void => {
    if (isFull || seen >= feed.last) return;
    timer ??= setTimeout(flush, restMs);
  };
  const look = (): void => {
    const now = state();
    const text = JSON.stringify(now);
    if (isFull || text === told) return;
    told = text;
    write('state', now);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('retry: 1000\n\n');
  look();
  flush();
  const unwatch = feed.watch(later);
  const looking = setInterval(look, stateMs);
  response.on('drain', () => {
    isFull = false;
    later();
  });
  response.on('close', () => {
    unwatch();
    clearInterval(looking);
    clearTimeout(timer);
  });
  return { tell: write };
}
