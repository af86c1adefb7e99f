import { Buffer } from 'node:buffer';
import { canonicalJson, crypto, keysFrom, KitError, type Keys } from '#base';

/** What a plan token is for: this tool, these arguments, this caller. */
export interface PlanBinding {
  readonly tool: string;
  readonly args: unknown;
  readonly principal: string | undefined;
}

/** A token that is what it claims to be; whether the state is still the same is for `matches` to say. */
export interface OpenedToken {
  /** What the names in the plan were derived from. */
  readonly nonce: string;
  readonly expiresMs: number;
  /** Whether the token was made for a plan with this digest. */
  matches(planDigest: string): boolean;
}

/** Makes tokens that stand for one plan, and recognises them again. */
export interface PlanTokens {
  newNonce(): string;
  seal(plan: { readonly binding: PlanBinding; readonly nonce: string; readonly digest: string }): {
    readonly token: string;
    readonly expiresAt: string;
  };
  /** Nothing for a token that was changed, or made for something or somebody else. */
  open(token: string, binding: PlanBinding): OpenedToken | 'expired' | undefined;
}

export interface PlanTokenOptions {
  /** 32-byte keys, or what has them at any moment: the first seals, all open. Without any plans end with the process. */
  readonly keys?: Keys | undefined;
  /** How long a plan may be applied; ten minutes. */
  readonly ttlMs?: number | undefined;
  readonly now?: (() => number) | undefined;
}

// nonce, expiry in seconds, digest of the plan, seal: 48 characters of base64url, short enough for a model to repeat
const nonceBytes = 8;
const expiryBytes = 4;
const digestBytes = 8;
const sealBytes = 16;
const bodyBytes = nonceBytes + expiryBytes + digestBytes;
const prefix = 'plan_';
const longestTtlMs = 365 * 24 * 60 * 60_000;

/** Tokens that carry all they need: no store is involved, and every process with the same keys knows them. */
export function createPlanTokens(options: PlanTokenOptions = {}): PlanTokens {
  const { ttlMs = 10 * 60_000, now = Date.now } = options;
  if (!(ttlMs > 0 && ttlMs <= longestTtlMs)) {
    throw new KitError(
      'invalid_argument',
      `plans: ttlMs must be from 1 ms to a year, not ${ttlMs}`,
    );
  }
  const keys = keysFrom(options.keys, 'plan');

  return {
    newNonce: () => crypto().randomBytes(nonceBytes).toString('base64url'),
    seal({ binding, nonce, digest }) {
      const [key = Buffer.alloc(0)] = keys();
      const expiresS = Math.ceil((now() + ttlMs) / 1000);
      const body = Buffer.alloc(bodyBytes);
      body.write(nonce, 'base64url');
      body.writeUInt32BE(expiresS, nonceBytes);
      sealOf(key, `plan ${digest}`).copy(body, nonceBytes + expiryBytes, 0, digestBytes);
      const seal = sealOf(key, bound(body, binding)).subarray(0, sealBytes);
      const token = prefix + Buffer.concat([body, seal]).toString('base64url');
      return { token, expiresAt: new Date(expiresS * 1000).toISOString() };
    },
    open(token, binding) {
      const bytes = Buffer.from(token.slice(prefix.length), 'base64url');
      // Decoding forgives stray characters; a seal must not.
      if (prefix + bytes.toString('base64url') !== token) return undefined;
      if (bytes.length !== bodyBytes + sealBytes) return undefined;
      const body = bytes.subarray(0, bodyBytes);
      const claimed = bytes.subarray(bodyBytes);
      const isOurs = (key: Uint8Array): boolean => {
        const seal = sealOf(key, bound(body, binding)).subarray(0, sealBytes);
        return crypto().timingSafeEqual(seal, claimed);
      };
      const key = keys().find(isOurs);
      if (key === undefined) return undefined;
      const expiresMs = body.readUInt32BE(nonceBytes) * 1000;
      if (expiresMs <= now()) return 'expired';
      const expected = body.subarray(nonceBytes + expiryBytes);
      return {
        nonce: body.subarray(0, nonceBytes).toString('base64url'),
        expiresMs,
        matches: (digest) =>
          sealOf(key, `plan ${digest}`).subarray(0, digestBytes).equals(expected),
      };
    },
  };
}

function sealOf(key: Uint8Array, text: string): Buffer {
  return crypto().createHmac('sha256', key).update(text).digest();
}

function bound(body: Buffer, { tool, args, principal }: PlanBinding): string {
  return `token ${body.toString('base64url')} ${canonicalJson([tool, principal ?? null, args])}`;
}
