import { randomBytes, timingSafeEqual } from 'node:crypto';

/** Lets browsers in that were given the one link, and knows them again. */
export interface Sessions {
  /** A word that lets one browser in, once. */
  issue(): string;
  /** Takes such a word; gives the cookie of who brought it. */
  enter(token: string): string | undefined;
  isKnown(cookie: string | undefined): boolean;
}

/** A link that nobody has followed for so long leads nowhere. */
const tokenMs = 10 * 60_000;
/** The first browser that came is forgotten where there are more. */
const maxSessions = 32;

export function createSessions(now: () => number = () => performance.now()): Sessions {
  const issued = new Map<string, number>();
  const known = new Set<string>();
  return {
    issue() {
      for (const [token, atMs] of issued) if (now() - atMs > tokenMs) issued.delete(token);
      const token = secret();
      issued.set(token, now());
      return token;
    },
    enter(token) {
      const atMs = [...issued].find(([one]) => isSame(one, token))?.[1];
      issued.delete(token);
      if (atMs === undefined || now() - atMs > tokenMs) return undefined;
      const cookie = secret();
      known.add(cookie);
      const [oldest = ''] = known;
      if (known.size > maxSessions) known.delete(oldest);
      return cookie;
    },
    isKnown: (cookie) => cookie !== undefined && [...known].some((one) => isSame(one, cookie)),
  };
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares in a time that does not say how much is equal. */
function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
