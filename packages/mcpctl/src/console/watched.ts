import { createFeed, createWatch, type Feed } from '@mcp-kit/console';
import type { Gateway, GatewayOptions } from '@mcp-kit/host/gateway';
import type { Service } from 'mcp-kit/protocol';
import type { LogBook } from '../control/log-book.ts';

/** What is kept for a console of all that a gateway hears. */
export interface Watched {
  readonly feed: Feed;
  readonly crossed: NonNullable<GatewayOptions['onMessage']>;
  /** The same gateway, heard at every way in. */
  hear(gateway: Gateway): Gateway;
}

/** Begins to keep what crosses, and what servers say beside it. */
export function watchAll(book: LogBook): Watched {
  const feed = createFeed();
  const watch = createWatch(feed);
  book.follow(({ server, from, text }) => {
    // What came instead of a message is heard on its wire.
    if (from !== 'output') watch.said(server, from, text);
  });
  const heard = (service: Service | undefined): Service | undefined =>
    service && watch.hear(service);
  return {
    feed,
    crossed: watch.crossed,
    hear: (gateway) => ({
      ...watch.hear(gateway),
      server: (name) => heard(gateway.server(name)),
      group: (name) => heard(gateway.group(name)),
    }),
  };
}
