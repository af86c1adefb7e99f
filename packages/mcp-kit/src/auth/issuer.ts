import type { AuthorizationServer } from 'oauth4webapi';
import { KitError } from '#base';
import { getDocument, textIn, wellKnown, type Document } from './documents.ts';
import type { Fetch } from './fetch.ts';

/** Who issues tokens. */
export interface Issuer {
  /** What credentials are bound to: the name under which it was asked. */
  readonly name: string;
  readonly metadata: AuthorizationServer;
  /** Nobody has said so: these are the places that revision 2025-03-26 has for want of better. */
  readonly isAssumed?: boolean | undefined;
}

const oauthName = 'oauth-authorization-server';
const openIdName = 'openid-configuration';

/** Gets the metadata of an issuer that somebody names, from where RFC 8414 and OpenID Connect have it. */
export async function findIssuer(fetch: Fetch, name: string): Promise<Issuer> {
  if (!/^https?:/i.test(name) || !URL.canParse(name)) {
    const message = `not the URL of an authorization server: ${name.slice(0, 200)}`;
    throw new KitError('invalid_answer', message);
  }
  for (const place of placesFor(new URL(name))) {
    const document = await getDocument(fetch, place);
    if (document === undefined) continue;
    const said = textIn(document, 'issuer');
    // Letter by letter: whoever may write a little differently may also be somebody else.
    if (said !== name) throw notItself(name, said);
    return { name, metadata: metadataOf(document, name) };
  }
  throw new KitError('invalid_answer', `the authorization server ${name} publishes no metadata`, {
    hint: `It was looked for at ${placesFor(new URL(name)).join(' and ')}.`,
  });
}

/** Gets the metadata at an address that the user names. */
export async function issuerAt(fetch: Fetch, url: string): Promise<Issuer> {
  const document = await getDocument(fetch, new URL(url));
  const name = document && textIn(document, 'issuer');
  if (document === undefined || name === undefined) {
    throw new KitError('invalid_answer', `no metadata of an authorization server at ${url}`);
  }
  return { name, metadata: metadataOf(document, name) };
}

/**
 * The issuer of a server that names none, as in revision 2025-03-26: the server itself. Whatever it calls itself,
 * credentials are bound to the place.
 */
export async function issuerOfOldServer(fetch: Fetch, { origin }: URL): Promise<Issuer> {
  const document = await getDocument(fetch, wellKnown(oauthName, new URL(origin)));
  if (document !== undefined) {
    const metadata = metadataOf(document, textIn(document, 'issuer') ?? origin);
    return { name: origin, metadata };
  }
  const metadata = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
  };
  return { name: origin, metadata, isAssumed: true };
}

function placesFor(issuer: URL): readonly URL[] {
  const { pathname, origin } = issuer;
  const places = [wellKnown(oauthName, issuer), wellKnown(openIdName, issuer)];
  if (pathname === '/') return places;
  return [...places, new URL(`${pathname.replace(/\/$/, '')}/.well-known/${openIdName}`, origin)];
}

function metadataOf(document: Document, issuer: string): AuthorizationServer {
  return { ...(document as AuthorizationServer), issuer };
}

function notItself(name: string, said: string | undefined): KitError {
  const other = (said ?? 'nobody').slice(0, 200);
  return new KitError('refused_by_policy', `the metadata of ${name} is that of ${other}`, {
    hint: 'Nothing was sent to either. The two names must be equal, letter by letter.',
  });
}
