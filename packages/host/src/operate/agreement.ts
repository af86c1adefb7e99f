import {
  canonicalJson,
  crypto,
  describeError,
  KitError,
  pause,
  unref,
  type KeyRing,
  type Logger,
  type RingMarks,
} from 'mcp-kit/internal';
import type { Store } from 'mcp-kit/store';
import type { ServerSettings } from './settings.ts';

/** What a process says of itself to others that have its store open. */
interface Card {
  readonly generation: number;
  /** What must be alike, as digests: there may be secrets in it. */
  readonly settings: Readonly<Record<string, string>>;
  readonly keys: RingMarks | null;
  /** How often it was said: whoever says it again is there. */
  readonly beat: number;
}

/** What a process serves, and how. */
export interface Agreeing {
  readonly store: Store;
  readonly keys: KeyRing | undefined;
  readonly settings: ServerSettings;
  /** The name of what is served. */
  readonly serves: string;
  readonly logger: Logger;
  /** How long a process is taken to be there that says nothing; 15 seconds. */
  readonly leaseMs?: number | undefined;
}

const usualLeaseMs = 15_000;
const prefix = 'member/';

/**
 * Enters this process among those that have its store open, and refuses where one of them is configured otherwise: clients would
 * be served now like this and now like that. What it gives back leaves again.
 */
export async function joinOthers(agreeing: Agreeing): Promise<() => Promise<void>> {
  const { store, logger, leaseMs = usualLeaseMs } = agreeing;
  const { kv } = store;
  const at = prefix + crypto().randomUUID();
  let said: string | undefined;
  let beat = 0;
  const say = async (): Promise<void> => {
    beat += 1;
    const text = JSON.stringify({ ...cardOf(agreeing), beat });
    const isSaid = await kv.cas(at, said, text, { ttlMs: leaseMs });
    // Whoever was away for too long enters again.
    said = isSaid ? text : undefined;
    if (!isSaid) await say();
  };
  const leave = async (): Promise<void> => {
    await kv.cas(at, said, undefined);
  };
  await say();
  try {
    await untilAllAgree(agreeing, at);
  } catch (error) {
    await leave();
    throw error;
  }
  const timer = setInterval(() => {
    say().catch((error: unknown) => {
      logger.error('other processes cannot be told of this one', { error: describeError(error) });
    });
  }, leaseMs / 3);
  unref(timer);
  return async () => {
    clearInterval(timer);
    await leave().catch(() => undefined);
  };
}

/** Throws where one that does not agree says again that it is there; one that was killed lapses. */
async function untilAllAgree(agreeing: Agreeing, own: string): Promise<void> {
  const { store, logger, leaseMs = usualLeaseMs } = agreeing;
  const { kv } = store;
  const beats = new Map<string, number>();
  for (let isWaiting = true; isWaiting;) {
    isWaiting = false;
    for (const at of await kv.list(prefix)) {
      const text = at === own ? undefined : await kv.get(at);
      if (text === undefined) continue;
      const card = JSON.parse(text) as Card;
      const why = disagreement(cardOf(agreeing), card);
      if (why === undefined) continue;
      if (card.beat !== (beats.get(at) ?? card.beat)) throw refused(why);
      if (!beats.has(at)) logger.warn('another process does not fit; is it still there?', { why });
      beats.set(at, card.beat);
      isWaiting = true;
    }
    if (isWaiting) await pause(leaseMs / 10);
  }
}

function refused(why: string): KitError {
  return new KitError('invalid_config', `another process with this store does not fit: ${why}`, {
    hint: 'Configure all of them alike. To change them one after the other, raise generation in the server section; what has nothing to do with the others needs a store of its own.',
  });
}

/** Why two processes must not serve as one. */
function disagreement(own: Omit<Card, 'beat'>, other: Card): string | undefined {
  if (!fits(own.keys, other.keys)) return 'it has other keys (--keys)';
  if (own.generation > other.generation) return undefined;
  if (own.generation < other.generation) {
    return `it is of generation ${other.generation}, and this one of ${own.generation}`;
  }
  const names = Object.keys({ ...own.settings, ...other.settings });
  const unlike = names.filter((name) => own.settings[name] !== other.settings[name]);
  return unlike.length === 0 ? undefined : `it has another ${unlike.join(', ')}`;
}

/** Whether each opens what the other seals. */
function fits(own: RingMarks | null, other: RingMarks | null): boolean {
  if (own === null || other === null) return own === other;
  return [own.seals, other.seals].every((kid) => {
    return own.opens[kid] !== undefined && own.opens[kid] === other.opens[kid];
  });
}

function cardOf({ settings, serves, keys }: Agreeing): Omit<Card, 'beat'> {
  const { path = '/mcp', publicUrl, auth, sessions, generation = 0 } = settings;
  const alike = { server: serves, path, publicUrl, auth, sessions };
  const digests = Object.entries(alike)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, digestOf(value)]);
  return { generation, settings: Object.fromEntries(digests), keys: keys?.marks() ?? null };
}

function digestOf(value: unknown): string {
  return crypto().hash('sha256', canonicalJson(value), 'base64url').slice(0, 16);
}
