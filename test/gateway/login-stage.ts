import { adHocEntry, createManager, type GatewaySettings } from '@mcp-kit/host';
import { gateway, type Gateway } from '@mcp-kit/host/gateway';
import { memoryCredentials, type CredentialStore } from 'mcp-kit/auth';
import { openSession, type Session, type SessionOptions } from 'mcp-kit/client';
import { resources } from 'mcp-kit/server';
import { serveHttp } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { afterAll, afterEach } from 'vitest';
import {
  browse,
  startAuthorizationServer,
  type AuthorizationServer,
} from '../auth/authorization-server.mjs';
import { startGuardedServer, whoami, type GuardedServer } from '../auth/guarded-server.ts';

/** What is closed after the test, the last first. */
export const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

/** A gateway before a server that lets nobody in without a token; who asks is said by `x-user`. */
export interface LoginStage {
  readonly as: AuthorizationServer;
  readonly server: GuardedServer;
  readonly service: Gateway;
  readonly store: CredentialStore;
  readonly url: string;
}

const perPrincipal: GatewaySettings = { servers: { notes: { login: 'principal' } } };

/** One for all tests: what is kept of it is kept by each of them. */
let issuing: Promise<AuthorizationServer> | undefined;
afterAll(async () => (await issuing)?.close());

export async function openLoginStage(settings = perPrincipal): Promise<LoginStage> {
  issuing ??= startAuthorizationServer();
  const as = await issuing;
  const diary = { uri: 'notes://diary', name: 'diary', read: () => 'dear diary' };
  const more = { tools: [whoami], features: [resources({ resources: [diary] })] };
  const server = await startGuardedServer(as.issuer, more);
  const store = memoryCredentials();
  const manager = createManager({
    entries: [adHocEntry({ url: server.url }, 'notes')],
    trust: 'trusted',
    receipts: false,
    toolCache: false,
    credentials: store,
    name: 'gateway',
    version: '1',
  });
  const place: { url?: string } = {};
  const service = gateway(manager, { waitMs: 60_000, settings, publicUrl: () => place.url });
  const http = await serveHttp(service, {
    identify: (headers) => headers['x-user'] as string | undefined,
    services: (at) => service.server(at.replace('/mcp/', '')),
    pages: service.pages(),
  });
  const { url } = http;
  place.url = url;
  opened.push(
    () => server.close(),
    () => manager.close(),
    () => service.close(),
    () => http.close(),
  );
  await service.settled();
  return { as, server, service, store, url };
}

/** A client of ours, as somebody. */
export async function clientAs(
  user: string | undefined,
  url: string,
  options: SessionOptions = {},
): Promise<Session> {
  const headers = user === undefined ? {} : { 'x-user': user };
  const session = await openSession(httpTarget(url, { headers }), options);
  opened.push(() => session.close());
  return session;
}

/** A browser at a page: what it is shown, and the cookie that it is given. */
export async function look(url: string | URL, cookie = ''): Promise<Response & { cookie: string }> {
  const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
  const [set = ''] = answer.headers.getSetCookie();
  return Object.assign(answer, { cookie: set.split(';')[0] ?? '' });
}

/** Where the first page leads to. */
export async function linkIn(page: Response, url: string): Promise<URL> {
  const link = /href="([^"]*)"/.exec(await page.text())?.[1] ?? '';
  return new URL(link.replaceAll('&#38;', '&'), url);
}

/** A browser that goes on from the first page: the page of the issuer, and the cookie that it has. */
export async function goOn(url: string): Promise<{ readonly page: URL; readonly cookie: string }> {
  const first = await look(url);
  const next = await look(await linkIn(first, url), first.cookie);
  return { page: new URL(next.headers.get('location') ?? 'about:blank'), cookie: first.cookie };
}

/** Somebody with an account logs in where they are told to; what they are shown in the end. */
export async function logIn(url: string, account: string): Promise<number> {
  const { page, cookie } = await goOn(url);
  const back = await browse(page, undefined, account);
  return (await look(back, cookie)).status;
}
