import { demandOf, type Demand } from './challenge.ts';
import type { Surroundings } from './options.ts';

/** What a server says to a request without a token. */
export async function probe({
  fetch,
  server,
}: Surroundings): Promise<{ readonly status: number; readonly demand: Demand | undefined }> {
  const answer = await fetch(server, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
  });
  const { status, headers } = answer;
  return { status, demand: demandOf(headers.get('www-authenticate') ?? undefined) };
}
