/** Headers that say what the message says, or how it is framed: another value would be a lie. */
const reserved: ReadonlySet<string> = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'host',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'transfer-encoding',
]);

/** Whether a header of requests follows from the message, so that nobody else can set it. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return reserved.has(lower) || lower.startsWith('mcp-param-');
}
