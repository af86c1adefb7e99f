import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../support/child-process.ts';

const script = `
  import { createServer } from 'mcp-kit/server';
  import { tool, toolSet } from 'mcp-kit/tools';
  import { toFetchHandler } from 'mcp-kit/transport/http';
  import { z } from 'zod';
  const setNumber = globalThis.setInterval;
  globalThis.setInterval = (...args) => Number(setNumber(...args));
  const input = z.object({ name: z.string() });
  const greet = tool({ name: 'greet', description: 'Greets.', input, run: ({ name }) => 'Hello ' + name });
  const handle = toFetchHandler(createServer({ name: 'worker', version: '1', features: [toolSet([greet])] }));
  const call = (body, more = {}) => handle(new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...more },
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
  }));
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const opened = await call({ id: 1, method: 'initialize', params });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') };
  await call({ method: 'notifications/initialized' }, session);
  const answer = await call({ id: 2, method: 'tools/call', params: { name: 'greet', arguments: { name: 'Ann' } } }, session);
  process.stdout.write(await answer.text());
  process.exit();
`;

test('runtimes without code generation, and with timers that are numbers, can serve tools with a Standard Schema', async () => {
  const flags = ['--disallow-code-generation-from-strings', '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: root });
  expect(JSON.parse(stdout)).toMatchObject({ result: { content: [{ text: 'Hello Ann' }] } });
});
