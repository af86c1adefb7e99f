import type { Headers } from './responder.ts';

/** How often a header was sent: of some, Node keeps the first, and a proxy in front may have believed another. */
export function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at];
    if (sent?.length === name.length && sent.toLowerCase() === name) count += 1;
  }
  return count;
}

/** The headers, in which two credentials are not one: whoever asks for a single one finds none. */
export function withAllCredentials(headers: Headers, rawHeaders: readonly string[]): Headers {
  if (headers['authorization'] === undefined || countOf(rawHeaders, 'authorization') < 2) {
    return headers;
  }
  const all = rawHeaders.filter((_, at) => rawHeaders[at - 1]?.toLowerCase() === 'authorization');
  return { ...headers, authorization: all };
}
