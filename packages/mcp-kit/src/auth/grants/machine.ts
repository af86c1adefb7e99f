import { KitError } from '#base';
import type { Credentials } from '../credentials.ts';
import type { KnownClient } from '../identity.ts';
import { findIssuer, type Issuer } from '../issuer.ts';
import type { Grant, Setup } from '../options.ts';
import { bound, type Situation } from '../situation.ts';
import { requestTokens, type Tokens } from '../tokens.ts';

const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const idToken = 'urn:ietf:params:oauth:token-type:id_token';
const idJag = 'urn:ietf:params:oauth:token-type:id-jag';

/** Whether a grant needs nobody at the screen. */
export function isForMachines({ kind }: Grant): boolean {
  return kind === 'client-credentials' || kind === 'enterprise' || kind === 'workload';
}

/** Gets tokens without anybody being asked. */
export async function getTokensAlone(setup: Setup, situation: Situation): Promise<Credentials> {
  const tokens = await request(setup, situation);
  return bound(tokens, situation, { id: setup.options.client?.id ?? '', kind: 'known' });
}

async function request(setup: Setup, situation: Situation): Promise<Tokens> {
  const { fetch, grant, options } = setup;
  const { issuer, resource, key } = situation;
  const scope = situation.scopes?.join(' ');
  if (grant.kind === 'workload') {
    const assertion = await grant.assertion();
    const parameters = { assertion, resource, scope };
    const client = options.client ?? { id: 'none' };
    return requestTokens({
      fetch,
      issuer,
      client,
      isVouched: true,
      grant: jwtBearer,
      parameters,
      key,
    });
  }
  const asked = { fetch, issuer, client: knownClient(setup), key };
  if (grant.kind === 'enterprise') {
    const assertion = await identityAssertion(setup, grant, situation);
    // Its scopes are in the assertion.
    return requestTokens({ ...asked, grant: jwtBearer, parameters: { assertion, resource } });
  }
  return requestTokens({ ...asked, grant: 'client_credentials', parameters: { resource, scope } });
}

function knownClient({ options, name }: Setup): KnownClient {
  if (options.client !== undefined) return options.client;
  throw new KitError('invalid_argument', `${name}: this way to log in needs a known client`, {
    hint: 'Give its id, and its secret or its key.',
  });
}

/** What the provider of an enterprise says to the issuer of a server, in return for what it said when the person logged in. */
async function identityAssertion(
  { fetch }: Setup,
  grant: Extract<Grant, { kind: 'enterprise' }>,
  { issuer, resource, scopes }: Situation,
): Promise<string> {
  const provider = await providerOf(grant, (name) => findIssuer(fetch, name));
  const { accessToken } = await requestTokens({
    fetch,
    issuer: provider,
    client: grant.idp.client,
    grant: tokenExchange,
    parameters: {
      requested_token_type: idJag,
      audience: issuer.name,
      resource,
      scope: scopes?.join(' '),
      subject_token: await grant.idToken(),
      subject_token_type: idToken,
    },
    otherTypes: ['n_a'],
  });
  return accessToken;
}

async function providerOf(
  { idp }: Extract<Grant, { kind: 'enterprise' }>,
  find: (name: string) => Promise<Issuer>,
): Promise<Issuer> {
  if ('issuer' in idp) return find(idp.issuer);
  const { tokenEndpoint } = idp;
  return {
    name: tokenEndpoint,
    metadata: { issuer: tokenEndpoint, token_endpoint: tokenEndpoint },
  };
}
