import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { resultParts } from 'mcp-kit/internal';
import { Encoded } from 'mcp-kit/jsonrpc';
import type { Tool } from 'mcp-kit/protocol';
import { createServer, type Server } from 'mcp-kit/server';
import { defineTool, toolSet } from 'mcp-kit/tools';
import { governed } from 'mcp-kit/tools/governed';
import { serveHttp, toFetchHandler } from 'mcp-kit/transport/http';
import { describe, expect, test } from 'vitest';

const count = 200;

function manyTools(): Server {
  const tools = Array.from({ length: count }, (_, index) =>
    defineTool({
      name: `get_record_${index}`,
      description: `Gets record ${index} – größer als ASCII.`,
      category: 'record',
      safety: 'readonly',
      examples: [{ input: {} }],
      run: () => index,
    }),
  );
  const set = toolSet(tools, { contract: governed({ lint: 'off' }) });
  return createServer({ name: 'many', version: '1.0.0', features: [set] });
}

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modernHeaders = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
const list = (id: string | number, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params });

interface Listed {
  readonly id: unknown;
  readonly result: { readonly tools: readonly Tool[] };
}

function expectAll({ id, result }: Listed, wanted: unknown): void {
  expect(id).toBe(wanted);
  // Its own two tell about the others.
  expect(result.tools).toHaveLength(count + 2);
  expect(result.tools[7]?.description).toBe('Gets record 7 – größer als ASCII.');
}

const accept = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

async function post(url: string, body: string, headers: object = {}): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { ...accept, ...headers }, body });
}

describe('a list of 200 tools is sent from bytes that are kept', () => {
  test('and they are made once', () => {
    const kept = new Encoded(JSON.stringify({ text: 'x'.repeat(64 * 1024) }), undefined, true);
    const [head, bytes, tail] = resultParts('ä', kept) ?? ['', new Uint8Array(), ''];
    expect(resultParts(2, kept)?.[1]).toBe(bytes);
    const text = head + Buffer.from(bytes).toString() + tail;
    expect(JSON.parse(text)).toEqual({ jsonrpc: '2.0', id: 'ä', result: JSON.parse(kept.json) });
    expect(resultParts(1, new Encoded('{}', undefined, true))).toBeUndefined();
    expect(resultParts(1, new Encoded(kept.json))).toBeUndefined();
  });

  test('over HTTP in the stateless era, with the length they have', async () => {
    const http = await serveHttp(manyTools());
    try {
      for (const id of [1, 'zwölf']) {
        const response = await post(http.url, list(id, { _meta: modern }), modernHeaders);
        const body = Buffer.from(await response.arrayBuffer());
        expect(response.headers.get('content-length')).toBe(String(body.length));
        expectAll(JSON.parse(body.toString()) as Listed, id);
      }
    } finally {
      await http.close();
    }
  });

  test.each(['json', 'sse'] as const)('over HTTP in a session, as %s', async (answer) => {
    const http = await serveHttp(manyTools(), answer === 'sse' ? { answer } : {});
    try {
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      };
      const opening = { jsonrpc: '2.0', id: 0, method: 'initialize', params };
      const opened = await post(http.url, JSON.stringify(opening));
      await opened.text();
      const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
      const ready = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
      await post(http.url, ready, session);
      for (const id of [1, 2]) {
        const text = await (await post(http.url, list(id), session)).text();
        const json = answer === 'sse' ? (/^data: (\{.*)$/m.exec(text)?.[1] ?? '') : text;
        expectAll(JSON.parse(json) as Listed, id);
      }
    } finally {
      await http.close();
    }
  });

  test('through a fetch handler', async () => {
    const handler = toFetchHandler(manyTools());
    const response = await handler(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { ...accept, ...modernHeaders },
        body: list(1, { _meta: modern }),
      }),
    );
    expect(response.headers.get('content-type')).toBe('application/json');
    expectAll((await response.json()) as Listed, 1);
    await handler.close();
  });

  test('over standard output, between other answers and in their order', async () => {
    const program = `
      import { createServer } from 'mcp-kit/server';
      import { defineTool, toolSet } from 'mcp-kit/tools';
      import { governed } from 'mcp-kit/tools/governed';
      import { serveStdio } from 'mcp-kit/transport';
      const tools = Array.from({ length: ${count} }, (_, index) => defineTool({
        name: 'get_record_' + index, description: 'Gets record ' + index + ' – größer als ASCII.',
        safety: 'readonly', run: () => index,
      }));
      const set = toolSet(tools, { contract: governed({ lint: 'off' }) });
      await serveStdio(createServer({ name: 'many', version: '1', features: [set] }));`;
    const cwd = path.resolve(import.meta.dirname, '../..');
    const args = ['--input-type=module', '--eval', program];
    const child = spawn(process.execPath, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      const ask = (id: number, method: string): string =>
        `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { _meta: modern } })}\n`;
      const methods = ['server/discover', 'tools/list', 'server/discover', 'tools/list'];
      child.stdin.end(methods.map((method, id) => ask(id, method)).join(''));
      const lines: string[] = [];
      for await (const line of createInterface({ input: child.stdout })) lines.push(line);
      const answers = lines.map((line) => JSON.parse(line) as Listed);
      expect(answers.map(({ id }) => id)).toEqual([0, 1, 2, 3]);
      for (const id of [1, 3]) expectAll(answers[id] as Listed, id);
    } finally {
      if (child.exitCode === null) {
        child.kill();
        await once(child, 'exit');
      }
    }
  });
});
