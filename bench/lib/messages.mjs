// The wire, prepared by hand: MCP messages of both eras and their HTTP headers.
import { logText } from './tools.mjs';

/** The era of sessions: initialize, Mcp-Session-Id. */
export const sessionEra = '2025-11-25';
/** The era without sessions: every request carries its own envelope. */
export const statelessEra = '2026-07-28';
/** Nine digits, so that an id can be patched into prepared bytes in place. */
export const firstId = 100_000_000;
/** What the echo tool is asked to return. */
export const smallMessage = 'hello world, this is a small message';

const clientInfo = { name: 'bench', version: '1.0.0' };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': statelessEra,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The initialize request. */
export const initializeMessage = (protocolVersion = sessionEra) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo },
});

/** The notification that follows an answered initialize. */
export const initializedMessage = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** A request of the given era. */
export const request = (era, id, method, params = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: era === statelessEra ? { _meta: envelope, ...params } : params,
});

const calls = {
  call: ({ message = smallMessage, tool = 'echo' }) => ({
    name: tool,
    arguments: { message, repeat: 1, tags: ['a', 'b'] },
  }),
  large: ({ kib }) => ({ name: 'large', arguments: { kib } }),
  body: ({ kib }) => ({ name: 'size', arguments: { text: logText(kib) } }),
};

/** The request of a workload: 'call' the echo tool, 'list' the tools, ask for a 'large' result, or send a large 'body'. */
export function workRequest(era, what, options = {}) {
  if (what === 'list') return request(era, firstId, 'tools/list');
  return request(era, firstId, 'tools/call', calls[what](options));
}

/** The HTTP headers that go with a message. */
export function httpHeaders(era, message, session = {}) {
  const headers = {
    'content-type': 'application/json',
    accept: session.accept ?? 'application/json, text/event-stream',
  };
  if (era === statelessEra) {
    headers['mcp-protocol-version'] = statelessEra;
    headers['mcp-method'] = message.method;
    if (message.params?.name) headers['mcp-name'] = message.params.name;
  } else {
    if (session.protocolVersion) headers['mcp-protocol-version'] = session.protocolVersion;
    if (session.sessionId) headers['mcp-session-id'] = session.sessionId;
  }
  return headers;
}

/** Says what is wrong with the answer to a workload's request, or nothing if it is right. */
export function faultOf(reply, what, { tools, kib = 1024 } = {}) {
  if (reply.error) return `error ${reply.error.code}: ${reply.error.message}`;
  if (reply.id !== firstId) return `id ${reply.id} instead of ${firstId}`;
  const { result } = reply;
  if (what === 'list') {
    return result.tools.length === tools ? undefined : `${result.tools.length} tools of ${tools}`;
  }
  const text = result.content[0].text;
  if (result.isError) return `error result: ${text}`;
  if (what === 'large') return text.length === kib * 1024 ? undefined : `${text.length} characters`;
  if (what === 'body') return text === `${kib * 1024} characters` ? undefined : text;
  return text === smallMessage ? undefined : `another text: ${text}`;
}
