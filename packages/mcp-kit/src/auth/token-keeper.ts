import { KitError, type KitErrorCode, type MaybePromise } from '#base';
import { demandOf, unionOf, type Demand } from './challenge.ts';
import { isSame, nameOf, type Credentials } from './credentials.ts';
import { needsPerson, needsScopes, notAccepted } from './failures.ts';
import { forgetClient, logInByBrowser } from './grants/browser.ts';
import { logInByDevice } from './grants/device.ts';
import { getTokensAlone, isForMachines } from './grants/machine.ts';
import { canRefresh, refresh } from './grants/refresh.ts';
import type { Issuer } from './issuer.ts';
import { oauthErrorOf } from './oauth.ts';
import { setupOf, type AuthorizerOptions, type Setup } from './options.ts';
import { proofKeyOf, type ProofKey } from './proof.ts';
import { assess, issuerOf, type Situation } from './situation.ts';

/** Headers by name. */
type Headers = Readonly<Record<string, string>>;

/** A request that is about to be sent. */
export interface AuthRequest {
  readonly method: string;
  readonly url: string;
}

/** A refusal of a request, 401 or 403. */
export interface AuthChallenge extends AuthRequest {
  readonly status: number;
  readonly wwwAuthenticate: string | undefined;
  readonly dpopNonce?: string | undefined;
  /** What `headers` gave for the request. */
  readonly sent: Readonly<Record<string, string>>;
}

/** A request that was not let in. */
interface Refused {
  /** What it showed. */
  readonly token: string | undefined;
  readonly demand: Demand | undefined;
  /** Whether a person may be asked because of it. */
  readonly mayAsk: boolean;
}

/** A token counts as ended this long before it ends, as the request has to arrive with it; but not for most of its life. */
const marginMs = 10_000;
const marginOfLife = 0.2;
/** A token that is refused within this is not refused because it is old. */
const freshMs = 60_000;
/** How it looks when a person refuses, or is not there. */
const refusalCodes: ReadonlySet<KitErrorCode> = new Set(['unauthorized', 'timeout']);

/** Keeps the tokens for one server: shows them, renews them, and gets others when they are refused. */
export class TokenKeeper {
  readonly setup: Setup;
  readonly #origin: string;
  #kept: Credentials | undefined;
  #loading: Promise<void> | undefined;
  #isLoaded = false;
  /** One recovery at a time; whoever comes later waits for it. */
  #recovering: { readonly promise: Promise<void>; readonly mayAsk: boolean } | undefined;
  /** Wishes for more that led to nothing. */
  readonly #refusedScopes = new Set<string>();
  /** Why the person could not be logged in when asked last. */
  #lastRefusal: { readonly error: KitError; readonly at: number } | undefined;
  #proofKey: ProofKey | undefined;
  #nonce: string | undefined;
  /** The token that a refresh gave because another was refused. */
  #secondChance: string | undefined;

  constructor(options: AuthorizerOptions) {
    this.setup = setupOf(options);
    this.#origin = `${this.setup.server.origin}/`;
  }

