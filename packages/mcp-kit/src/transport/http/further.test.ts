import { metaKeys, modernVersion, type Service } from '#protocol';
import { expect, test } from 'vitest';
import { serveHttp } from './serve-http.ts';

/** A service that answers everything with its name. */
const named = (name: string): Service => ({
  serve: () => ({ resultType: 'complete', name }),
  mirroredHeaders: () => [],
  describe: () => ({}),
});

async function ask(url: string): Promise<unknown> {
  const _meta = { [metaKeys.protocolVersion]: modernVersion, [metaKeys.clientCapabilities]: {} };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': modernVersion,
      'mcp-method': 'server/discover',
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
