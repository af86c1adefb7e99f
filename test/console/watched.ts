import path from 'node:path';
import { createFeed, createWatch, openConsole, type Console, type Feed } from '@mcp-kit/console';
import { gateway } from '@mcp-kit/host/gateway';
import { withoutSecrets } from 'mcp-kit/internal';
import type { Target } from 'mcp-kit/protocol';
import { serveHttp } from 'mcp-kit/transport/http';
import { root } from '../support/child-process.ts';

/** A gateway with a console, in this process. */
export interface WatchedGateway extends AsyncDisposable {
  readonly url: string;
  readonly feed: Feed;
  readonly console: Console;
}

const refused = (): Promise<never> => Promise.reject(new Error('not in this test'));

/** Opens a gateway before these servers, with all that crosses kept for its console. */
export async function openWatched(
  targets: Readonly<Record<string, Target>>,
): Promise<WatchedGateway> {
  const feed = createFeed();
  const watch = createWatch(feed);
  const service = watch.hear(
    gateway(targets, { waitMs: 60_000, onMessage: watch.crossed, disclosure: 'full' }),
  );
  const http = await serveHttp(service);
  const actions = {
    restart: refused,
    stop: refused,
    approval: refused,
    approve: refused,
    why: refused,
    login: refused,
  };
  const facts = { name: 'tests', address: http.url, version: '1', startedAt: Date.now() };
  const console = await openConsole({
    feed,
    service,
    actions,
    mask: withoutSecrets,
    status() {
      const { hash, servers } = service.status();
      const calls = { underWay: 0, outcomes: {} };
      return { gateway: facts, hash, servers: servers.map((server) => ({ ...server, calls })) };
    },
    page: path.join(root, 'packages/console/dist/page'),
  });
  return {
    url: http.url,
    feed,
    console,
    async [Symbol.asyncDispose]() {
      await console[Symbol.asyncDispose]();
      await http.close();
      await service.close();
    },
  };
}

/** What a browser would send and read, with the cookie of a link. */
export interface Visitor {
  readonly cookie: string;
  ask<T>(name: string, body?: object): Promise<T>;
}

/** Follows a link. */
export async function visit({ console }: WatchedGateway): Promise<Visitor> {
  const { origin, hash } = new URL(console.link());
  const api = `${origin}/console/api`;
  const headers = { origin, 'content-type': 'application/json' };
  const token = new URLSearchParams(hash.slice(1)).get('token');
  const body = JSON.stringify({ token });
  const entered = await fetch(`${api}/enter`, { method: 'POST', headers, body });
  const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';');
  return {
    cookie,
    async ask<T>(name: string, asked: object = {}) {
      const answer = await fetch(`${api}/${name}`, {
        method: 'POST',
        headers: { ...headers, cookie },
        body: JSON.stringify(asked),
      });
      return (await answer.json()) as T;
    },
  };
}
