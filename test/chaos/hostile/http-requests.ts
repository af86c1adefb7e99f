import { Buffer } from 'node:buffer';
import { clientMessage } from './client-messages.ts';
import type { Random } from './random.ts';

const initialize =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"hostile","version":"1"}}}';

/** What has been heard of a server, by all connections: a session is anybody's who knows it. */
export interface Known {
  readonly port: number;
  readonly sessions: string[];
  readonly events: string[];
}

/** Keeps the newest few. */
export function remember(list: string[], value: string): void {
  if (list.includes(value)) return;
  list.push(value);
  if (list.length > 20) list.shift();
}

function sessionId(random: Random, { sessions }: Known): string | undefined {
  if (random.chance(0.2)) return undefined;
  const known = sessions.length > 0 ? random.pick(sessions) : 'none';
  if (random.chance(0.9)) return known;
  return random.pick([`${known}x`, known.slice(1), known.toUpperCase(), 'a'.repeat(3000), '../x']);
}

function lastEvent(random: Random, { events }: Known): string {
  const known = events.length > 0 ? random.pick(events) : '1.1';
  if (random.chance(0.5)) return known;
  return random.pick([
    '999.999',
    `${known}9`,
    known.slice(0, -1),
    '-1',
    '1e9',
    '9'.repeat(400),
    `${known}.${known}`,
  ]);
}

/** Headers that come at times, how often, and what they say then. */
const rare: readonly (readonly [name: string, share: number, values: readonly string[]])[] = [
  ['mcp-protocol-version', 0.8, ['2025-11-25', '2026-07-28', '2025-03-26', 'x']],
  ['mcp-method', 0.4, ['tools/call', 'tools/list', 'ping', 'made/up']],
  ['mcp-name', 0.4, ['echo', '=?base64?ZWNobw==?=', 'x', '=?base64?!?=']],
  ['mcp-param-nonce', 0.02, ['x', '=?base64?AA==?=']],
  ['content-type', 0.02, ['text/plain', ';', 'x/y; a=b']],
  ['content-encoding', 0.02, ['gzip', 'identity', 'x']],
  ['expect', 0.02, ['100-continue', 'x']],
  ['authorization', 0.02, ['Bearer x', 'Basic !', '']],
  ['accept', 0.05, ['*/*', 'text/event-stream', 'x/y', 'a;q=2'.repeat(500)]],
  ['host', 0.01, ['example.com', '', '[::1', '127.0.0.1']],
  ['origin', 0.01, ['https://example.com', 'null', 'x']],
  ['x-long', 0.01, ['y'.repeat(1000), 'y'.repeat(10_000), 'y'.repeat(20_000)]],
  ['connection', 0.01, ['close', 'upgrade', 'x']],
  ['upgrade', 0.005, ['websocket']],
];

function headersOf(random: Random, known: Known): Record<string, string> {
  const headers: Record<string, string> = {
    host: `127.0.0.1:${known.port}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const session = sessionId(random, known);
  if (session !== undefined) headers['mcp-session-id'] = session;
  if (random.chance(0.03)) headers['last-event-id'] = lastEvent(random, known);
  for (const [name, often, values] of rare) {
    if (random.chance(often)) headers[name] = random.pick(values);
  }
  return headers;
}

/** A session that begins as it should. */
export function opening({ port }: Known): Buffer {
  const head = `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\n`;
  return Buffer.from(`${head}content-length: ${initialize.length}\r\n\r\n${initialize}`);
}

/** Any request, with a message if its method has a body. */
export function anyRequest(random: Random, known: Known): Buffer {
  const method = random.chance(0.93)
    ? 'POST'
    : random.pick(['GET', 'GET', 'GET', 'DELETE', 'PUT', 'OPTIONS', 'HEAD']);
  const path = random.chance(0.98)
    ? '/mcp'
    : random.pick(['/', '/mcp/x', '/health', '/%00', '/mcp?a=b', '/openapi.json', '//mcp']);
  const headers = headersOf(random, known);
  if (method === 'GET' && random.chance(0.7)) headers['accept'] = 'text/event-stream';
  const body = Buffer.from(method === 'POST' ? clientMessage(random) : '');
  const chunked = random.chance(0.1);
  if (chunked) headers['transfer-encoding'] = 'chunked';
  else if (random.chance(0.99)) headers['content-length'] = String(body.length);
  else headers['content-length'] = random.pick(['-1', '1e3', `${body.length + 5}`, '0', '']);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (random.chance(0.01)) lines.push(...lines.slice(0, 3));
  const start = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return Buffer.concat([start, ...(chunked ? chunks(random, body) : [body])]);
}

/** A body in chunks: few or many, some with sizes that are wrong. */
function chunks(random: Random, body: Buffer): Buffer[] {
  const step = random.chance(0.8) ? body.length || 1 : 1 + random.below(body.length + 1);
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length && parts.length < 400; at += step) {
    const part = body.subarray(at, at + step);
    const size = random.chance(0.995)
      ? part.length.toString(16)
      : random.pick(['zz', '-1', 'fffff']);
    parts.push(Buffer.from(`${size}\r\n`), part, Buffer.from('\r\n'));
  }
  return [...parts, Buffer.from('0\r\n\r\n')];
}
