import { stat } from 'node:fs/promises';
import { describeError, silentLogger, unref, type Logger } from 'mcp-kit/internal';
import { configError, topOf } from './config/place.ts';
import { filesToLoad, loadConfig, type LoadedConfig, type LoadOptions } from './config/load.ts';

/** What happens when configuration files change. */
export interface ConfigListener {
  changed(config: LoadedConfig): unknown;
  /** A file cannot be read any more; what was read before still counts. */
  failed?(error: Error): unknown;
}

/** Files that are being watched. */
export interface Watching {
  /** Settles when they have been looked at for the first time: what changes from now on is told. */
  readonly ready: Promise<void>;
  close(): void;
}

/** Tells when the files of a configuration change, appear or go away. Looks every second: file systems differ in what they tell. */
export function watchConfig(
  options: LoadOptions,
  listener: ConfigListener,
  {
    everyMs = 1000,
    logger = silentLogger,
  }: { readonly everyMs?: number; readonly logger?: Logger } = {},
): Watching {
  let isBusy = false;
  let isClosed = false;
  const reading = createReading(options);
  const look = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      const config = await reading.next();
      if (config !== undefined && !isClosed) await listener.changed(config);
    } catch (error) {
      if (!isClosed) await complain(error);
    } finally {
      isBusy = false;
    }
  };
  const complain = async (error: unknown): Promise<void> => {
    try {
      await listener.failed?.(error instanceof Error ? error : new Error(String(error)));
    } catch (bug) {
      logger.error('watchConfig: a handler failed', { error: describeError(bug) });
    }
  };
  const ready = look();
  const timer = unref(setInterval(() => void look(), everyMs));
  return {
    ready,
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}

/** Reads again what has changed since it was read last; nothing at first, and nothing when all is the same. */
function createReading(options: LoadOptions): { next(): Promise<LoadedConfig | undefined> } {
  const named = [...new Set(filesToLoad(options))];
  let files: readonly string[] = named;
  let stamps: Stamps | undefined;
  /** Those that had something in them when they were read, and those of them that were gone when it was looked last. */
  let full: readonly string[] = [];
  let gone = '';
  /** Files with mistakes from the beginning are their owner's affair; new mistakes may be half a file. */
  let broken: ReadonlySet<unknown> | undefined;
  return {
    async next() {
      const seen = await stampsOf(files);
      if (stamps !== undefined && isSame(seen, stamps)) return undefined;
      const before = gone;
      gone = full.filter((file) => seen.get(file) === undefined).join('\n');
      // Some programs remove a file before they write it anew: what it said counts until it is gone for longer.
      if (gone !== '' && gone !== before) return undefined;
      const isFirst = broken === undefined;
      stamps = seen;
      const emptied = full.find((file) => seen.get(file)?.size === 0n);
      if (emptied !== undefined) throw isEmpty(emptied);
      const config = await loadConfig(options);
      const mistake = config.errors.find(({ details }) => broken?.has(details?.['file']) === false);
      if (mistake !== undefined) throw mistake;
      if (!isFirst && !isSame(await stampsOf(files), seen)) {
        // Something was written while it was read.
        stamps = undefined;
        return undefined;
      }
      broken = new Set(config.errors.map(({ details }) => details?.['file']));
      // A file may refer to another.
      const linked = [...config.entries, ...config.shadowed].map(
        ({ provenance }) => provenance.file,
      );
      const watched = [...new Set([...named, ...linked])];
      if (watched.join('\n') !== files.join('\n')) stamps = await stampsOf(watched);
      files = watched;
      full = watched.filter((file) => (stamps?.get(file)?.size ?? 0n) > 0n);
      return isFirst ? undefined : config;
    },
  };
}

/** What tells whether a file is another: none where it is not there. */
type Stamps = ReadonlyMap<string, { readonly stamp: string; readonly size: bigint } | undefined>;

async function stampsOf(files: readonly string[]): Promise<Stamps> {
  return new Map(
    await Promise.all(files.map(async (file) => [file, await stampOf(file)] as const)),
  );
}

async function stampOf(file: string): Promise<ReturnType<Stamps['get']>> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return { stamp: `${ino} ${size} ${mtimeNs} ${ctimeNs}`, size };
  } catch {
    return undefined;
  }
}

function isSame(one: Stamps, other: Stamps): boolean {
  return [...one].every(([file, seen]) => seen?.stamp === other.get(file)?.stamp);
}

function isEmpty(file: string): Error {
  return configError(topOf(file), 'is empty now', {
    hint: 'What it said before still counts; remove the file to have nothing of it.',
  });
}
