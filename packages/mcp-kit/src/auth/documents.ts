import { isRecord } from '#jsonrpc';
import { KitError } from '#base';
import type { Fetch } from './fetch.ts';

/** A JSON object that somebody publishes. */
export type Document = Readonly<Record<string, unknown>>;

/** Gets a document; undefined when there is none at that address. */
export async function getDocument(fetch: Fetch, url: URL): Promise<Document | undefined> {
  const answer = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'follow' });
  if (answer.status >= 500) {
    throw new KitError('http_status', `${url.href}: HTTP ${answer.status}`, {
      hint: 'Authorization needs what it says there: try again later.',
      details: { status: answer.status },
    });
  }
  if (answer.status !== 200) return undefined;
  try {
    const value: unknown = await answer.json();
    return isRecord(value) ? value : undefined;
  } catch {
    // Pages for people are served under any address.
    return undefined;
  }
}

/** A well-known address as RFC 8615 has it: before the path of what it is about. */
export function wellKnown(name: string, about: URL, path: string = about.pathname): URL {
  return new URL(`/.well-known/${name}${path.replace(/\/$/, '')}`, about.origin);
}

export function textIn(document: Document, name: string): string | undefined {
  const value = document[name];
  return typeof value === 'string' ? value : undefined;
}

export function textsIn(document: Document, name: string): readonly string[] | undefined {
  const value = document[name];
  if (!Array.isArray(value)) return undefined;
  return value.filter((item): item is string => typeof item === 'string');
}
