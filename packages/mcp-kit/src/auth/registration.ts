import { KitError } from '#base';
import { isRecord } from '#jsonrpc';
import type { SavedCredentials, KeptClient } from './credentials.ts';
import { textIn, textsIn, type Document } from './documents.ts';
import { labelOf, type Fetch } from './fetch.ts';
import type { AuthMethod, KnownClient } from './identity.ts';
import type { Issuer } from './issuer.ts';

/** Which client we are, and how we become one that an issuer knows. */
export interface ClientWishes {
  /** One that the issuer knows already. */
  readonly known?: KnownClient | undefined;
  /** The URL of a document that describes the client, for issuers that read such. */
  readonly metadataUrl?: string | undefined;
  /** The name that people are shown. */
  readonly name: string;
  readonly redirectUri?: string | undefined;
  readonly grants: readonly string[];
}

/** What finding a client needs. */
export interface Registry {
  readonly fetch: Fetch;
  readonly saved: SavedCredentials;
  /** Issuers that have shown in this process that they know our client. */
  readonly proven: Set<string>;
}

/** The client to be: one that is known, else one described by a document, else the one we registered or register now. */
export async function becomeClient(
  issuer: Issuer,
  wishes: ClientWishes,
  registry: Registry,
): Promise<KeptClient> {
  const { known, metadataUrl, redirectUri } = wishes;
  if (known !== undefined) return { id: known.id, kind: 'known' };
  if (
    metadataUrl !== undefined &&
    issuer.metadata['client_id_metadata_document_supported'] === true
  ) {
    return { id: metadataUrl, kind: 'document' };
  }
  const kept = await registry.saved.client(issuer.name);
  if (kept !== undefined && (await isStillGood(kept, issuer, { redirectUri, registry }))) {
    registry.proven.add(issuer.name);
    return kept;
  }
  const client = await register(issuer, wishes, registry.fetch);
  await registry.saved.keepClient(issuer.name, client);
  registry.proven.add(issuer.name);
  return client;
}

async function isStillGood(
  client: KeptClient,
  issuer: Issuer,
  { redirectUri, registry }: { redirectUri: string | undefined; registry: Registry },
): Promise<boolean> {
  if (client.redirectUri !== redirectUri) return false;
  if (client.expiresAt !== undefined && client.expiresAt < Date.now()) return false;
  if (registry.proven.has(issuer.name)) return true;
  return isKnownTo(issuer, client, registry.fetch);
}

/**
 * Whether an issuer still knows a client that was registered long ago. Its page for people would only say so to the person
 * at the browser, who would not come back; so it is asked first, for a login without any question.
 */
async function isKnownTo(issuer: Issuer, client: KeptClient, fetch: Fetch): Promise<boolean> {
  const { authorization_endpoint: place } = issuer.metadata;
  if (place === undefined || client.redirectUri === undefined) return true;
  const url = new URL(place);
  const asked = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: client.redirectUri,
    prompt: 'none',
    state: 'none',
    code_challenge_method: 'S256',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  const answer = await fetch(url, { headers: { accept: 'application/json' } });
  if (answer.status < 400 || answer.status >= 500) return true;
  return !/invalid_client|unauthorized_client|redirect_uri/i.test(await answer.text());
}

/** Registers a client as RFC 7591 has it. */
async function register(issuer: Issuer, wishes: ClientWishes, fetch: Fetch): Promise<KeptClient> {
  const { registration_endpoint: place } = issuer.metadata;
  if (typeof place !== 'string' || !URL.canParse(place)) throw needsClient(issuer);
  const { name, redirectUri, grants } = wishes;
  const body = {
    client_name: name,
    // Where browsers come back to a host of its own, it is no program of a user.
    application_type: redirectUri?.startsWith('https:') ? 'web' : 'native',
    grant_types: grants,
    token_endpoint_auth_method: wantedMethod(issuer),
    redirect_uris: redirectUri === undefined ? undefined : [redirectUri],
    response_types: redirectUri === undefined ? [] : ['code'],
  };
  const answer = await fetch(place, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  });
  const document = await answer.json().catch(() => undefined);
  const id = isRecord(document) ? textIn(document, 'client_id') : undefined;
  if (!answer.ok || !isRecord(document) || id === undefined) {
    throw notRegistered(place, answer.status, isRecord(document) ? document : {});
  }
  return { ...registeredClient(id, document), redirectUri };
}

function registeredClient(id: string, document: Document): KeptClient {
  const secret = textIn(document, 'client_secret');
  const method = textIn(document, 'token_endpoint_auth_method');
  const endsAt = Number(document['client_secret_expires_at'] ?? 0);
  return {
    id,
    kind: 'registered',
    secret: method === 'none' ? undefined : secret,
    method: method as AuthMethod | undefined,
    expiresAt: secret !== undefined && endsAt > 0 ? endsAt * 1000 : undefined,
  };
}

/** We cannot keep a secret from the user, so none is the honest choice where it is one. */
function wantedMethod({ metadata }: Issuer): AuthMethod {
  const supported = textsIn(metadata, 'token_endpoint_auth_methods_supported');
  const known = ['none', 'client_secret_basic', 'client_secret_post'] as const;
  return known.find((method) => supported?.includes(method) ?? true) ?? 'none';
}

/** There is no way to become a client that the issuer knows. */
export function needsClient({ name }: Issuer): KitError {
  return new KitError('unauthorized', `${name} wants a client that it knows, and registers none`, {
    hint: 'Register one with whoever runs it, and give its id: oauth.clientId in the configuration.',
  });
}

function notRegistered(place: string, status: number, document: Document): KitError {
  const said = [textIn(document, 'error'), textIn(document, 'error_description')];
  const why = said.filter((text) => text !== undefined).join(': ') || `HTTP ${status}`;
  const message = `${labelOf(new URL(place))} registers no client: ${why.slice(0, 300)}`;
  return new KitError('unauthorized', message, {
    hint: 'Register one with whoever runs it, and give its id: oauth.clientId in the configuration.',
    details: { status, oauthError: said[0] },
  });
}