  /** What a request must say to be let in, as far as that is known. */
  headers(request: AuthRequest): MaybePromise<Headers> {
    // A stream may be elsewhere: what lets us in here is not shown there.
    if (!request.url.startsWith(this.#origin)) return {};
    if (!this.#isLoaded) return this.load().then(() => this.headers(request));
    const kept = this.#kept;
    if (kept === undefined) return {};
    if (!isEnding(kept) || !(canRefresh(kept) || isForMachines(this.setup.grant))) {
      return this.#show(kept, request);
    }
    return this.#renewInTime(kept).then(() => this.#show(this.#kept, request));
  }

  /** Does what can be done about a refusal. Rejects when a person would have to be asked and cannot be. */
  async challenged(challenge: AuthChallenge): Promise<'retry' | 'give up'> {
    const { status } = challenge;
    if (!challenge.url.startsWith(this.#origin)) return 'give up';
    const demand = demandOf(challenge.wwwAuthenticate);
    if (this.#noteNonce(challenge) && demand?.error === 'use_dpop_nonce') return 'retry';
    const token = tokenIn(challenge.sent);
    if (this.#kept !== undefined && token !== this.#kept.accessToken) return 'retry';
    if (status === 403 && demand?.error !== 'insufficient_scope') return 'give up';
    // A stream that is opened again and again must not ask the person again and again.
    const mayAsk = challenge.method === 'POST' || token === undefined;
    const refused = { token, demand, mayAsk };
    await this.#alone(mayAsk, () =>
      status === 403 ? this.#stepUp(refused) : this.#recover(refused),
    );
    return this.#kept === undefined || this.#kept.accessToken === token ? 'give up' : 'retry';
  }

  /** Remembers what the server wants to see in the next proof; says whether the last one lacked it. */
  #noteNonce({ dpopNonce, sent }: AuthChallenge): boolean {
    if (dpopNonce === undefined || dpopNonce === this.#nonce) return false;
    this.#nonce = dpopNonce;
    return 'dpop' in sent;
  }

  /** Reads what is kept, as others may have changed it. */
  async load(): Promise<void> {
    this.#loading ??= (async () => {
      try {
        this.#kept = await this.setup.saved.read();
        this.#isLoaded = true;
      } finally {
        this.#loading = undefined;
      }
    })();
    return this.#loading;
  }

  get kept(): Credentials | undefined {
    return this.#kept;
  }

  /** Gets tokens as if there were none, and keeps them. */
  async obtain(demand: Demand | undefined): Promise<Credentials> {
    await this.load();
    this.#lastRefusal = undefined;
    this.#refusedScopes.clear();
    const credentials = await this.#get(await assess(this.setup, demand, this.#kept));
    await this.#keep(credentials);
    return credentials;
  }

  async forget(): Promise<void> {
    await this.setup.saved.remove();
    this.#kept = undefined;
  }

  /** Runs unless something of the kind is under way, which is waited for instead. */
  async #alone(mayAsk: boolean, run: () => Promise<void>): Promise<void> {
    const other = this.#recovering;
    if (other !== undefined && mayAsk && !other.mayAsk) {
      // It may fail for want of what we may do.
      await other.promise.catch(() => {});
      return this.#alone(mayAsk, run);
    }
    if (other !== undefined) return other.promise;
    const promise = run().finally(() => {
      this.#recovering = undefined;
    });
    this.#recovering = { promise, mayAsk };
    return promise;
  }

  #show(kept: Credentials | undefined, { method, url }: AuthRequest): Headers {
    if (kept === undefined) return {};
    const { accessToken, tokenType, key } = kept;
    if (tokenType === 'bearer' || key === undefined) {
      return { authorization: `Bearer ${accessToken}` };
    }
    if (this.#proofKey?.jwk !== key) this.#proofKey = proofKeyOf(key);
    const proof = this.#proofKey.prove({ method, url, accessToken, nonce: this.#nonce });
    return { authorization: `DPoP ${accessToken}`, dpop: proof };
  }

  /** Renews what is about to end. Where that fails, what is there must do: the server says what it thinks of it. */
  async #renewInTime(kept: Credentials): Promise<void> {
    try {
      await this.#alone(false, () => this.#renew(kept));
    } catch (error) {
      this.setup.logger.warn(`${this.setup.name}: ${String(error)}`);
      if (oauthErrorOf(error) === undefined && isOver(kept)) throw error;
    }
  }

  /** Refreshes, unless another process has: the refresh token may be good only once. */
  async #renew(kept: Credentials): Promise<void> {
    if (!canRefresh(kept)) {
      await this.#recover({ token: kept.accessToken, demand: undefined, mayAsk: false });
      return;
    }
    await this.#exclusively(async () => {
      if (await this.#adopt(kept.accessToken)) return;
      await this.#refresh(this.#kept ?? kept, await issuerOf(this.setup, this.#kept ?? kept));
    });
  }

