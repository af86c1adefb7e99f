import { spawn } from 'node:child_process';
import { absoluteFolders, findProgram, KitError, windowsProgram } from '#base';

/** Where a browser is opened. */
interface OpenBrowserOptions {
  readonly platform?: NodeJS.Platform | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/**
 * The program of a system that opens addresses, by its whole path, and what it is told before the address: one of the same
 * name may be in the working directory.
 */
export function findOpener(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['/usr/bin/open'];
  // Not `start`, which is a word of a shell.
  if (platform === 'win32') return [windowsProgram('rundll32.exe'), 'url.dll,FileProtocolHandler'];
  const places = { cwd: '/', path: absoluteFolders(env['PATH'] ?? '') };
  const found = findProgram('xdg-open', places);
  return found === undefined ? undefined : [found];
}

/** How long an opener may take to fail; those that have succeeded may stay for as long as the browser. */
const patienceMs = 1000;

/** Opens a page in the browser of the user. No shell sees the address. Resolves to whether it seems to have worked. */
export async function openBrowser(
  url: URL | string,
  { platform = process.platform, env = process.env }: OpenBrowserOptions = {},
): Promise<boolean> {
  const address = pageAddress(url);
  const opener = findOpener(platform, env);
  if (opener === undefined) return false;
  const [command, ...args] = opener;
  const child = spawn(command, [...args, address], {
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
