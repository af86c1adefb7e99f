import { createDeferred, KitError, type Logger } from 'mcp-kit/internal';
import type { Manager } from '@mcp-kit/host';
import { startLogin, type Account, type Login, type Places } from './login.ts';

/** The logins at servers where each principal has an account of their own. */
export interface Logins {
  /** The login of somebody: the one that is under way, or one that begins now. */
  begin(account: Account, scopes?: readonly string[]): Promise<Login>;
  /** Whether no login of theirs is under way any more, at the latest when the signal fires. */
  settled(account: Account, until: AbortSignal): Promise<boolean>;
  /** How many are waited for at a server. */
  waiting(server: string): number;
  byId(id: string): Login | undefined;
  /** Found once: whoever comes again with the same state finds nothing. */
  take(state: string, isRight: (login: Login) => boolean): Login | undefined;
  /** Where they begin, and where browsers come back to. */
  places(): Places;
  close(): void;
}

interface LoginsOptions {
  readonly manager: Manager;
  /** Where clients reach this gateway; nothing where it has no URL. */
  readonly publicUrl: (() => string | undefined) | undefined;
  readonly logger: Logger;
}

const maxLogins = 1000;

export function createLogins({ manager, publicUrl, logger }: LoginsOptions): Logins {
  /** By account: nobody has two at one server. */
  const underWay = new Map<string, Promise<Login>>();
  /** Those that somebody can go on with. */
  const open = new Map<string, Login>();
  const closing = new AbortController();

  const places = (): Places => {
    const at = publicUrl?.();
    if (at === undefined) throw noAddress();
    return { start: new URL('login', at), callback: new URL('login/callback', at) };
  };

  const start = async (account: Account, scopes: readonly string[] | undefined): Promise<Login> => {
    const { signal } = closing;
    const login = await startLogin(account, { manager, places: places(), scopes, signal, logger });
    open.set(login.id, login);
    const end = (): void => {
      open.delete(login.id);
      underWay.delete(keyOf(account));
    };
    login.over.then(end, end);
    return login;
  };

  return {
    places,
    begin(account, scopes) {
      const key = keyOf(account);
      const found = underWay.get(key);
      if (found !== undefined) return found;
      if (underWay.size >= maxLogins) return Promise.reject(tooMany());
      const begun = start(account, scopes);
      underWay.set(key, begun);
      begun.catch(() => underWay.delete(key));
      return begun;
    },
    async settled(account, until) {
      const found = await underWay.get(keyOf(account))?.catch(() => undefined);
      if (found === undefined) return true;
      const { promise, resolve } = createDeferred<boolean>();
      const leave = (): void => resolve(false);
      const end = (): void => resolve(true);
      found.over.then(end, end);
      until.addEventListener('abort', leave, { once: true });
      if (until.aborted) leave();
      return promise.finally(() => until.removeEventListener('abort', leave));
    },
    waiting: (server) => [...open.values()].filter((login) => login.server === server).length,
    byId: (id) => open.get(id),
    take(state, isRight) {
      const asked = ({ page }: Login): boolean => page.searchParams.get('state') === state;
      const found = [...open.values()].find(asked);
      if (found === undefined || !isRight(found)) return undefined;
      open.delete(found.id);
      return found;
    },
    close: () => closing.abort(),
  };
}

function keyOf({ server, principal }: Account): string {
  return JSON.stringify([server, principal]);
}

function noAddress(): KitError {
  return new KitError('unauthorized', 'browsers cannot reach this gateway', {
    hint: 'Serve it over HTTP, and where a proxy is in front say how it is reached: --public-url.',
  });
}

function tooMany(): KitError {
  return new KitError('overloaded', `${maxLogins} logins are under way`, {
    hint: 'Try again in a few minutes.',
  });
}