  /** Takes what another process has put there meanwhile; false when it is still what was refused. */
  async #adopt(refused: string | undefined): Promise<boolean> {
    this.#kept = await this.setup.saved.read();
    return this.#kept !== undefined && this.#kept.accessToken !== refused && !isEnding(this.#kept);
  }

  /** Tries the refresh token. False when it is no longer good, and then it is no longer kept. */
  async #refresh(kept: Credentials, issuer: Issuer): Promise<boolean> {
    const { saved } = this.setup;
    try {
      const renewed = await refresh(this.setup, kept, issuer);
      this.#kept = await saved.replace(kept, renewed);
      return true;
    } catch (error) {
      const code = oauthErrorOf(error);
      if (code !== 'invalid_grant' && code !== 'invalid_client' && code !== 'unauthorized_client') {
        throw error;
      }
      // Somebody who does not know of our locks may have used it before us.
      const now = await saved.read();
      if (now !== undefined && !isSame(now, kept)) {
        this.#kept = now;
        return true;
      }
      if (code !== 'invalid_grant') await forgetClient(this.setup, kept.issuer);
      this.#kept = await saved.replace(kept, undefined);
      return false;
    }
  }

  /** After 401: what another process has got, else what a refresh gives, else what a login gives. */
  async #recover({ token, demand, mayAsk }: Refused): Promise<void> {
    const isDone = await this.#exclusively(async () => {
      if (await this.#adopt(token)) return true;
      const kept = this.#kept;
      if (kept === undefined && !this.#canObtain(mayAsk)) {
        throw needsPerson(this.setup, demand?.resourceMetadata === undefined);
      }
      const situation = await assess(this.setup, demand, kept);
      if (await this.#tryRefresh(kept, situation)) return true;
      if (!isForMachines(this.setup.grant)) return situation;
      await this.#keep(await getTokensAlone(this.setup, situation));
      return true;
    });
    if (isDone === true) return;
    if (!mayAsk) throw needsPerson(this.setup);
    await this.#ask(isDone);
  }

  async #tryRefresh(kept: Credentials | undefined, situation: Situation): Promise<boolean> {
    const { issuer, resource } = situation;
    // What was good for something else is of no use here.
    if (kept?.issuer !== issuer.name || kept.resource !== resource) return false;
    const isFresh = Date.now() - kept.obtainedAt < freshMs && !isEnding(kept);
    const hadItsChance = isFresh && this.#secondChance === kept.accessToken;
    if (canRefresh(kept) && !hadItsChance) {
      const isRenewed = await this.#refresh(kept, issuer);
      if (isRenewed) this.#secondChance = this.#kept?.accessToken;
      return isRenewed;
    }
    // Another login would give another token of the same kind.
    if (isFresh) throw notAccepted(this.setup.name, issuer.name);
    return false;
  }

  /** After 403: the scopes that were asked for so far, and those that are wanted now. */
  async #stepUp({ token, demand, mayAsk }: Refused): Promise<void> {
    const { name, logger } = this.setup;
    const before = await this.setup.saved.read();
    this.#kept = before;
    if (before !== undefined && before.accessToken !== token) return;
    const had = unionOf(before?.asked, before?.scopes) ?? [];
    const missing = (demand?.scopes ?? []).filter((scope) => !had.includes(scope));
    const wish = [...missing].sort().join(' ');
    // It was asked for, and either not granted or not enough.
    if (missing.length === 0 || this.#refusedScopes.has(wish)) return;
    if (!this.#canObtain(mayAsk)) throw needsScopes(this.setup, missing);
    logger.info(`${name} wants more: ${wish}`);
    this.#refusedScopes.add(wish);
    await this.#ask(await assess(this.setup, demand, before));
  }

  /** Gets tokens, but does not ask a person again who has just said no. */
  async #ask(situation: Situation): Promise<void> {
    const last = this.#lastRefusal;
    if (last !== undefined && performance.now() - last.at < freshMs) throw last.error;
    try {
      await this.#keep(await this.#get(situation));
    } catch (error) {
      const isNo = error instanceof KitError && refusalCodes.has(error.code);
      if (isNo && !isForMachines(this.setup.grant)) {
        this.#lastRefusal = { error, at: performance.now() };
      }
      throw error;
    }
  }

  #get(situation: Situation): Promise<Credentials> {
    const { grant } = this.setup;
    this.setup.issuers.set(situation.issuer.name, situation.issuer);
    if (isForMachines(grant)) return getTokensAlone(this.setup, situation);
    return grant.kind === 'device'
      ? logInByDevice(this.setup, situation)
      : logInByBrowser(this.setup, situation);
  }

  /** Keeps what was got, and shows it from now on. */
  async #keep(credentials: Credentials): Promise<void> {
    await this.setup.saved.write(credentials);
    this.#kept = credentials;
    this.#isLoaded = true;
  }

  /** While no other process does the same for this server. */
  #exclusively<T>(run: () => Promise<T>): Promise<T> {
    const { options, server } = this.setup;
    const { store, account, signal } = options;
    return store.exclusively(`renew ${nameOf(server.href, account)}`, run, signal);
  }

  /** Whether new tokens can be got without a person who is not there. */
  #canObtain(mayAsk: boolean): boolean {
    const { grant, options } = this.setup;
    if (isForMachines(grant)) return true;
    if (!mayAsk) return false;
    const { begin, device } = options.interact ?? {};
    return (grant.kind === 'device' ? device : begin) !== undefined;
  }
}

function isEnding({ expiresAt, obtainedAt }: Credentials): boolean {
  if (expiresAt === undefined) return false;
  const margin = Math.min(marginMs, (expiresAt - obtainedAt) * marginOfLife);
  return Date.now() > expiresAt - margin;
}

function isOver({ expiresAt }: Credentials): boolean {
  return expiresAt !== undefined && expiresAt <= Date.now();
}

/** The token of a request. */
function tokenIn(sent: Headers): string | undefined {
  return sent['authorization']?.split(' ')[1];
}
