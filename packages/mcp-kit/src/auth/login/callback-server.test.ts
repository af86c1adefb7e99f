import { once } from 'node:events';
import http from 'node:http';
import { expect, test } from 'vitest';
import { browserInteraction } from './browser-interaction.ts';
import { listenForCallback, type CallbackServer } from './callback-server.ts';

async function get(
  url: string | URL,
  options: http.RequestOptions = {},
): Promise<{ status: number; headers: http.IncomingHttpHeaders; text: string }> {
  const request = http.request(url, { agent: false, ...options }).end();
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

async function listening(): Promise<CallbackServer & Disposable> {
  const server = await listenForCallback();
  return { ...server, [Symbol.dispose]: () => server.close() };
}

const patience = { timeoutMs: 10_000 };

test('the browser that comes back with the state is heard, once', async () => {
  using server = await listening();
  const coming = server.comeBack('abc', patience);
  const page = await get(`${server.redirectUri}?code=1&state=abc`);
  expect(page.status).toBe(200);
  expect((await coming).searchParams.get('code')).toBe('1');
  expect((await get(`${server.redirectUri}?code=2&state=abc`)).status).toBe(404);
});

test('the page is static, and nothing can be run or framed in it', async () => {
  using server = await listening();
  const coming = server.comeBack('abc', patience);
  const page = await get(`${server.redirectUri}?state=abc&error=%3Cscript%3Ealert(1)%3C/script%3E`);
  await coming;
  expect(page.text).not.toContain('script');
  expect(page.headers['content-security-policy']).toBe(
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(page.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
});

test('anything else is refused, and does not end the login', async () => {
  using server = await listening();
  const coming = server.comeBack('abc', patience);
  const { origin } = new URL(server.redirectUri);
  const wrong = [
    `${origin}/callbac?state=abc`,
    `${origin}/callback/?state=abc`,
    `${origin}/callbackx?state=abc`,
    `${origin}/Callback?state=abc`,
    `${origin}/?state=abc`,
    `${server.redirectUri}?state=abd`,
    `${server.redirectUri}?state=ab`,
    `${server.redirectUri}?state=abc&state=abd`,
    server.redirectUri,
  ];
  for (const url of wrong) expect([url, (await get(url)).status]).toEqual([url, 404]);
  const right = `${server.redirectUri}?state=abc`;
  expect((await get(right, { method: 'POST' })).status).toBe(404);
  expect((await get(right, { headers: { host: 'attacker.example' } })).status).toBe(404);
  expect((await get(right)).status).toBe(200);
  await coming;
});

test('it listens on this machine only, and not after it was closed', async () => {
  const server = await listenForCallback();
  expect(new URL(server.redirectUri).hostname).toBe('127.0.0.1');
  server.close();
  const knock = (): Promise<unknown> => get(server.redirectUri).catch(String);
  // A process that is being started elsewhere still has the socket, until it has become its program.
  await expect.poll(knock).toContain('ECONNREFUSED');
});

test('nobody is waited for longer than allowed, or than wanted', async () => {
  using server = await listening();
  const late = server.comeBack('abc', { timeoutMs: 20 });
  await expect(late).rejects.toMatchObject({ code: 'timeout' });
  const owner = new AbortController();
  const given = server.comeBack('abc', { ...patience, signal: owner.signal });
  owner.abort();
  await expect(given).rejects.toMatchObject({ code: 'aborted' });
});

test('an address elsewhere, or a port that is taken, is an error that says so', async () => {
  await expect(listenForCallback('http://example.com/callback')).rejects.toMatchObject({
    code: 'invalid_argument',
  });
  using server = await listening();
  await expect(listenForCallback(server.redirectUri)).rejects.toMatchObject({
    code: 'address_in_use',
  });
});

test('without a browser, the address is shown, and what is pasted counts', async () => {
  const lines: string[] = [];
  const interaction = browserInteraction({
    say: (line) => lines.push(line),
    open: false,
    pasted: () => Promise.resolve(' http://127.0.0.1:1/callback?code=7&state=abc \n'),
  });
  const login = await interaction.begin?.({});
  try {
    const back = await login?.visit(new URL('https://auth.example/authorize?state=abc'));
    expect(back?.searchParams.get('code')).toBe('7');
    expect(lines[0]).toContain('https://auth.example/authorize?state=abc');
    expect(lines[1]).toContain('paste');
  } finally {
    await login?.close();
  }
});

test('somebody who pastes nothing can still come back', async () => {
  const interaction = browserInteraction({
    say: () => {},
    open: false,
    pasted: () => Promise.resolve(undefined),
  });
  const login = await interaction.begin?.({});
  try {
    const coming = login?.visit(new URL('https://auth.example/authorize?state=abc'));
    await get(`${login?.redirectUri}?code=7&state=abc`);
    expect((await coming)?.searchParams.get('code')).toBe('7');
  } finally {
    await login?.close();
  }
});

test('the address that an issuer knows is used again, unless it is taken', async () => {
  const interaction = browserInteraction({ say: () => {}, open: false });
  const first = await interaction.begin?.({});
  const better = first?.redirectUri;
  const second = await interaction.begin?.({ better });
  expect(second?.redirectUri).not.toBe(better);
  await first?.close();
  await second?.close();
  const third = await interaction.begin?.({ better });
  expect(third?.redirectUri).toBe(better);
  await third?.close();
});
