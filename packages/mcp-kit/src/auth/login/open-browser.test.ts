import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findOpener, openBrowser, pageAddress } from './open-browser.ts';

/** What an attacker may put into an address, in the hope that somebody reads it as more. */
const tricks = [
  '$(touch /tmp/x)',
  '`id`',
  '; rm -rf ~',
  '&& calc.exe',
  '| sh',
  '%26calc',
  '" & calc & "',
  "' ; id ; '",
  '\n id \n',
  '\r\nHost: evil',
  '--upload-pack=id',
  '-e',
  '$IFS$9id',
  '%PATH%',
  '!history',
  '^&calc',
  '\\"; id',
  '<(id)',
  '${HOME}',
  '~root',
  '*',
  '{a,b}',
  '\u202Eexe',
  'é',
  '\0null',
];
const shapes = [
  (trick: string) => `https://auth.example/authorize?x=${trick}`,
  (trick: string) => `https://auth.example/${trick}`,
  (trick: string) => `https://auth.example/a#${trick}`,
  (trick: string) => `http://127.0.0.1:80/${trick}?a=${trick}&b=1`,
  (trick: string) => `https://${trick}.example/`,
  (trick: string) => `https://${trick}@auth.example/`,
  (trick: string) => `${trick}https://auth.example/`,
];
const others = [
  'javascript:alert(1)',
  'file:///etc/passwd',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'ms-settings:',
  'smb://host/share',
  '\\\\host\\share',
  '//host/share',
  '/etc/passwd',
  '--help',
  '-a Calculator',
  '',
  ' ',
  'https:',
  'https://',
  'HTTPS',
  'about:blank',
  'chrome://settings',
  'mailto:x@example.com',
  'ssh://-oProxyCommand=id/',
  'view-source:https://auth.example',
  'blob:https://auth.example/x',
  'https://user:password@auth.example/',
  'http://[::1',
  'http://a b/',
];
const corpus = [...tricks.flatMap((trick) => shapes.map((shape) => shape(trick))), ...others];

function addressOf(url: string): string | undefined {
  try {
    return pageAddress(url);
  } catch {
    return undefined;
  }
}

let folder = '';
let log = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-opener-'));
  log = path.join(folder, 'log');
  const opener = path.join(folder, 'xdg-open');
  await writeFile(opener, `#!/bin/sh\nprintf '%s\\0' "$#" "$@" >> '${log}'\n`);
  await chmod(opener, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.skipIf(process.platform === 'win32')('of two hundred addresses', () => {
  test('each reaches the opener as one argument that is a plain address, or not at all', async () => {
    expect(corpus.length).toBeGreaterThanOrEqual(200);
    const env = { PATH: `${folder}:/usr/bin:/bin` };
    const refused = corpus.filter((url) => addressOf(url) === undefined);
    const pages = corpus.filter((url) => addressOf(url) !== undefined);
    for (const url of refused) {
      const opening = openBrowser(url, { platform: 'linux', env });
      await expect(opening).rejects.toMatchObject({ code: 'refused_by_policy' });
    }
    for (const url of pages) expect(await openBrowser(url, { platform: 'linux', env })).toBe(true);
    const expected = pages.flatMap((url) => ['1', addressOf(url)]);
    expect(expected.length / 2).toBeGreaterThan(100);
    const words = (await readFile(log, 'utf8')).split('\0').slice(0, -1);
    expect(words).toEqual(expected);
    for (const address of words.filter((word) => word !== '1')) {
      expect(address).toMatch(/^https?:\/\/[^\s"'`$|<>\\^{}()]+$/);
      expect(new URL(address).href).toBe(address);
    }
  });
});

test('no opener, or one that fails, is told', async () => {
  const nowhere = { platform: 'linux' as const, env: { PATH: '/nowhere' } };
  expect(await openBrowser('https://auth.example', nowhere)).toBe(false);
});

describe('the opener', () => {
  test.each(['win32', 'darwin'] as const)('of %s is named by its whole path', (platform) => {
    const [program = ''] = findOpener(platform, {}) ?? [];
    const isWhole = platform === 'win32' ? path.win32.isAbsolute : path.posix.isAbsolute;
    expect(isWhole(program)).toBe(true);
    expect(program).toMatch(/System32\\rundll32\.exe$|^\/usr\/bin\/open$/);
  });

  test.skipIf(process.platform === 'win32')(
    'of others is on the PATH, and never what a working directory has of its name',
    () => {
      const here = path.relative(process.cwd(), folder);
      for (const PATH of ['', '.', here, `:${here}`, `${here}:.:/nowhere`]) {
        expect(findOpener('linux', { PATH })).toBeUndefined();
      }
      const found = [path.join(folder, 'xdg-open')];
      expect(findOpener('linux', { PATH: `.:${folder}` })).toEqual(found);
    },
  );
});
