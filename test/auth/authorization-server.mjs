// A real authorization server, oidc-provider, on this machine: everybody who comes is alice, or whom their browser says, and
// agrees to everything.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { installPeers, peersFolder } from '../../scripts/peers.mjs';

// While tests are loaded: within one, an installation would take longer than it may.
await installPeers();

async function loadProvider() {
  const entry = path.join(peersFolder, 'node_modules/oidc-provider/lib/index.js');
  const { warn, info } = console;
  // It has much to say about a server that is not meant to last.
  console.warn = console.info = () => {};
  try {
    return (await import(pathToFileURL(entry).href)).default;
  } finally {
    Object.assign(console, { warn, info });
  }
}

/** Keeps what the server knows; unlike its own memory, for longer than one instance of it. */
function adapterOn(kept) {
  return (kind) => {
    const key = (id) => `${kind}:${id}`;
    const findBy = (field, value) =>
      [...kept].find(([name, entry]) => name.startsWith(`${kind}:`) && entry[field] === value)?.[1];
    return {
      upsert: async (id, payload) => void kept.set(key(id), payload),
      find: async (id) => kept.get(key(id)),
      findByUid: async (uid) => findBy('uid', uid),
      findByUserCode: async (code) => findBy('userCode', code),
      consume: async (id) => {
        kept.set(key(id), { ...kept.get(key(id)), consumed: Math.floor(Date.now() / 1000) });
      },
      destroy: async (id) => void kept.delete(key(id)),
      revokeByGrantId: async (grantId) => {
        for (const [name, entry] of kept) if (entry.grantId === grantId) kept.delete(name);
      },
    };
  };
}

function newKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'ES256' };
}

/** Whatever is not about access tokens outlives a test. */
const lasting = [
  'AuthorizationCode',
  'DeviceCode',
  'Grant',
  'IdToken',
  'Interaction',
  'RefreshToken',
  'Session',
];

function settingsFor({ keys, kept, clients, state }) {
  return {
    clients,
    adapter: adapterOn(kept),
    jwks: { keys },
    cookies: { keys: ['not a secret'] },
    scopes: ['openid', 'offline_access', 'read', 'write'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    pkce: { required: () => true },
    renderError: (ctx, out) => {
      ctx.body = out;
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    ttl: {
      AccessToken: () => state.lifeSeconds,
      ClientCredentials: () => state.lifeSeconds,
      ...Object.fromEntries(lasting.map((kind) => [kind, 600])),
    },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true },
      dPoP: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({
          scope: 'read write',
          audience: state.audience ?? resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: state.lifeSeconds,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  };
}

/** Answers the questions of the server to the person. */
async function interact(provider, request, response) {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    const accountId = /(?:^|; )account=([^;]+)/.exec(request.headers.cookie)?.[1] ?? 'alice';
    const result = { login: { accountId } };
    await provider.interactionFinished(request, response, result);
    return;
  }
  const { Grant } = provider;
  const known = grantId === undefined ? undefined : await Grant.find(grantId);
  const grant = known ?? new Grant({ accountId: session.accountId, clientId: params.client_id });
  const { missingOIDCScope, missingResourceScopes = {} } = prompt.details;
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '));
  for (const [resource, scopes] of Object.entries(missingResourceScopes)) {
    grant.addResourceScope(resource, scopes.join(' '));
  }
  const result = { consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
}

/** Starts one. `lifeSeconds` is how long access tokens live; `clients` are known from the beginning. */
export async function startAuthorizationServer({ lifeSeconds = 3600, clients = [] } = {}) {
  const Provider = await loadProvider();
  const state = { lifeSeconds, audience: undefined };
  const counts = { refresh_token: 0, authorization_code: 0, client_credentials: 0, refused: 0 };
  const tokenRequests = [];
  const paths = [];
  const kept = new Map();
  let keys = [newKey()];
  let provider;
  let handle;
  const server = http.createServer((request, response) => {
    paths.push(`${request.method} ${request.url.split('?')[0]}`);
    if (request.url.startsWith('/interaction/')) {
      interact(provider, request, response).catch((error) => {
        response.writeHead(500).end(error.stack);
      });
    } else {
      handle(request, response);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${server.address().port}`;

  const build = () => {
    const { warn, info } = console;
    console.warn = console.info = () => {};
    provider = new Provider(issuer, settingsFor({ keys, kept, clients, state }));
    Object.assign(console, { warn, info });
    provider.on('grant.success', ({ oidc }) => {
      counts[oidc.params.grant_type] = (counts[oidc.params.grant_type] ?? 0) + 1;
    });
    provider.on('grant.error', () => (counts.refused += 1));
    provider.use(async (ctx, next) => {
      await next();
      if (ctx.path === '/token') tokenRequests.push(ctx.oidc?.params ?? {});
    });
    handle = provider.callback();
  };
  build();

  return {
    issuer,
    state,
    counts,
    /** What came to the token endpoint, in turn. */
    tokenRequests,
    paths,
    /** Signs with another key from now on, and no longer publishes the one before. What was granted stays. */
    rotateKeys() {
      keys = [newKey()];
      build();
    },
    /** Ends what was granted to a client. */
    async revokeGrants(refreshToken) {
      const token = await provider.RefreshToken.find(refreshToken);
      await provider.RefreshToken.revokeByGrantId(token.grantId);
    },
    /** Forgets a client that registered itself. */
    forgetClient(id) {
      kept.delete(`Client:${id}`);
      build();
    },
    /** The person enters a code, and agrees. */
    async enterCode(userCode) {
      const code = await provider.DeviceCode.findByUserCode(userCode.replace('-', ''));
      const { clientId, params } = code;
      const grant = new provider.Grant({ accountId: 'alice', clientId });
      grant.addOIDCScope('offline_access');
      grant.addResourceScope(params.resource, 'read');
      const grantId = await grant.save();
      const { scope, resource } = params;
      Object.assign(code, { accountId: 'alice', grantId, scope, resource, authTime: 1 });
      await code.save();
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** A browser: follows redirects with its cookies, agrees to everything, and stops where it leaves the server. */
export async function browse(url, stopAt = () => false, account = 'alice') {
  const cookies = new Map([['account', account]]);
  let place = new URL(url);
  const { origin } = place;
  for (let hops = 0; hops < 20; hops += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(place, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`HTTP ${answer.status}: ${await answer.text()}`);
    place = new URL(location, place);
    if (place.origin !== origin || stopAt(place)) return place;
  }
  throw new Error('too many redirects');
}
