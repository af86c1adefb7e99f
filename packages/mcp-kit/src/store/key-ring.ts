import {
  describeError,
  files,
  KitError,
  keysIn,
  marksOf,
  newRing,
  parseRing,
  replaceFile,
  ringText,
  rotateRing,
  shownRing,
  silentLogger,
  unref,
  whileLocked,
  whileWriting,
  type KeyPurpose,
  type Logger,
  type RingMarks,
  type ShownKey,
} from '#base';
import type { Values } from './store.ts';

/** Keys for what clients carry, the same in every process that has the ring. */
export interface KeyRing {
  /** What has the keys for a purpose at any moment: the first seals, all open. */
  keys(purpose: KeyPurpose): () => readonly Uint8Array[];
  /** What tells rings apart that do not fit each other. */
  marks(): RingMarks;
  /** Which keys there are, and what each does now; never what they are. */
  list(): readonly ShownKey[];
  /** Adds a key that seals five minutes from now; the former opens what it has sealed for a week. */
  rotate(): Promise<void>;
  /** Reads it again; what cannot be read stays as it was. */
  refresh(): Promise<void>;
  /** Reads it no more. */
  close(): void;
}

/** Where a ring is written down. */
interface RingPlace {
  readonly name: string;
  read(): Promise<string>;
  /** Writes, unless it is another one by now. */
  swap(before: string, after: string): Promise<boolean>;
}

const refreshMs = 60_000;
/** What is derived of a ring is derived again: a key may have begun, or lapsed. */
const derivedMs = 1000;

/**
 * Opens the ring of a file, or the one that a store keeps, which is made by whoever asks first. It is read again each minute, so
 * that keys can be changed while processes run.
 */
export async function openKeyRing(
  place: string | { readonly kv: Values },
  { logger = silentLogger }: { readonly logger?: Logger | undefined } = {},
): Promise<KeyRing> {
  const { name, read, swap } = typeof place === 'string' ? inFile(place) : inStore(place.kv);
  let ring = parseRing(await read(), name);
  const derived = new Map<KeyPurpose, { readonly untilMs: number; readonly keys: Uint8Array[] }>();
  const refresh = async (): Promise<void> => {
    ring = parseRing(await read(), name);
    derived.clear();
  };
  const timer = setInterval(() => {
    refresh().catch((error: unknown) => {
      logger.error('keys cannot be read again', { error: describeError(error) });
    });
  }, refreshMs);
  unref(timer);
  return {
    keys: (purpose) => () => {
      const nowMs = Date.now();
      const known = derived.get(purpose);
      if (known !== undefined && nowMs < known.untilMs) return known.keys;
      const keys = [...keysIn(ring, purpose, nowMs)];
      derived.set(purpose, { keys, untilMs: nowMs + derivedMs });
      return keys;
    },
    marks: () => marksOf(ring, Date.now()),
    list: () => shownRing(ring, Date.now()),
    async rotate() {
      for (let isDone = false; !isDone;) {
        const text = await read();
        isDone = await swap(text, ringText(rotateRing(parseRing(text, name), Date.now())));
      }
      await refresh();
    },
    refresh,
    close: () => clearInterval(timer),
  };
}

function inFile(file: string): RingPlace {
  const wrong = (why: string, hint: string, cause?: unknown): KitError =>
    new KitError('invalid_config', `the keys in ${file} ${why}`, { hint, cause });
  const read = async (): Promise<string> => {
    const handle = await files()
      .open(file)
      .catch((cause: unknown) => {
        throw wrong('cannot be read', `Make them: mcpctl keys new ${file}`, cause);
      });
    try {
      const { mode } = await handle.stat();
      if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
        throw wrong(
          'can be read by others',
          `Whoever has seen them can forge tokens. Make new ones, or: chmod 600 ${file}`,
        );
      }
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  };
  const swap = (before: string, after: string): Promise<boolean> =>
    whileLocked(`${file}.lock`, async () => {
      if ((await read()) !== before) return false;
      await whileWriting(file, () => replaceFile(file, after, 0o600));
      return true;
    });
  return { name: file, read, swap };
}

function inStore(kv: Values): RingPlace {
  const at = 'secret/ring';
  const read = async (): Promise<string> => {
    const found = await kv.get(at);
    if (found !== undefined) return found;
    await kv.cas(at, undefined, ringText(newRing(Date.now())));
    const kept = await kv.get(at);
    if (kept !== undefined) return kept;
    throw new KitError('unreachable', 'the store keeps no keys');
  };
  const swap = async (before: string, after: string): Promise<boolean> => kv.cas(at, before, after);
  return { name: 'the store', read, swap };
}
