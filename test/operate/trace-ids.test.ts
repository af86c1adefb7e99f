import type { Logger } from 'mcp-kit/internal';
import { createServer, type Server } from 'mcp-kit/server';
import { tool, toolSet, type ToolSetOptions } from 'mcp-kit/tools';
import { governed } from 'mcp-kit/tools/governed';
import { describe, expect, test } from 'vitest';
import { send, type Answer } from '../support/http-client.ts';
import { modern, startSession } from '../support/mcp-http.ts';
import { operating } from './fixture.ts';

interface Line {
  readonly message: string;
  readonly traceId?: unknown;
  readonly tool?: string | undefined;
}

/** Keeps every line of the log. */
function keeping(): { readonly lines: Line[]; readonly logger: Logger } {
  const lines: Line[] = [];
  const keep = (message: string, fields: object = {}): void =>
    void lines.push({ message, ...fields });
  return { lines, logger: { debug: keep, info: keep, warn: keep, error: keep } };
}

/** A tool that breaks, and tells what its context says its trace is. */
function breaking(
  contract: ToolSetOptions['contract'] & {},
  logger: Logger,
): { readonly server: Server; readonly told: string[] } {
  const told: string[] = [];
  const made = tool({
    name: 'get_thing_broken',
    description: 'Breaks.',
    safety: 'readonly',
    run(_args, context) {
      told.push(context.traceId);
      throw new Error('broken');
    },
  });
  const set = toolSet([made], { contract, logger });
  return { server: createServer({ name: 'breaking', version: '1', features: [set] }), told };
}

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const params = { name: 'get_thing_broken', arguments: {} };
const joined = /^trc_0af7651916cd43dd8448eb211c80319c_[0-9a-f]{16}$/;
const own = /^trc_[0-9a-f]{32}$/;

const ways: readonly [string, RegExp, (url: string) => Promise<Answer>][] = [
  ['nothing', own, (url) => send(url, modern('tools/call', params))],
  [
    'a traceparent in _meta',
    joined,
    (url) => send(url, modern('tools/call', params, { meta: { traceparent: parent } })),
  ],
  [
    'a traceparent header',
    joined,
    (url) => send(url, modern('tools/call', params, { headers: { traceparent: parent } })),
  ],
  [
    'a traceparent that is none',
    own,
    (url) => send(url, modern('tools/call', params, { headers: { traceparent: '00-0-0-01' } })),
  ],
  [
    'nothing, in a session',
    own,
    async (url) => (await startSession(url)).request('tools/call', params),
  ],
  [
    'a traceparent header, in a session',
    joined,
    async (url) => (await startSession(url)).request('tools/call', params, { traceparent: parent }),
  ],
  [
    'a traceparent header with a batch',
    joined,
    async (url) => {
      const session = await startSession(url, { version: '2025-03-26' });
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      return session.post([call], { traceparent: parent });
    },
  ],
];

describe.each(['governed', 'envelope', 'plain'] as const)('with the %s contract', (name) => {
  const contract = (): ToolSetOptions['contract'] & {} =>
    name === 'governed' ? governed({ lint: 'off' }) : name;

  test.each(ways)(
    'a call has one trace id for logs, answer and tool, when its caller sends %s',
    async (_what, pattern, call) => {
      const { lines, logger } = keeping();
      const { server, told } = breaking(contract(), logger);
      await using served = await operating({}, { logger, logCalls: true }, server);
      const { message } = await call(served.url);
      const [traceId = ''] = told;
      expect(traceId).toMatch(pattern);
      expect(JSON.stringify(message.result)).toContain(`Internal error, trace ${traceId}`);
      const lined = lines.filter(
        (line) => line.tool !== undefined || line.message.startsWith('tool '),
      );
      expect(lined.length).toBeGreaterThanOrEqual(2);
      for (const line of lined) expect(line.traceId).toBe(traceId);
      if (name === 'plain') return;
      expect(message.result?.['structuredContent']).toMatchObject({ meta: { traceId } });
      const asked = { name: 'get_trace_by_id', arguments: { traceId } };
      const found = await send(served.url, modern('tools/call', asked));
      const data = { traceId, tool: 'get_thing_broken', errorCode: 'E_INTERNAL' };
      expect(found.message.result?.['structuredContent']).toMatchObject({ data });
    },
  );
});
