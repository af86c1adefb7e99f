import { openRecorder } from '../bridge/wires.ts';
import { createLogBook } from '../control/log-book.ts';
import type { Globals } from '../globals.ts';
import { stderrPrinter } from '../logs.ts';
import type { Run } from '../open.ts';
import { maskSecrets } from '../terminal/secrets.ts';
import type { Overheard } from './run.ts';

/** What is heard of the servers of a gateway, and what their manager is told for that. */
export interface Overhearing extends Overheard {
  readonly more: NonNullable<Run['more']>;
  /** Settles when all that was heard is written. */
  close(): Promise<void>;
}

/**
 * Keeps what servers say beside their answers and, where that is wanted, all that crosses: in a file, for a console, or both.
 */
export async function overhear(
  globals: Globals,
  { record, isWatched }: { readonly record: string | undefined; readonly isWatched: boolean },
): Promise<Overhearing> {
  const book = createLogBook();
  const watched = isWatched ? (await import('../console/watched.ts')).watchAll(book) : undefined;
  const recorder = record === undefined ? undefined : await openRecorder(record);
  const show = stderrPrinter(globals);
  const more: Overhearing['more'] = {
    // A lost server is wanted again, and nobody at this terminal answers for the clients.
    reconnect: true,
    inputs: undefined,
    onChange: undefined,
    onStderr(server, text) {
      book.add(server, 'stderr', text);
      show?.(server, text);
    },
    onUnreadable: (server, { reason, sample = '' }) =>
      book.add(server, 'output', `${reason}: ${sample}`),
  };
  const close = async (): Promise<void> => recorder?.close();
  if (recorder === undefined && watched === undefined) {
    return { book, watched, more, onMessage: undefined, close };
  }
  const onMessage: Overheard['onMessage'] = (server, crossing) => {
    watched?.crossed(server, crossing);
    const { side, direction, message, conversation } = crossing;
    if (side !== 'server') return;
    recorder?.write({ server, conversation, side, direction, message: maskSecrets(message) });
  };
  return {
    book,
    watched,
    more: {
      ...more,
      // The lists of the gateway itself.
      onTrace: (server, ...[direction, message, conversation]) =>
        onMessage(server, { side: 'server', direction, message, conversation }),
    },
    onMessage,
    close,
  };
}
