import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  browserInteraction,
  createAuthorizer,
  memoryCredentials,
  openCredentials,
  type Authorizer,
  type AuthorizerOptions,
  type CredentialStore,
  type Interaction,
} from 'mcp-kit/auth';
import { openSession, type Session } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import {
  browse,
  startAuthorizationServer,
  type AuthorizationServer,
} from './authorization-server.mjs';
import { startGuardedServer, type GuardedServer } from './guarded-server.ts';

/** A person with a browser, who comes back to the program that sent them. */
export function person(): Interaction & { readonly visits: URL[] } {
  const visits: URL[] = [];
  const open = async (url: URL): Promise<boolean> => {
    visits.push(url);
    const back = await browse(url);
    const page = await fetch(back);
    if (page.status !== 200) throw new Error(`the callback answered ${page.status}`);
    return true;
  };
  // The opener must not wait for the login that it is part of.
  const start = (url: URL): boolean => {
    open(url).catch(() => {});
    return true;
  };
  return { ...browserInteraction({ say: () => {}, open: start, timeoutMs: 10_000 }), visits };
}

/** A folder for one test. */
export async function ownFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-auth-'));
  return {
    path: folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export function fileIn(folder: string): Promise<CredentialStore> {
  return openCredentials({ file: path.join(folder, 'credentials.json'), keychain: 'none' });
}

/** What a file keeps under a name. */
export async function keptIn(folder: string, name: string): Promise<Record<string, unknown>> {
  const text = await readFile(path.join(folder, 'credentials.json'), 'utf8');
  const { entries } = JSON.parse(text) as { entries: Record<string, Record<string, unknown>> };
  return entries[name] ?? {};
}

/** An authorizer for a server, with a person unless told otherwise. */
export function authorizerFor(
  server: { readonly url: string },
  options: Partial<AuthorizerOptions> = {},
): Authorizer {
  const { store = memoryCredentials(), ...others } = options;
  return createAuthorizer({ server: server.url, name: 'guarded', store, ...others });
}

/** A session with a server, closed by the test. */
export async function sessionWith(
  server: { readonly url: string },
  auth: Authorizer,
): Promise<Session & AsyncDisposable> {
  const session = await openSession(httpTarget(server.url, { auth }), {
    name: 'test',
    version: '1',
  });
  return Object.assign(session, { [Symbol.asyncDispose]: () => session.close() });
}

/** Runs with a server, and with the authorization server whose tokens it takes. */
export async function withServers(
  run: (servers: {
    readonly as: AuthorizationServer;
    readonly server: GuardedServer;
  }) => Promise<void>,
  options: Parameters<typeof startAuthorizationServer>[0] = {},
): Promise<void> {
  const as = await startAuthorizationServer(options);
  try {
    await using server = await startGuardedServer(as.issuer);
    await run({ as, server });
  } finally {
    await as.close();
  }
}
