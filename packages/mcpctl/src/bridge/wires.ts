import { open, type FileHandle } from 'node:fs/promises';
import type { Crossing } from 'mcp-kit/bridge';
import { isRecord } from 'mcp-kit/internal';
import { usageError } from '../args.ts';
import { plainText } from '../terminal/plain-text.ts';
import { maskSecrets } from '../terminal/secrets.ts';
import { columnsOf, createStyle, wantsColor } from '../terminal/style.ts';
import { fit, pad } from '../terminal/width.ts';
import { tell } from '../output.ts';

/** Who hears what crosses the two wires. */
export interface Wires {
  readonly onMessage: ((crossing: Crossing) => void) | undefined;
  /** Settles when all that was heard is written. */
  close(): Promise<void>;
}

/** Shows messages, writes them to a file, or both. */
export async function listenToWires(options: {
  readonly trace: boolean;
  readonly noColor: boolean;
  readonly record: string | undefined;
}): Promise<Wires> {
  const { trace, record } = options;
  const recorder = record === undefined ? undefined : await openRecorder(record);
  const show = trace ? sideBySide(options) : undefined;
  if (recorder === undefined && show === undefined) {
    return { onMessage: undefined, close: async () => {} };
  }
  return {
    onMessage(crossing) {
      // What listens may change it, and must not change what is sent.
      const message = maskSecrets(crossing.message);
      show?.({ ...crossing, message });
      recorder?.write({ ...crossing, message });
    },
    close: async () => recorder?.close(),
  };
}

/** Where there is no terminal to fit. */
const usualColumns = 160;
const timeCells = 10;

/** Shows the wire of the client on the left and that of the server on the right, each message in a line. */
function sideBySide({ noColor }: { readonly noColor: boolean }): (crossing: Crossing) => void {
  const { stderr, env } = process;
  const style = createStyle({ color: wantsColor(stderr, env, { noColor }) });
  let isHeaded = false;
  return ({ side, direction, message }) => {
    const cells = Math.floor(((columnsOf(stderr) ?? usualColumns) - timeCells - 3) / 2);
    const line = (left: string, right: string, when: string): void => {
      stderr.write(
        `${style.dim(when.padStart(timeCells - 1))} ${left}${style.dim(' │ ')}${right}\n`,
      );
    };
    if (!isHeaded) line(style.bold(pad('client', cells)), style.bold('server'), '');
    isHeaded = true;
    const arrow = (direction === 'sent') === (side === 'server') ? '→' : '←';
    const text = fit(`${arrow} ${plainText(summaryOf(message, direction))}`, cells);
    const when = `${(performance.now() / 1000).toFixed(3)} s`;
    if (side === 'client') line(style.cyan(pad(text, cells)), '', when);
    else line(' '.repeat(cells), style.green(text), when);
  };
}

/** What a message says, as briefly as half a line wants it: every character that all messages share is one too many. */
function summaryOf(message: unknown, direction: Crossing['direction']): string {
  if (!isRecord(message) || direction === 'unreadable') return JSON.stringify(message) ?? '';
  const { id, method, params, result, error } = message;
  const name = id === undefined ? '' : `#${JSON.stringify(id)} `;
  const said = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value));
  if (typeof method === 'string') return `${name}${method} ${said(params)}`;
  return error === undefined ? `${name}= ${said(result)}` : `${name}failed ${said(error)}`;
}

/** Writes messages down; `server` is whose they are, where there are several. */
export interface Recorder {
  write(crossing: Crossing & { readonly server?: string | undefined }): void;
  /** Settles when all that was heard is written. */
  close(): Promise<void>;
}

/** Characters that may wait to be written. */
const maxWaiting = 16 * 1024 * 1024;

/** Writes messages to a file of this user, one line of JSON each; what cannot be kept up with is left out, and said so. */
export async function openRecorder(place: string): Promise<Recorder> {
  const file: FileHandle = await open(place, 'a', 0o600).catch((error: unknown) => {
    throw usageError(`cannot write to --record ${place}: ${String(error)}`, 'Name another file.');
  });
  let waiting: string[] = [];
  let size = 0;
  let isLosing = false;
  let writing: Promise<void> | undefined;
  const lose = (why: string): void => {
    if (!isLosing) tell(`the recording ${place} is incomplete: ${why}`);
    isLosing = true;
  };
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const text = waiting.join('');
      waiting = [];
      size = 0;
      await file.appendFile(text).catch((error: unknown) => lose(String(error)));
    }
    writing = undefined;
  };
  return {
    write({ server, conversation, side, direction, message }) {
      const at = new Date().toISOString();
      const entry = { at, server, conversation, side, direction, message };
      const line = `${JSON.stringify(entry)}\n`;
      if (size + line.length > maxWaiting) {
        lose('messages come faster than they can be written');
        return;
      }
      size += line.length;
      waiting.push(line);
      writing ??= drain();
    },
    async close() {
      await writing;
      await file.close();
    },
  };
}
