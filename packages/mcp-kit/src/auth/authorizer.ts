import { KitError, type MaybePromise } from '#base';
import { unionOf } from './challenge.ts';
import { accountsIn, type Credentials } from './credentials.ts';
import { examine, probe, type LoginStep } from './examine.ts';
import { clientOf } from './grants/refresh.ts';
import { clientAuthOf } from './identity.ts';
import { oauth, sendOptions } from './oauth.ts';
import type { AuthorizerOptions, Setup } from './options.ts';
import { findResource } from './resource.ts';
import { issuerOf } from './situation.ts';
import { TokenKeeper, type AuthChallenge, type AuthRequest } from './token-keeper.ts';
import type { Subject } from './tokens.ts';

/** Who is logged in to a server, and what with. */
export interface Login {
  readonly server: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly subject?: Subject | undefined;
  /** What was granted, where the issuer says so; otherwise what was asked for. */
  readonly scopes: readonly string[];
  /** When the token ends, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  /** Nobody has to log in again when it ends. */
  readonly renewable: boolean;
  /** Where the tokens are kept. */
  readonly place: string;
}

/** Lets the requests to one server in: the `auth` of an HTTP client, and what people do about logins. */
export interface Authorizer {
  /** What a request must say to be let in, as far as that is known. */
  headers(request: AuthRequest): MaybePromise<Readonly<Record<string, string>>>;
  /** Does what can be done about a refusal. Rejects when a person would have to be asked and cannot be. */
  challenged(challenge: AuthChallenge): Promise<'retry' | 'give up'>;
  /** Logs in now, whatever was kept; asks for the scopes beside what the server wants. */
  login(options?: { readonly scopes?: readonly string[] | undefined }): Promise<Login>;
  /** Forgets the tokens, here and, if it takes that, at the issuer; says whether there were any. */
  logout(): Promise<boolean>;
  /** Who is logged in, without asking anybody. */
  whoami(): Promise<Login | undefined>;
  /** Of which accounts logins are kept for this server, beside that of its own user. */
  accounts(): Promise<readonly string[]>;
  /** What stands between here and being let in, step by step, up to the first that fails; nobody is asked to log in. */
  examine(): Promise<readonly LoginStep[]>;
}

/** Makes what lets the requests to a server in; nothing is asked of anybody before a request is refused. */
export function createAuthorizer(options: AuthorizerOptions): Authorizer {
  const keeper = new TokenKeeper(options);
  const { setup } = keeper;
  return {
    headers: (request) => keeper.headers(request),
    challenged: (challenge) => keeper.challenged(challenge),
    login: async ({ scopes } = {}) => {
      const { status, demand: said } = await probe(setup);
      const resourceMetadata = said?.resourceMetadata;
      const demand = { error: undefined, resourceMetadata, scopes: unionOf(said?.scopes, scopes) };
      if (status !== 401) await assertProtected(setup);
      return describe(setup, await keeper.obtain(demand));
    },
    logout: async () => {
      await keeper.load();
      const { kept } = keeper;
      await keeper.forget();
      if (kept !== undefined) await revoke(setup, kept);
      return kept !== undefined;
    },
    whoami: async () => {
      await keeper.load();
      return keeper.kept && describe(setup, keeper.kept);
    },
    accounts: () => accountsIn(options.store, setup.server.href),
    examine: async () => {
      await keeper.load();
      return examine(setup, keeper.kept);
    },
  };
}

/** A server that takes everybody may still say who issues tokens for it. */
async function assertProtected({ fetch, server, name }: Setup): Promise<void> {
  if ((await findResource(fetch, server, undefined)) !== undefined) return;
  throw new KitError('capability_missing', `${name} does not ask anybody to log in`, {
    hint: 'It can be used as it is, or wants something else, such as a key in a header.',
  });
}

function describe({ server, options }: Setup, kept: Credentials): Login {
  const { issuer, client, subject, scopes, asked, expiresAt } = kept;
  return {
    server: server.href,
    issuer,
    clientId: client.id,
    subject,
    scopes: scopes ?? asked ?? [],
    expiresAt,
    renewable: kept.refreshToken !== undefined,
    place: options.store.place,
  };
}

/** Tells the issuer that tokens are no longer needed (RFC 7009). They are forgotten here already: no failure undoes that. */
async function revoke(setup: Setup, kept: Credentials): Promise<void> {
  const { name, logger, fetch } = setup;
  try {
    const issuer = await issuerOf(setup, kept);
    if (issuer.metadata.revocation_endpoint === undefined) return;
    const { revocationRequest, processRevocationResponse } = await oauth();
    const client = clientOf(setup, kept.client);
    const proof = await clientAuthOf(client, issuer);
    const us = { client_id: client.id };
    const token = kept.refreshToken ?? kept.accessToken;
    const ways = await sendOptions(fetch);
    const answer = await revocationRequest(issuer.metadata, us, proof, token, ways);
    await processRevocationResponse(answer);
  } catch (error) {
    const reason = error instanceof KitError ? error.message : String(error);
    logger.warn(`${name}: the tokens are forgotten here, but were not revoked: ${reason}`);
  }
}
