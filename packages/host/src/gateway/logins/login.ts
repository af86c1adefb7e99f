import { createDeferred, crypto, KitError, startTimer, unref, type Logger } from 'mcp-kit/internal';
import type { Manager } from '@mcp-kit/host';

/** Who logs in, and where. */
export interface Account {
  readonly server: string;
  readonly principal: string;
}

/** A login that somebody has to finish in a browser. */
export interface Login extends Account {
  /** Known to whoever was given the address, and to nobody else. */
  readonly id: string;
  /** The page of this gateway where it begins. */
  readonly url: string;
  /** The page of the issuer, where it goes on. */
  readonly page: URL;
  /** Settles when tokens are kept, or it has failed. */
  readonly over: Promise<unknown>;
  /** What the browser has that was shown who logs in where, and went on. */
  browser: string | undefined;
  /** The browser has come back. */
  cameBack(query: string): void;
}

/** The addresses of the pages. */
export interface Places {
  readonly start: URL;
  readonly callback: URL;
}

interface Starting {
  readonly manager: Manager;
  readonly places: Places;
  readonly scopes: readonly string[] | undefined;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** How long a person may take. */
const personMs = 10 * 60_000;

/** Begins a login; settles when somebody can go on with it. */
export async function startLogin(account: Account, starting: Starting): Promise<Login> {
  const { server, principal } = account;
  const { manager, places, scopes, signal, logger } = starting;
  const { href: redirectUri } = places.callback;
  const visited = createDeferred<URL>();
  const back = createDeferred<URL>();
  // It may fail before anybody waits for the browser.
  back.promise.catch(() => {});
  const timer = unref(startTimer(() => back.reject(nobodyCame(server)), personMs));
  const giveUp = (): void => back.reject(new KitError('aborted', 'the gateway has ended'));
  signal.addEventListener('abort', giveUp, { once: true });
  const visit = (page: URL): Promise<URL> => {
    visited.resolve(page);
    return back.promise;
  };
  const interact = { begin: () => ({ redirectUri, visit, close: () => {} }) };
  const over = manager.login(server, { account: principal, scopes, signal, interact });
  over
    .catch((error: unknown) => {
      logger.info(`${server}: a login has failed`, { principal, error: String(error) });
      visited.reject(error);
    })
    .finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    });
  const page = await visited.promise;
  const id = randomText();
  const url = new URL(places.start);
  url.searchParams.set('id', id);
  return {
    ...account,
    id,
    url: url.href,
    page,
    over,
    browser: undefined,
    cameBack: (query) => back.resolve(new URL(`${redirectUri}?${query}`)),
  };
}

/** What nobody guesses. */
export function randomText(): string {
  return crypto().randomBytes(32).toString('base64url');
}

function nobodyCame(server: string): KitError {
  const message = `nobody came back from the login at ${server} within ${personMs / 60_000} minutes`;
  return new KitError('timeout', message, { hint: 'Call again, and log in at the new address.' });
}
