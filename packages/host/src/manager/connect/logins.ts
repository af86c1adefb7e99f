import path from 'node:path';
import {
  files,
  KitError,
  shellWord,
  silentLogger,
  stateFolder,
  withoutUndefined,
  type Logger,
} from 'mcp-kit/internal';
import type { Authorizer, AuthorizerOptions, CredentialStore } from 'mcp-kit/auth';
import type { HttpAuth } from 'mcp-kit/transport/http-client';
import type { HttpSettings, OAuthSettings, ServerEntry } from '../config/entry.ts';
import type { Egress } from '../egress/egress.ts';
import type { EgressPolicy } from '../egress/policy.ts';
import type { ManagerOptions } from '../options.ts';
import { trustCommand } from '../trust/trust-command.ts';
import type { Admitted } from './admission.ts';
import { routeOf, type Network } from './network.ts';

/** What logins need beside a server. */
export interface LoginPlace {
  /** Where tokens are kept; false: nowhere, and nobody logs in. */
  readonly credentials: CredentialStore | false | undefined;
  /** Whose logins these are, where a server has those of several. */
  readonly account?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Limits what servers name. */
  readonly policy: Partial<EgressPolicy>;
  /** Who we say we are. */
  readonly client: Pick<AuthorizerOptions, 'clientName' | 'clientMetadataUrl'>;
  /** Where the names of files start. */
  readonly root: string;
  /** How servers are reached, where their entries do not say. */
  readonly network: Network;
  readonly logger: Logger;
}

/** Where the logins of a manager are. */
export function loginPlace(options: ManagerOptions, root: string): LoginPlace {
  const { credentials, env = process.env, policy = {}, logger = silentLogger } = options;
  const { name: clientName, clientMetadataUrl } = options;
  const client = { clientName, clientMetadataUrl };
  return { credentials, env, policy, client, root, network: options, logger };
}

/** What a login is told beside what the configuration says. */
export type LoginWishes = Pick<AuthorizerOptions, 'interact' | 'grant' | 'client' | 'signal'>;

/** An authorizer, and the connections that it holds. */
export interface HeldAuthorizer {
  readonly authorizer: Authorizer;
  release(): void;
}

/** What lets the requests of a session in; loaded when there is something to show, or when it is asked for. */
export function sessionAuth(
  admitted: Admitted,
  place: LoginPlace,
): { readonly auth: HttpAuth; release(): void } | undefined {
  const { entry, egress } = admitted;
  if (place.credentials === false || whyNoLogin(entry) !== undefined) return undefined;
  if (egress !== undefined) return { auth: authOfUntrusted(entry), release: () => {} };
  let held: Promise<HeldAuthorizer> | undefined;
  let authorizer: Authorizer | undefined;
  let isEmpty: boolean | undefined;
  const make = async (): Promise<Authorizer> => {
    held ??= holdAuthorizer(admitted, place);
    ({ authorizer } = await held);
    return authorizer;
  };
  return {
    auth: {
      headers: (request) => {
        if (authorizer !== undefined) return authorizer.headers(request);
        if (isEmpty) return {};
        return (async () => {
          isEmpty = await hasNothing(place);
          return isEmpty ? {} : (await make()).headers(request);
        })();
      },
      challenged: async (challenge) => (await make()).challenged(challenge),
    },
    release: () => void held?.then(({ release }) => release()),
  };
}

/** Makes what a server wants to see; what it leads to is reached by the way of the server. */
export async function holdAuthorizer(
  { entry, egress }: Admitted,
  place: LoginPlace,
  wishes: LoginWishes = {},
): Promise<HeldAuthorizer> {
  const refused = whyNoLogin(entry);
  if (refused !== undefined) throw refused;
  if (place.credentials === false) {
    throw new KitError('invalid_argument', 'this manager keeps no logins', {
      hint: 'Give it a place for them with the option credentials.',
    });
  }
  const { name, provenance } = entry;
  const { url } = entry.transport as HttpSettings;
  const { createAuthorizer, openCredentials } = await import('mcp-kit/auth');
  const { credentials, account, env, logger, client } = place;
  const settings = egress === undefined ? settingsOf(entry.oauth || {}) : {};
  const own = egress === undefined ? await trustedWay(entry, settings, place) : undefined;
  const authorizer = createAuthorizer({
    server: url,
    name,
    typedAs: provenance.file === '' ? `--url ${shownUrl(url)}` : undefined,
    store: credentials ?? (await openCredentials({ env, logger })),
    account,
    egress: own ?? egress,
    ...client,
    ...settings,
    ...withoutUndefined(wishes),
    logger,
  });
  return { authorizer, release: () => own?.destroy() };
}

