import { crypto, headerOf, type Headers, type MaybePromise } from 'mcp-kit/internal';
import { randomText, type Login } from './login.ts';
import type { Logins } from './logins.ts';

/** What a browser is shown. */
interface LoginPage {
  readonly status: number;
  /** Names and values, one after the other. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** Pages by path. `query` is what the address says after `?`. */
export type LoginPages = Readonly<
  Record<string, (headers: Headers, query: string) => MaybePromise<LoginPage>>
>;

/**
 * The pages of a gateway where people log in to servers, beside an endpoint at `path`. The first says who would log in where; only
 * the browser that was shown this and went on may come back to the second, once.
 */
export function loginPages(logins: Logins, path: string): LoginPages {
  const pathOf = (name: string): string => new URL(name, `http://localhost${path}`).pathname;
  return {
    [pathOf('login')]: (headers, query) => first(logins, headers, new URLSearchParams(query)),
    [pathOf('login/callback')]: (headers, query) => second(logins, headers, query),
  };
}

/** `go` proves that this browser was shown the page before: nobody else can know it. */
function first(logins: Logins, headers: Headers, query: URLSearchParams): LoginPage {
  const login = logins.byId(query.get('id') ?? '');
  if (login === undefined) return notWaitedFor;
  const cookie = cookieOf(login, logins);
  const go = query.get('go');
  if (go === null) {
    const browser = randomText();
    const link = `?id=${login.id}&go=${digestOf(browser)}`;
    return page(200, asking(login, link), [
      'set-cookie',
      `${cookie.name}=${browser}; ${cookie.how}`,
    ]);
  }
  const browser = valueIn(headers, cookie.name);
  if (browser === undefined || !isSame(digestOf(browser), go)) return otherBrowser;
  login.browser = browser;
  return page(303, 'Go on', ['location', login.page.href]);
}

async function second(logins: Logins, headers: Headers, query: string): Promise<LoginPage> {
  const states = new URLSearchParams(query).getAll('state');
  const isRight = (login: Login): boolean => {
    const browser = valueIn(headers, cookieOf(login, logins).name);
    return browser !== undefined && login.browser !== undefined && isSame(browser, login.browser);
  };
  const login = states.length === 1 ? logins.take(states[0] ?? '', isRight) : undefined;
  if (login === undefined) return notWaitedFor;
  login.cameBack(query);
  return login.over.then(
    () => done,
    () => failed,
  );
}

/** A cookie for each login, which only this host gets; where it is reached by https, from nobody else either. */
function cookieOf({ id }: Login, logins: Logins): { readonly name: string; readonly how: string } {
  const isSecure = logins.places().start.protocol === 'https:';
  const name = `mcp-login-${digestOf(id).slice(0, 16)}`;
  const how = 'Path=/; Max-Age=600; HttpOnly; SameSite=Lax';
  return isSecure ? { name: `__Host-${name}`, how: `${how}; Secure` } : { name, how };
}

function valueIn(headers: Headers, name: string): string | undefined {
  const all = (headerOf(headers, 'cookie') ?? '').split('; ');
  return all.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
}

function digestOf(text: string): string {
  return crypto().hash('sha256', text, 'base64url');
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => crypto().hash('sha256', text, 'buffer'));
  return left !== undefined && right !== undefined && crypto().timingSafeEqual(left, right);
}

function asking({ server, principal, page: { origin } }: Login, link: string): string {
  const [at, who, where] = [server, principal, origin].map(escaped);
  return `<h1>Log in to ${at}</h1><p>${who} wants to use ${at} through this gateway, with the account that you log in with now at ${where}. Go on only if that is you, and you have asked for it.</p><p><a href="${escaped(link)}">Go on</a></p>`;
}

function escaped(text: string): string {
  return text.replaceAll(/[^\w .:/=?-]/gu, (letter) => `&#${letter.codePointAt(0)};`);
}

/** Nothing can be run in it or framed, and nobody is told of its address. */
function page(status: number, body: string, more: readonly string[] = []): LoginPage {
  const safe = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  const headers = [
    'content-type',
    'text/html; charset=utf-8',
    'content-security-policy',
    safe,
    'x-content-type-options',
    'nosniff',
    'referrer-policy',
    'no-referrer',
    'cache-control',
    'no-store',
    ...more,
  ];
  const title = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Log in</title>';
  return { status, headers, body: `${title}${body}</html>\n` };
}

const notWaitedFor = page(
  404,
  '<h1>Nothing here</h1><p>This is not a login that is waited for. Go back to the program that sent you here, and try again.</p>',
);
const otherBrowser = page(
  400,
  '<h1>Begin again</h1><p>Open the address that the program has shown you once more, in a browser that takes cookies.</p>',
);
const done = page(
  200,
  '<h1>You are logged in</h1><p>You can close this window, and go back to the program.</p>',
);
const failed = page(
  400,
  '<h1>You are not logged in</h1><p>It did not work. Go back to the program that sent you here, and try again.</p>',
);
