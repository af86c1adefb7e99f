import { metaKeys, modernVersion, type Service } from '#protocol';
import { expect, test } from 'vitest';
import { serveHttp } from './serve-http.ts';

/** A service that answers everything with its name. */
const named = (name: string): Service => ({
  serve: () => ({ resultType: 'complete', name }),
  mirroredHeaders: () => [],
  describe: () => ({}),
});

async function ask(url: string, user = ''): Promise<unknown> {
  const _meta = { [metaKeys.protocolVersion]: modernVersion, [metaKeys.clientCapabilities]: {} };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': modernVersion,
      'mcp-method': 'server/discover',
      'x-user': user,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } }),
  });
  if (response.status !== 200) return response.status;
  const { result } = (await response.json()) as { result: { name: string } };
  return result.name;
}

test('other paths may have services of their own, which come and go', async () => {
  const others = new Map([['/mcp/one', named('one')]]);
  const listening = await serveHttp(named('first'), { services: (path) => others.get(path) });
  try {
    const { url } = listening;
    expect(await ask(url)).toBe('first');
    expect(await ask(`${url}/one`)).toBe('one');
    expect(await ask(`${url}/two`)).toBe(404);
    others.set('/mcp/two', named('two'));
    others.set('/mcp/one', named('another'));
    expect(await ask(`${url}/two`)).toBe('two');
    expect(await ask(`${url}/one`)).toBe('another');
    others.clear();
    expect(await ask(`${url}/one`)).toBe(404);
    expect(await ask(url)).toBe('first');
  } finally {
    await listening.close();
  }
});

test('who is not let in does not learn of paths, and who a service is not for finds nothing at its path', async () => {
  const forAnn: Service = { ...named('one'), isFor: (principal) => principal === 'ann' };
  const refusal = { status: 401, error: { code: -32600, message: 'Say who you are' } };
  const listening = await serveHttp(named('first'), {
    services: (path) => (path === '/mcp/one' ? forAnn : undefined),
    admit: ({ headers: { 'x-user': user } }) =>
      typeof user === 'string' && user !== '' ? { principal: user } : refusal,
  });
  try {
    const { url } = listening;
    const elsewhere = new URL('/.well-known/any', url).href;
    const all = [url, `${url}/one`, `${url}/two`, elsewhere];
    const seenBy = (user: string): Promise<unknown[]> =>
      Promise.all(all.map((one) => ask(one, user)));
    expect(await seenBy('')).toEqual([401, 401, 401, 404]);
    expect(await seenBy('ben')).toEqual(['first', 404, 404, 404]);
    expect(await seenBy('ann')).toEqual(['first', 'one', 404, 404]);
  } finally {
    await listening.close();
  }
});