/** The way of a server that is trusted; the code is loaded when somebody logs in. */
async function trustedWay(
  { name, transport }: ServerEntry,
  { metadataUrl }: Pick<AuthorizerOptions, 'metadataUrl'>,
  { policy, root, network }: LoginPlace,
): Promise<Egress> {
  const settings = transport as HttpSettings;
  const named = [settings.url, settings.streamUrl, metadataUrl];
  const { trustedEgress } = await import('../egress/trusted.ts');
  const route = await routeOf(settings, root, network);
  const urls = named.filter((url) => url !== undefined).map(String);
  return trustedEgress(urls, policy, { server: name, ...route });
}

/** Why nobody logs in to a server, as far as its entry tells. */
function whyNoLogin({ name, transport, oauth }: ServerEntry): KitError | undefined {
  if (transport.kind !== 'http') {
    const message = `nobody logs in to ${name}: it is not reached by a URL`;
    return new KitError('invalid_argument', message, {
      hint: 'Give the secrets that it needs as variables of its environment.',
    });
  }
  if (oauth === false) {
    return new KitError('invalid_argument', `the configuration of ${name} says not to log in`, {
      hint: 'Its entry has oauth set to false.',
    });
  }
  const { headers, envHeaders, bearerTokenEnv } = transport;
  const names = [...Object.keys(headers), ...Object.keys(envHeaders)];
  const isGiven = names.some((header) => header.trim().toLowerCase() === 'authorization');
  if (!isGiven && bearerTokenEnv === undefined) return undefined;
  const message = `the configuration of ${name} says what to send as Authorization`;
  return new KitError('invalid_argument', message, { hint: 'Take it out to log in instead.' });
}

/** A server that is not trusted is shown nothing, whatever is kept for its address. */
function authOfUntrusted({ name }: ServerEntry): HttpAuth {
  return {
    headers: () => ({}),
    challenged: ({ status }) => {
      if (status !== 401) return Promise.resolve('give up');
      const message = `${name} wants you to log in, and is not trusted`;
      const hint = `If you trust it: ${trustCommand('approve', name)}, then mcpctl login ${shellWord(name)}`;
      const details = { ran: false, status, loginNeeded: true };
      return Promise.reject(new KitError('unauthorized', message, { hint, details }));
    },
  };
}

function settingsOf(oauth: OAuthSettings): Partial<AuthorizerOptions> {
  const { clientId, clientSecret, scopes, metadataUrl, callbackPort } = oauth;
  // As hosts that have such a setting register it.
  const atPort =
    callbackPort === undefined ? undefined : `http://localhost:${callbackPort}/callback`;
  const { redirectUri = atPort } = oauth;
  const client = clientId === undefined ? undefined : { id: clientId, secret: clientSecret };
  return { client, scopes, redirectUri, metadataUrl };
}

/** A URL for a hint; what may be a secret in it is not repeated. */
function shownUrl(url: string): string {
  const { username, password, search } = new URL(url);
  return `${username}${password}${search}` === '' ? shellWord(url) : '…';
}

/** Whether nothing can be kept, because there is no file: then nothing has to be loaded to show it. */
async function hasNothing({ credentials, env }: LoginPlace): Promise<boolean> {
  if (credentials !== undefined) return false;
  const file = path.join(stateFolder(env), 'credentials.json');
  return files()
    .access(file)
    .then(
      () => false,
      () => true,
    );
}
