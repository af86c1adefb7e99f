import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { announcementOf, requireBuild } from '../support/cli.ts';
import type { Child } from '../support/child-process.ts';
import { Project } from '../support/project.ts';

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const project = new Project();
let child: Child;
let port = 0;
let link = '';

beforeAll(async () => {
  requireBuild();
  child = project.start('up', '--sample', '--console', '--port', '0', '--json');
  ({ console: link } = await announcementOf<{ console: string }>(child));
  port = Number(new URL(link).port);
});

afterAll(async () => {
  await child[Symbol.asyncDispose]();
  project[Symbol.dispose]();
});

/** Asks as whatever says these headers: `fetch` would not say any Host. */
function ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => {
        resolve({ status: response.statusCode, headers: response.headers, body: text });
      });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const tokenOf = (url: string): string =>
  new URLSearchParams(new URL(url).hash.slice(1)).get('token') ?? '';
const own = (): Record<string, string> => ({ origin: `http://127.0.0.1:${port}` });
const enter = (token: string, headers: Readonly<Record<string, string>> = own()): Promise<Answer> =>
  ask('/console/api/enter', { method: 'POST', headers, body: { token } });

async function cookieOf(token: string): Promise<string> {
  const { headers } = await enter(token);
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

async function newLink(): Promise<string> {
  const { stdout } = await project.run('console', '--json');
  return (JSON.parse(stdout) as { link: string }).link;
}

const state = (headers: Readonly<Record<string, string>>): Promise<Answer> =>
  ask('/console/api/rows', { method: 'POST', headers, body: { before: 10 } });

describe('the door of a console', () => {
  test.each(['//[', 'http://[', '//', '*', '/%', '/console/api/%ff'])(
    'answers who asks for %j, and goes on',
    async (path) => {
      const { status } = await ask(path, { headers: own() });
      expect(status).toBeGreaterThanOrEqual(300);
      expect((await ask('/console/')).status).toBe(200);
    },
  );

  test('lets in one browser by a link, once, and knows it again by a cookie that no script reads', async () => {
    const first = await enter(tokenOf(link));
    expect(first.status).toBe(200);
    expect(String(first.headers['set-cookie'])).toMatch(
      /^mcp-console-\d+=[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict$/,
    );
    const cookie = String(first.headers['set-cookie']).split(';')[0] ?? '';
    expect((await state({ ...own(), cookie })).status).toBe(200);
    expect((await enter(tokenOf(link))).status).toBe(401);
    expect((await enter('made-up')).status).toBe(401);
    expect((await state(own())).status).toBe(401);
    expect((await state({ ...own(), cookie: `${cookie}x` })).status).toBe(401);
    expect((await ask('/console/api/events', { headers: own() })).status).toBe(401);
  });

  test('gives another link to whoever asks on the command line', async () => {
    const cookie = await cookieOf(tokenOf(await newLink()));
    expect((await state({ ...own(), cookie })).status).toBe(200);
  });

  test('is closed to pages of elsewhere, whatever they send', async () => {
    const cookie = await cookieOf(tokenOf(await newLink()));
    const inside = { ...own(), cookie };
    const foreign: readonly Readonly<Record<string, string>>[] = [
      { ...inside, origin: 'https://evil.example' },
      { ...inside, origin: `http://127.0.0.1:${port + 1}` },
      { ...inside, origin: `http://localhost:${port}` },
      { ...inside, origin: 'null' },
      { ...inside, host: 'evil.example' },
      { ...inside, host: `evil.example:${port}` },
      { ...inside, 'sec-fetch-site': 'cross-site' },
      { ...inside, 'sec-fetch-site': 'same-site' },
      { cookie },
    ];
    for (const headers of foreign) {
      const { status } = await state(headers);
      expect({ headers, status }).toEqual({ headers, status: 403 });
    }
    const unused = tokenOf(await newLink());
    expect((await enter(unused, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await enter(unused)).status).toBe(200);
  });

  test('cannot be framed, loads nothing of elsewhere, and is kept by nobody', async () => {
    for (const path of ['/console/', '/console/page.js', '/console/page.css', '/nothing']) {
      const { headers } = await ask(path);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-store' });
    }
    const { body } = await ask('/console/');
    expect(body).not.toMatch(/<script>|style=|\son\w+=|https?:/);
  });

  test('refuses what is no JSON, and too much of it, and goes on', async () => {
    const cookie = await cookieOf(tokenOf(await newLink()));
    const headers = { ...own(), cookie };
    const broken = await fetch(`http://127.0.0.1:${port}/console/api/rows`, {
      method: 'POST',
      headers,
      body: '{',
    });
    expect(broken.status).toBe(400);
    const large = await fetch(`http://127.0.0.1:${port}/console/api/rows`, {
      method: 'POST',
      headers,
      body: 'x'.repeat(9_000_000),
    });
    expect(large.status).toBe(400);
    expect((await ask('/console/api/toString', { method: 'POST', headers, body: {} })).status).toBe(
      404,
    );
    expect((await state(headers)).status).toBe(200);
  });
});
