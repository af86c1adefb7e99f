import { requestBytes, type RawAnswer, type RawHttp } from './raw-http.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface SseEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** The events of a stream, read as the HTML standard says; an unfinished one at the end is not an event. */
function parseEvents(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  let id: string | undefined;
  let data: string[] | undefined;
  const lines = text.split(/\r\n|\n|\r/);
  for (const line of lines.slice(0, -1)) {
    if (line === '') {
      if (data !== undefined) events.push({ id, data: data.join('\n') });
      data = undefined;
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'id') id = value;
    if (field === 'data') (data ??= []).push(value);
  }
  return events;
}

/** The messages of a JSON or an event-stream answer. */
export function messagesOf(answer: RawAnswer): Record<string, unknown>[] {
  const streamed = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const texts = streamed ? parseEvents(answer.body).map(({ data }) => data) : [answer.body];
  return texts
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text) as Record<string, unknown>);
}

export const legacyVersion = '2025-11-25';
const modernVersion = '2026-07-28';

/** A legacy client: what every one of its requests must say. */
export interface Session {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const initializeBody = (version: string = legacyVersion): Fields => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: version,
    capabilities: {},
    clientInfo: { name: 'faults', version: '1' },
  },
});

/** Opens a session and completes its handshake. */
export async function openSession(http: RawHttp, version = legacyVersion): Promise<Session> {
  const answer = await http.exchange(requestBytes({ body: initializeBody(version) }));
  const id = answer.headers.get('mcp-session-id');
  if (id === undefined) throw new Error(`no session: ${answer.status} ${answer.body}`);
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': version };
  const body = { jsonrpc: '2.0', method: 'notifications/initialized' };
  await http.exchange(requestBytes({ headers, body }));
  return { id, headers };
}

export function toolCall(id: number | string, name: string, args: Fields = {}): Fields {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

/** A modern tool call, as bytes. */
export function modernCall(id: number | string, name: string, args: Fields = {}): Buffer {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': modernVersion,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/logLevel': 'debug',
  };
  const headers = {
    'mcp-protocol-version': modernVersion,
    'mcp-method': 'tools/call',
    'mcp-name': name,
  };
  const params = { name, arguments: args, _meta };
  return requestBytes({ headers, body: { jsonrpc: '2.0', id, method: 'tools/call', params } });
}
