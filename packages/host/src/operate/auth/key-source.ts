import type { CryptoKey, FlattenedJWSInput, JSONWebKeySet, JWSHeaderParameters } from 'jose';
import { KitError, type Logger } from 'mcp-kit/internal';
import type { Fetch } from 'mcp-kit/auth';

/** Finds the key that signed a token. */
export type FindKey = (
  header: JWSHeaderParameters | undefined,
  token: FlattenedJWSInput,
) => Promise<CryptoKey>;

export interface KeySourceOptions {
  readonly fetch: Fetch;
  /** Where the keys are; asked again after it failed. */
  readonly locate: () => Promise<string>;
  readonly logger: Logger;
}

/** Keys are got anew after this. */
const maxAgeMs = 10 * 60_000;
/** A key that is not there is not asked for more often than this. */
const cooldownMs = 30_000;
/** After a failure the issuer is left alone for this long. */
const pauseMs = 1000;

/** The keys of an issuer: kept, got anew when they are old or when one is missing, and used on when that fails. */
export class KeySource {
  readonly #options: KeySourceOptions;
  #find: FindKey | undefined;
  #gotMs = -Infinity;
  #failedMs = -Infinity;
  #failure: unknown;
  /** When a key was last missing. */
  #missedMs = -Infinity;
  #getting: Promise<void> | undefined;

  constructor(options: KeySourceOptions) {
    this.#options = options;
  }

  /** Why tokens cannot be checked now. */
  reasons(): readonly string[] {
    if (this.#find !== undefined) return [];
    // Whoever hears that this server is not ready sends no token that would have the keys got.
    this.refresh().catch(() => {});
    return ['the keys of the issuer are not known'];
  }

  readonly find: FindKey = async (header, token) => {
    const refreshed = performance.now() - this.#gotMs > maxAgeMs ? this.refresh() : undefined;
    // Whoever has keys goes on with them meanwhile.
    if (this.#find === undefined) await refreshed;
    else refreshed?.catch(() => {});
    const find = this.#find;
    if (find === undefined) throw new KitError('unreachable', 'the issuer has no keys');
    try {
      return await find(header, token);
    } catch (error) {
      if (!isNoMatch(error) || performance.now() - this.#missedMs < cooldownMs) throw error;
      this.#missedMs = performance.now();
      await this.refresh().catch(() => {});
      return (this.#find ?? find)(header, token);
    }
  };

  /** Gets the keys, once for all who ask at the same time. */
  async refresh(): Promise<void> {
    if (performance.now() - this.#failedMs < pauseMs) throw this.#failure;
    this.#getting ??= this.#get()
      .catch((cause: unknown) => {
        this.#failedMs = performance.now();
        this.#failure = cause;
        this.#options.logger.warn('the keys of the issuer cannot be got', { error: String(cause) });
        throw cause;
      })
      .finally(() => {
        this.#getting = undefined;
      });
    await this.#getting;
  }

  async #get(): Promise<void> {
    const { fetch, locate } = this.#options;
    const url = await locate();
    const answer = await fetch(url, { headers: { accept: 'application/json' } });
    if (answer.status !== 200) {
      throw new KitError('http_status', `${url}: HTTP ${answer.status} instead of keys`);
    }
    const { createLocalJWKSet } = await import('jose');
    // The library checks that it is a set of keys.
    const set = createLocalJWKSet((await answer.json()) as JSONWebKeySet);
    this.#find = (header, token) => set(header, token);
    this.#gotMs = performance.now();
  }
}

function isNoMatch(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_JWKS_NO_MATCHING_KEY';
}
