import { spawn } from 'node:child_process';
import { KitError } from '#base';

export interface OpenBrowserOptions {
  readonly platform?: NodeJS.Platform;
  readonly env?: NodeJS.ProcessEnv;
}

/** The program of a system that opens addresses, and what it is told before the address. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  // Not `start`, which is a word of a shell.
  win32: ['rundll32.exe', 'url.dll,FileProtocolHandler'],
};
const usualOpener = ['xdg-open'] as const;

/** How long an opener may take to fail; those that have succeeded may stay for as long as the browser. */
const patienceMs = 1000;

/** Opens a page in the browser of the user. No shell sees the address. Resolves to whether it seems to have worked. */
export async function openBrowser(
  url: URL | string,
  { platform = process.platform, env = process.env }: OpenBrowserOptions = {},
): Promise<boolean> {
  const [command, ...args] = openers[platform] ?? usualOpener;
  const child = spawn(command, [...args, pageAddress(url)], {
    env,
    shell: false,
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  });
  child.unref();
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), patienceMs);
    const settle = (worked: boolean): void => {
      clearTimeout(timer);
      resolve(worked);
    };
    child.once('error', () => settle(false));
    child.once('exit', (code) => settle(code === 0));
  });
}

/** An address as it may be given to a program: of a page on the web, written by us and not by whoever gave it. */
export function pageAddress(given: URL | string): string {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  // Names of hosts that resolve have no other letters; what stands before them is nobody's business here.
  const isPlain =
    /^[\w.\-:[\]]+$/.test(url?.host ?? '') && url?.username === '' && url.password === '';
  if (url === undefined || !isWeb || !isPlain) {
    throw new KitError('refused_by_policy', 'a login page must be at an http or https address', {
      hint: 'The authorization server names another; nothing was opened.',
    });
  }
  // What shells and old openers would read as more than text is text in this form, too.
  return url.href.replaceAll(/[^A-Za-z0-9\-._~:/?#[\]@!&*+,;=%]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
