import { createBridge } from 'mcp-kit/bridge';
import { RpcError } from 'mcp-kit/jsonrpc';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { describe, expect, test } from 'vitest';
import { newer, older, script, type Serve } from '../requirements/client-script.ts';
import { send } from '../support/http-client.ts';
import { modern, serving } from '../support/mcp-http.ts';

const failing: Serve = ({ name }) => {
  throw new RpcError(Number(name), 'says something behind the method');
};

/** The statuses of a tool that fails like this, and of methods that are not there. */
async function statusesAt(url: string): Promise<Record<string, readonly [number, unknown]>> {
  const ask = async (method: string, params = {}): Promise<readonly [number, unknown]> => {
    const { status, message } = await send(url, modern(method, params));
    return [status, message.error?.code];
  };
  return {
    absentWithin: await ask('tools/call', { name: '-32601', arguments: {} }),
    failedWithin: await ask('tools/call', { name: '-32000', arguments: {} }),
    notOffered: await ask('completion/complete'),
    unheardOf: await ask('made/up'),
    removed: await ask('ping'),
    removedOfOffered: await ask('resources/subscribe', { uri: 'test://a' }),
  };
}

const expected = {
  absentWithin: [200, -32_601],
  failedWithin: [200, -32_000],
  notOffered: [404, -32_601],
  unheardOf: [404, -32_601],
  removed: [404, -32_601],
  removedOfOffered: [404, -32_601],
};

describe('404 is for methods that the server does not have', () => {
  test.each(['legacy', 'modern'] as const)('behind a bridge to a %s server', async (era) => {
    const known = era === 'legacy' ? older : newer;
    const server = script({ ...known, 'tools/call': failing });
    await using bridge = createBridge(server.target, { era });
    await using front = await serving(bridge);
    expect(await statusesAt(front.url)).toEqual(expected);
  });

  test('at a server', async () => {
    const madeTool = tool({
      name: '-32601',
      description: 'Fails.',
      run: () => {
        throw new RpcError(-32_601, 'says something behind the method');
      },
    });
    const server = createServer({ name: 's', version: '1', features: [toolSet([madeTool])] });
    await using front = await serving(server);
    const { failedWithin: _, ...others } = expected;
    expect(await statusesAt(front.url)).toMatchObject(others);
  });
});
