import { KitError } from '#base';
import { demandOf, type Demand } from './challenge.ts';
import type { Credentials } from './credentials.ts';
import { textsIn } from './documents.ts';
import { namesNobody, needsPerson } from './failures.ts';
import { isForMachines } from './grants/machine.ts';
import type { Issuer } from './issuer.ts';
import type { Setup } from './options.ts';
import { needsClient } from './registration.ts';
import { findResource } from './resource.ts';
import { issuerFor } from './situation.ts';

/** One step on the way to being let in. */
export interface LoginStep {
  readonly step: 'server' | 'resource' | 'issuer' | 'client' | 'login';
  readonly ok: boolean;
  /** What was found, or what is wrong. */
  readonly says: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
}

/** Goes the way to being let in, as far as it leads without anybody being asked. */
export async function examine(
  setup: Setup,
  kept: Credentials | undefined,
): Promise<readonly LoginStep[]> {
  const steps: LoginStep[] = [];
  let step: LoginStep['step'] = 'server';
  const passed = (says: string, next: LoginStep['step']): void => {
    steps.push({ step, ok: true, says });
    step = next;
  };
  try {
    const { status, demand } = await probe(setup);
    passed(`answers HTTP ${status} without a token`, 'resource');
    const said = demand?.resourceMetadata;
    const resource = await findResource(setup.fetch, setup.server, said);
    if (status !== 401 && resource === undefined) return steps;
    passed(
      resource === undefined
        ? 'does not say who issues its tokens'
        : `${resource.resource} takes tokens of ${resource.issuers.join(', ')}`,
      'issuer',
    );
    const issuer = await issuerFor(setup, resource, kept);
    if (issuer.isAssumed && kept === undefined) throw namesNobody(setup);
    passed(issuerSays(issuer), 'client');
    passed(await clientSays(setup, issuer), 'login');
    steps.push({ step, ok: true, says: loginSays(setup, kept) });
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error);
    steps.push({ step, ok: false, says, hint: error instanceof KitError ? error.hint : undefined });
  }
  return steps;
}

function issuerSays({ name, metadata }: Issuer): string {
  const methods = textsIn(metadata, 'code_challenge_methods_supported') ?? [];
  const grants = textsIn(metadata, 'grant_types_supported') ?? ['authorization_code'];
  return `${name} offers ${grants.join(', ')}; PKCE ${methods.join(', ') || 'unknown'}`;
}

async function clientSays({ options, saved }: Setup, issuer: Issuer): Promise<string> {
  const { metadata, name } = issuer;
  if (options.client !== undefined) return `client ${options.client.id}, as configured`;
  const readsDocuments = metadata['client_id_metadata_document_supported'] === true;
  const { clientMetadataUrl } = options;
  if (readsDocuments && clientMetadataUrl !== undefined) return `client ${clientMetadataUrl}`;
  const kept = await saved.client(name);
  if (kept !== undefined) return `client ${kept.id}, registered before`;
  if (metadata.registration_endpoint !== undefined) return 'will be registered at the first login';
  throw needsClient(issuer);
}

function loginSays(setup: Setup, kept: Credentials | undefined): string {
  if (kept === undefined && isForMachines(setup.grant)) {
    return 'tokens are got when they are needed';
  }
  if (kept === undefined) throw needsPerson(setup);
  const { expiresAt, refreshToken, scopes, asked } = kept;
  const isOver = expiresAt !== undefined && expiresAt <= Date.now();
  if (isOver && refreshToken === undefined) throw needsPerson(setup);
  const what = (scopes ?? asked)?.join(' ') ?? 'what is usual';
  return `logged in for ${what}; ${isOver ? 'renewed at the next call' : 'the token is good'}`;
}

/** What a server says to a request without a token. */
export async function probe({
  fetch,
  server,
}: Setup): Promise<{ readonly status: number; readonly demand: Demand | undefined }> {
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
