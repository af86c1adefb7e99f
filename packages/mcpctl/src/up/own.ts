import path from 'node:path';
import type { ServerEntry } from '@mcp-kit/host';
import { isLoopback } from 'mcp-kit/transport/http';
import type { Place } from '../serve/settings.ts';

/** Whether an entry leads to a gateway of this configuration: hosts are told of it in the files that it reads. */
export function isOwnGateway({ transport }: ServerEntry, place: Place): boolean {
  if (transport.kind === 'http') return isOwnUrl(transport.url, place);
  if (transport.kind !== 'stdio') return false;
  const words = [transport.command, ...transport.args];
  const at = words.findIndex((word) => /^mcpctl(@\S+)?$/.test(path.basename(word)));
  const [command, ...rest] = at === -1 ? [] : words.slice(at + 1);
  if (command === 'bridge') return rest.some((word) => isOwnUrl(word, place));
  // One of other files is another one.
  return command === 'up' && !rest.some((word) => /^--(config|root)\b/.test(word));
}

function isOwnUrl(text: string, place: Place): boolean {
  if (place.kind !== 'http' || !URL.canParse(text)) return false;
  const { hostname, port, pathname } = new URL(text);
  const { port: own = 7420, path: at = '/mcp' } = place.server;
  const isHere = isLoopback(hostname) && Number(port === '' ? 80 : port) === own;
  return isHere && (pathname === at || pathname.startsWith(`${at}/`));
}
