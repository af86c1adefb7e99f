import { appendFileSync, readFileSync } from 'node:fs';
import { CocosError, equalJson, isObject, type Json } from '#cocos/document';
import type { EditorRequester } from './requester.ts';

/** One message with what became of it; a line of a recording. */
export interface RecordedMessage {
  readonly channel: string;
  readonly method: string;
  readonly args: readonly Json[];
  /** Absent where nothing was answered. */
  readonly result?: Json | undefined;
  /** What the editor said instead of answering. */
  readonly error?: string | undefined;
}

/** Passes messages on, and appends each to a file once it is answered. */
export function recordingRequester(requester: EditorRequester, file: string): EditorRequester {
  const keep = (message: object): void => appendFileSync(file, `${JSON.stringify(message)}\n`);
  return {
    async request(channel, method, ...args) {
      try {
        const result = await requester.request(channel, method, ...args);
        keep({ channel, method, args, result });
        return result;
      } catch (error) {
        keep({
          channel,
          method,
          args,
          error: error instanceof Error ? error.message : String(error),
        });
        throw error;
      }
    },
  };
}

/** Reads a recording: JSON Lines of `{ channel, method, args, result }`. */
export function readRecording(file: string): RecordedMessage[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, place) => (line.trim() === '' ? [] : [parseLine(line, place + 1)]));
}

function parseLine(line: string, place: number): RecordedMessage {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    value = undefined;
  }
  if (isRecorded(value)) return value;
  throw new CocosError('E_INVALID_ARGUMENT', `Line ${place} is no recorded message.`, {
    suggestion: 'Each line is {"channel", "method", "args", "result"}.',
  });
}

function isRecorded(value: unknown): value is RecordedMessage {
  const message = value as Json;
  return (
    isObject(message) &&
    typeof message['channel'] === 'string' &&
    typeof message['method'] === 'string' &&
    Array.isArray(message['args'])
  );
}

/** Answers from a recording: the messages must come in its order, and be the same. */
export function replayingRequester(recording: readonly RecordedMessage[]): EditorRequester {
  let place = 0;
  return {
    async request(channel, method, ...args) {
      const next = recording[place++];
      const asked = { channel, method, args: plain(args) };
      const isIt =
        next?.channel === channel &&
        next.method === method &&
        equalJson([...next.args], asked.args);
      if (next === undefined || !isIt) {
        throw new CocosError('E_CONFLICT', `Message ${place} is another one in the recording.`, {
          suggestion: 'Record again, or do exactly what was recorded.',
          details: { asked, recorded: next },
        });
      }
      if (next.error !== undefined) throw new Error(next.error);
      return next.result;
    },
  };
}

/** What another editor answers otherwise than the recording has it. */
export interface ReplayDifference {
  /** The line of the recording, 1 first. */
  readonly line: number;
  readonly message: string;
  readonly path: string;
  readonly recorded: string;
  readonly found: string;
}

/**
 * Plays the messages of a recording to an editor, and compares the shape of what it answers: the names and types that
 * the recording has must be there. New uuids stand for each other.
 */
export async function checkAgainst(
  requester: EditorRequester,
  recording: readonly RecordedMessage[],
): Promise<ReplayDifference[]> {
  const names = new Map<string, string>();
  const found: ReplayDifference[] = [];
  for (const [place, { channel, method, args, result, error }] of recording.entries()) {
    const report = (path: string, recorded: string, other: string): void => {
      found.push({
        line: place + 1,
        message: `${channel} ${method}`,
        path,
        recorded,
        found: other,
      });
    };
    const own = args.map((argument) => renamedIn(argument, names));
    try {
      const answer = await requester.request(channel, method, ...own);
      if (error !== undefined) report('', `error: ${error}`, kindOf(answer));
      else compare({ recorded: result, answer: plain(answer), path: '' }, { names, report });
    } catch (failure) {
      const text = failure instanceof Error ? failure.message : String(failure);
      if (error === undefined) report('', kindOf(result), `error: ${text}`);
    }
  }
  return found;
}

interface Pair {
  readonly recorded: Json | undefined;
  readonly answer: Json | undefined;
  readonly path: string;
}

interface Comparing {
  readonly names: Map<string, string>;
  report(path: string, recorded: string, found: string): void;
}

function compare({ recorded, answer, path }: Pair, on: Comparing): void {
  const [left, right] = [kindOf(recorded), kindOf(answer)];
  if (left !== right) {
    on.report(path, left, right);
    return;
  }
  if (typeof recorded === 'string' && typeof answer === 'string' && isId(recorded, answer)) {
    on.names.set(recorded, answer);
  }
  if (Array.isArray(recorded) && Array.isArray(answer)) {
    if (recorded.length !== answer.length) {
      on.report(path, `${recorded.length} elements`, `${answer.length} elements`);
    }
    for (const [place, element] of recorded.entries()) {
      if (place < answer.length) {
        compare({ recorded: element, answer: answer[place], path: `${path}/${place}` }, on);
      }
    }
  } else if (isObject(recorded) && isObject(answer)) {
    for (const [key, part] of Object.entries(recorded)) {
      compare({ recorded: part, answer: answer[key], path: `${path}/${key}` }, on);
    }
  }
}

const idForm = /^[0-9A-Za-z+/]{22,}$|^[0-9a-f]{8}-/;
const isId = (left: string, right: string): boolean => idForm.test(left) && idForm.test(right);

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  return Array.isArray(value) ? 'array' : typeof value;
}

function plain(value: unknown): Json[] {
  return JSON.parse(JSON.stringify(value ?? null)) as Json[];
}

function renamedIn(value: Json, names: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((part) => renamedIn(part, names));
  if (!isObject(value)) return value;
  const parts = Object.entries(value).map(([key, part]) => [key, renamedIn(part, names)] as const);
  return Object.fromEntries(parts);
}
