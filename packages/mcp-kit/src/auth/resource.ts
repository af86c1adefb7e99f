import { KitError } from '#base';
import { getDocument, textIn, textsIn, wellKnown, type Document } from './documents.ts';
import type { Fetch } from './fetch.ts';

/** What a server says about itself as something that is protected (RFC 9728). */
export interface ProtectedResource {
  /** As the server writes it: it is compared and repeated letter by letter. */
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[] | undefined;
  /** Tokens must be bound to a key. */
  readonly wantsProof: boolean;
}

const name = 'oauth-protected-resource';

/** Finds out who issues tokens for a server; undefined when it does not say, as those of revision 2025-03-26 do not. */
export async function findResource(
  fetch: Fetch,
  server: URL,
  said: string | undefined,
): Promise<ProtectedResource | undefined> {
  for (const url of placesFor(server, said)) {
    const document = await getDocument(fetch, url);
    if (document !== undefined) return readResource(document, server);
  }
  return undefined;
}

function placesFor(server: URL, said: string | undefined): readonly URL[] {
  const places = [wellKnown(name, server)];
  if (server.pathname !== '/') places.push(wellKnown(name, server, ''));
  if (said === undefined) return places;
  if (URL.canParse(said)) return [new URL(said), ...places];
  throw new KitError('invalid_answer', `${server.origin} names metadata that has no address`, {
    hint: 'Its WWW-Authenticate header is wrong: tell whoever runs the server.',
  });
}

function readResource(document: Document, server: URL): ProtectedResource {
  const resource = textIn(document, 'resource');
  const issuers = textsIn(document, 'authorization_servers') ?? [];
  if (resource === undefined || !covers(resource, server)) {
    throw new KitError(
      'refused_by_policy',
      `the metadata of ${server.origin} is about another server: ${String(resource).slice(0, 200)}`,
      { hint: 'No token was asked for: it would have been good for somebody else.' },
    );
  }
  if (issuers.length === 0) {
    throw new KitError('invalid_answer', `${server.origin} names no authorization server`, {
      hint: 'Its metadata needs authorization_servers: tell whoever runs the server.',
    });
  }
  return {
    resource,
    issuers,
    scopes: textsIn(document, 'scopes_supported'),
    wantsProof: document['dpop_bound_access_tokens_required'] === true,
  };
}

/** Whether a server is what an identifier names: the same place, or something below it. */
function covers(resource: string, server: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const { origin, pathname, hash, search } = new URL(resource);
  if (origin !== server.origin || hash !== '') return false;
  if (search !== '' && search !== server.search) return false;
  const folder = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return server.pathname === pathname || `${server.pathname}/`.startsWith(folder);
}
