// How the client gets itself let in, in the scenarios about that.
import { createAuthorizer, memoryCredentials } from 'mcp-kit/auth';

/** Nobody listens there: the suites end where the browser would be sent back. */
const redirectUri = 'http://localhost:3000/callback';

const interact = {
  begin: () => ({
    redirectUri,
    async visit(url) {
      const answer = await fetch(url, { redirect: 'manual' });
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`no redirect but HTTP ${answer.status}`);
      return new URL(location);
    },
    close() {},
  }),
};

/** What the scenarios want beside a login by browser. */
const special = {
  'auth/client-credentials-jwt': ({ context }) => ({
    grant: { kind: 'client-credentials' },
    client: {
      id: context.client_id,
      privateKey: context.private_key_pem,
      algorithm: context.signing_algorithm,
    },
  }),
  'auth/client-credentials-basic': ({ client }) => ({
    grant: { kind: 'client-credentials' },
    client,
  }),
  'auth/enterprise-managed-authorization': enterprise,
  'auth/cross-app-access-complete-flow': enterprise,
  'auth/wif-jwt-bearer': ({ client, context }) => ({
    grant: { kind: 'workload', assertion: () => context.valid_jwt },
    client,
  }),
  'auth/dpop': () => ({ proof: 'always' }),
  'auth/dpop-nonce': () => ({ proof: 'always' }),
};

function enterprise({ client, context }) {
  const idp = { client: { id: context.idp_client_id }, issuer: context.idp_issuer };
  return { grant: { kind: 'enterprise', idp, idToken: () => context.idp_id_token }, client };
}

/** Makes what lets a client in; nothing where nobody has to be. */
export function authorizerFor(url, { scenario, context }) {
  if (!scenario.startsWith('auth/')) return undefined;
  const { client_id: id, client_secret: secret } = context;
  const client = id === undefined ? undefined : { id, ...(secret && { secret }) };
  return createAuthorizer({
    server: url,
    store: memoryCredentials(),
    interact,
    clientName: 'mcp-kit-conformance',
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    ...(client && { client }),
    ...special[scenario]?.({ client, context }),
  });
}
