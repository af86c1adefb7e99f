import { Buffer } from 'node:buffer';
import { KitError } from '../error.ts';
import { crypto } from '../node-modules.ts';

/** A secret of a ring, as it is written down. */
interface RingKey {
  readonly kid: string;
  /** 32 bytes, in base64. */
  readonly key: string;
  /** When it begins to seal; it opens before, so that every process has it by then. */
  readonly from: string;
  /** When it no longer opens anything. */
  readonly until?: string;
}

/** Secrets of which one seals: the newest that has begun. */
export type Ring = readonly RingKey[];

/** What keys are for: what one of them has made, no other opens. */
export type KeyPurpose = 'request-state' | 'plan' | 'session';

/** What a ring is, without its secrets: which of them seals, and a mark of each that opens. */
export interface RingMarks {
  readonly seals: string;
  readonly opens: Readonly<Record<string, string>>;
}

const keyBytes = 32;
/** Every process reads its ring again more often than that. */
const beginsAfterMs = 5 * 60_000;
/** What was sealed is of use for as long as this: sessions that are older begin anew. */
const opensForMs = 7 * 24 * 3_600_000;

/** A ring with one secret, which seals at once. */
export function newRing(nowMs: number): Ring {
  return [newKey(nowMs)];
}

function newKey(fromMs: number): RingKey {
  const bytes = crypto().randomBytes(keyBytes);
  const kid = crypto().randomBytes(4).toString('hex');
  return { kid, key: bytes.toString('base64'), from: new Date(fromMs).toISOString() };
}

/** The ring with a new secret, which seals five minutes from now; the former opens what it has sealed for a week. */
export function rotateRing(ring: Ring, nowMs: number): Ring {
  const pending = ring.find(({ from }) => Date.parse(from) > nowMs);
  if (pending !== undefined) {
    throw new KitError('invalid_argument', `the key ${pending.kid} is still to begin`, {
      hint: `It seals from ${pending.from} on. Rotate again after that.`,
    });
  }
  const fromMs = nowMs + beginsAfterMs;
  const until = new Date(fromMs + opensForMs).toISOString();
  const former = openIn(ring, nowMs).map((key) => ({ until, ...key }));
  return [newKey(fromMs), ...former];
}

/** What still opens something. */
function openIn(ring: Ring, nowMs: number): Ring {
  return ring.filter(({ until }) => until === undefined || Date.parse(until) > nowMs);
}

/** The secrets that open something now, the one that seals first. */
function inOrder(ring: Ring, nowMs: number): Ring {
  const open = openIn(ring, nowMs).toSorted((a, b) => Date.parse(b.from) - Date.parse(a.from));
  const begun = open.filter(({ from }) => Date.parse(from) <= nowMs);
  const pending = open.filter((key) => !begun.includes(key));
  return [...begun, ...pending];
}

/** The keys for a purpose now: the first seals, all open. */
export function keysIn(ring: Ring, purpose: KeyPurpose, nowMs: number): readonly Uint8Array[] {
  return inOrder(ring, nowMs).map((one) => derived(one, purpose));
}

/** What tells rings apart that do not fit each other. */
export function marksOf(ring: Ring, nowMs: number): RingMarks {
  const open = inOrder(ring, nowMs);
  const markOf = (one: RingKey): [string, string] => {
    return [one.kid, Buffer.from(derived(one, 'mark')).toString('base64url').slice(0, 16)];
  };
  return { seals: open[0]?.kid ?? '', opens: Object.fromEntries(open.map(markOf)) };
}

/** What a key does now, without what it is. */
export interface ShownKey extends Omit<RingKey, 'key'> {
  readonly state: 'pending' | 'seals' | 'opens' | 'lapsed';
}

/** The keys of a ring, as they may be shown. */
export function shownRing(ring: Ring, nowMs: number): readonly ShownKey[] {
  const open = inOrder(ring, nowMs);
  return ring.map(({ key: _, ...shown }) => {
    const at = open.findIndex(({ kid }) => kid === shown.kid);
    if (at === -1) return { ...shown, state: 'lapsed' };
    if (at === 0) return { ...shown, state: 'seals' };
    return { ...shown, state: Date.parse(shown.from) > nowMs ? 'pending' : 'opens' };
  });
}

function derived({ key }: RingKey, purpose: string): Uint8Array {
  const secret = Buffer.from(key, 'base64');
  return new Uint8Array(crypto().hkdfSync('sha256', secret, '', `mcp-kit ${purpose}`, keyBytes));
}

/** A ring as text. */
export function ringText(keys: Ring): string {
  return `${JSON.stringify({ keys }, undefined, 2)}\n`;
}

/** Reads the text of a ring; `where` says whose it is. */
export function parseRing(text: string, where: string): Ring {
  const wrong = (why: string): KitError =>
    new KitError('invalid_config', `the keys of ${where} are not usable: ${why}`, {
      hint: 'A ring of keys is made by: mcpctl keys new FILE.',
    });
  let keys: unknown;
  try {
    ({ keys } = Object(JSON.parse(text)) as { readonly keys?: unknown });
  } catch {
    throw wrong('it is not JSON');
  }
  if (!Array.isArray(keys) || !keys.every(isRingKey)) throw wrong('it has no list of keys');
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw wrong('a kid is there twice');
  const nowMs = Date.now();
  const isBegun = openIn(keys, nowMs).some(({ from }) => Date.parse(from) <= nowMs);
  if (!isBegun) throw wrong('none of them is to be used now');
  return keys;
}

function isRingKey(value: unknown): value is RingKey {
  const { kid, key, from, until } = Object(value) as Record<string, unknown>;
  if (typeof kid !== 'string' || typeof key !== 'string' || !isTime(from)) return false;
  const isWhole = Buffer.from(key, 'base64').length === keyBytes;
  return isWhole && /^[\w-]{1,64}$/.test(kid) && (until === undefined || isTime(until));
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && Number.isFinite(Date.parse(value));
}
