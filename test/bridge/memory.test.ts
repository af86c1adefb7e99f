import { expect, test } from 'vitest';
import { RawHttp, requestBytes } from '../faults/lib/raw-http.ts';
import { ServerProcess } from '../faults/lib/server-process.ts';
import { openSession, toolCall } from '../faults/lib/wire.ts';
import { longMs, scaled } from '../support/scale.ts';

const lanes = 8;
const mebibyte = 1024 * 1024;
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'memory', version: '1' },
};

type Ask = (id: number) => Buffer;

/** A call of an era, with progress that nobody is spared. */
const askers = {
  legacy: async (http: RawHttp): Promise<Ask> => {
    const { headers } = await openSession(http);
    return (id) => requestBytes({ headers, body: call(id, { progressToken: id }) });
  },
  modern: async (): Promise<Ask> => {
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
    };
    return (id) => requestBytes({ headers, body: call(id, { ...meta, progressToken: id }) });
  },
};

function call(id: number, _meta: object): object {
  const { params, ...rest } = toolCall(id, 'echo', { text: `number ${id}` });
  return { ...rest, params: { ...(params as object), _meta } };
}

test.each(['legacy', 'modern'] as const)(
  `The memory of a bridge is the same after ${scaled(100_000)} calls of %s clients`,
  async (era) => {
    await using bridge = await ServerProcess.start({}, '../../bridge/child/bridge.mjs');
    let lastId = 0;
    const connections = Array.from({ length: lanes }, () => new RawHttp(bridge.port));
    try {
      const clients = await Promise.all(
        connections.map(async (http) => [http, await askers[era](http)] as const),
      );
      const callOften = async (times: number): Promise<void> => {
        const end = lastId + times;
        const lane = async (http: RawHttp, ask: Ask): Promise<void> => {
          while (lastId < end) {
            const id = (lastId += 1);
            const { status, body } = await http.exchange(ask(id));
            expect([status, body.includes(`number ${id}"`)]).toEqual([200, true]);
          }
        };
        await Promise.all(clients.map(([http, ask]) => lane(http, ask)));
      };
      await callOften(scaled(20_000));
      const { used: before } = await bridge.ask('memory');
      await callOften(scaled(100_000));
      const { used: after } = await bridge.ask('memory');
      expect(after - before).toBeLessThan(2 * mebibyte);
    } finally {
      for (const http of connections) http[Symbol.dispose]();
    }
  },
  longMs,
);
