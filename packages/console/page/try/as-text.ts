import type { Asked } from './request.ts';

/** A word of a shell, whatever is in it. */
function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** One request, complete in itself. */
export function asCurl(address: string, { method, params }: Asked): string {
  const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modern } };
  const name = params['name'] ?? params['uri'];
  const headers = [
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'MCP-Protocol-Version: 2026-07-28',
    `Mcp-Method: ${method}`,
    `Mcp-Name: ${String(name)}`,
  ];
  const flags = headers.map((header) => `-H ${word(header)}`).join(' ');
  return `curl -sS ${flags} -d ${word(JSON.stringify(body))} ${word(address)}`;
}

export function asMcpctl(address: string, { method, params }: Asked): string {
  const { name, uri, arguments: args } = params;
  const at = `--url ${word(address)}`;
  if (method === 'resources/read') return `mcpctl read ${word(String(uri))} ${at}`;
  const given = `--args ${word(JSON.stringify(args))}`;
  const command = method === 'prompts/get' ? 'prompt' : 'call';
  return `mcpctl ${command} ${word(String(name))} ${given} ${at}`;
}

export function asProgram(address: string, { method, params }: Asked): string {
  return `import { connect } from 'mcp-kit';

const session = await connect(${JSON.stringify(address)});
const result = await session.request(${JSON.stringify(method)}, ${JSON.stringify(params, undefined, 2)});
console.log(result);
await session.close();
`;
}

/** A test that holds what was answered now. */
export function asTest(address: string, { method, params }: Asked, result: unknown): string {
  const { content, structuredContent, isError } = Object(result) as Readonly<
    Record<string, unknown>
  >;
  const held =
    structuredContent === undefined ? { content, isError } : { structuredContent, isError };
  const name = String(params['name'] ?? params['uri']);
  return `import { connect } from 'mcp-kit';
import { expect, test } from 'vitest';

test(${JSON.stringify(`${name} answers as it did`)}, async () => {
  await using session = await connect(${JSON.stringify(address)});
  const result = await session.request(${JSON.stringify(method)}, ${JSON.stringify(params, undefined, 2)});
  expect(result).toMatchObject(${JSON.stringify(held, undefined, 2)});
});
`;
}
