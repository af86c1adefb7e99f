import { KitError } from '#base';
import { unionOf, type Demand } from './challenge.ts';
import type { Credentials, KeptClient } from './credentials.ts';
import { textsIn } from './documents.ts';
import { findIssuer, issuerAt, issuerOfOldServer, type Issuer } from './issuer.ts';
import type { Setup } from './options.ts';
import { createProofKey, proofKeyOf, type ProofKey } from './proof.ts';
import { findResource, type ProtectedResource } from './resource.ts';
import type { Tokens } from './tokens.ts';

/** All that is known when tokens are asked for. */
export interface Situation {
  readonly issuer: Issuer;
  /** Repeated in every request, so that the token is good for this server only. */
  readonly resource: string | undefined;
  readonly scopes: readonly string[] | undefined;
  /** The key that tokens are bound to, if they are. */
  readonly key: ProofKey | undefined;
}

/** Finds out who issues tokens for the server, what for, and how. */
export async function assess(
  setup: Setup,
  demand: Demand | undefined,
  kept: Credentials | undefined,
): Promise<Situation> {
  const { fetch, server, options } = setup;
  const resource = await findResource(fetch, server, demand?.resourceMetadata);
  const issuer = await issuerFor(setup, resource, kept);
  if (kept !== undefined && kept.issuer !== issuer.name) assertMayMove(setup, kept, issuer);
  // What was granted elsewhere says nothing here.
  const before = kept?.issuer === issuer.name ? kept : undefined;
  const wanted = unionOf(options.scopes, demand?.scopes) ?? resource?.scopes;
  return {
    issuer,
    resource: resource?.resource,
    scopes: withOffline(unionOf(before?.asked, wanted), issuer, setup),
    key: keyFor(setup, resource, before),
  };
}

/** Who issues tokens for the server; the one that did before, if it still may. */
export async function issuerFor(
  setup: Setup,
  resource: ProtectedResource | undefined,
  kept: Credentials | undefined,
): Promise<Issuer> {
  const same = resource?.issuers.find((issuer) => issuer === kept?.issuer);
  return issuerNamed(setup, same ?? resource?.issuers[0]);
}

/** The issuer that a server names, unless the user names another; a server that names none issues its tokens itself. */
async function issuerNamed(
  { fetch, server, options }: Setup,
  name: string | undefined,
): Promise<Issuer> {
  if (options.metadataUrl !== undefined) return issuerAt(fetch, options.metadataUrl);
  return name === undefined ? issuerOfOldServer(fetch, server) : findIssuer(fetch, name);
}

/** The issuer of what is kept, without asking the server again. */
export async function issuerOf(
  setup: Setup,
  { issuer: name, resource }: Credentials,
): Promise<Issuer> {
  const { issuers } = setup;
  const known = issuers.get(name);
  if (known !== undefined) return known;
  const issuer = await issuerNamed(setup, resource === undefined ? undefined : name);
  if (issuer.name !== name) throw hasMoved(setup, name, issuer.name);
  issuers.set(name, issuer);
  return issuer;
}

/** Tokens of one issuer are not shown to another. */
function hasMoved({ name, typedAs }: Setup, before: string, now: string): KitError {
  return new KitError('refused_by_policy', `${name} now wants tokens of ${now}, not of ${before}`, {
    hint: `Nothing was sent there. If the move is right: mcpctl login ${typedAs}`,
    details: { ran: false },
  });
}

/** A secret that was given for one issuer is not shown to another. */
function assertMayMove(setup: Setup, kept: Credentials, issuer: Issuer): void {
  const { name, typedAs, options } = setup;
  if (options.client === undefined) return;
  const message = `${name} now wants tokens of ${issuer.name}; client ${options.client.id} is one of ${kept.issuer}`;
  throw new KitError('refused_by_policy', message, {
    hint: `Nothing was sent there. If the move is right, log out first (mcpctl logout ${typedAs}), then log in.`,
  });
}

/** Without it some issuers let nobody stay logged in. It is asked for only beside others: alone it would replace what is usual. */
function withOffline(
  scopes: readonly string[] | undefined,
  { metadata }: Issuer,
  { grant }: Setup,
): readonly string[] | undefined {
  const isOffered = textsIn(metadata, 'scopes_supported')?.includes('offline_access') ?? false;
  const isForPeople = grant.kind === 'browser' || grant.kind === 'device';
  if (!isOffered || !isForPeople || scopes === undefined) return scopes;
  return unionOf(scopes, ['offline_access']);
}

function keyFor(
  { options: { proof = 'auto' } }: Setup,
  resource: ProtectedResource | undefined,
  before: Credentials | undefined,
): ProofKey | undefined {
  if (before?.key !== undefined) return proofKeyOf(before.key);
  return proof === 'always' || resource?.wantsProof === true ? createProofKey() : undefined;
}

/** Tokens with what they are bound to. */
export function bound(tokens: Tokens, situation: Situation, client: KeptClient): Credentials {
  const { issuer, resource, scopes, key } = situation;
  return {
    ...tokens,
    issuer: issuer.name,
    client,
    obtainedAt: Date.now(),
    resource,
    asked: scopes,
    key: tokens.tokenType === 'dpop' ? key?.jwk : undefined,
  };
}
