import { KitError, type KitErrorCode, type Unreadable } from 'mcp-kit/internal';
import type { ServerEntry } from '@mcp-kit/host';
import type { Globals } from './globals.ts';
import { maskSecrets } from './terminal/secrets.ts';
import type { Seen } from './witness.ts';

/** How a server is reached: typed on the command line, or written in a file; as a process, or otherwise. */
export interface Reached {
  readonly isProcess: boolean;
  readonly isTyped: boolean;
}

/** How an entry is reached. */
export function reachedAs(
  { transport }: Pick<ServerEntry, 'transport'>,
  { target }: Pick<Globals, 'target'>,
): Reached {
  return { isProcess: transport.kind === 'stdio', isTyped: target !== undefined };
}

/** What was seen that explains a fault, and what to do about it. */
export interface Clues {
  readonly lines: readonly string[];
  readonly fix: string | undefined;
}

/** What was seen of a server that hangs, ends or answers nonsense. */
export function cluesIn(seen: Seen, reached: Reached): Clues {
  const output = outputClues(seen, reached);
  const words = lastLines(seen.stderr);
  const flood = floodLines(seen);
  const lines = [...output.lines, ...httpLines(seen), ...flood];
  const stderr = words.map((line) => `stderr: ${line}`);
  const floodFix =
    flood.length > 0 ? 'Report it to the author of the server: it sends too much.' : undefined;
  const fix = variableFix(words, reached) ?? listeningFix(seen) ?? output.fix ?? floodFix;
  return { lines: [...lines, ...stderr].map((line) => String(maskSecrets(line))), fix };
}

/** What came where only messages should, from a process; it may work all the same. */
export function outputClues(seen: Seen, { isProcess }: Reached): Clues {
  const { unreadable, unreadableCount: count } = seen;
  if (count === 0) return { lines: [], fix: undefined };
  const where = isProcess ? 'on its standard output came ' : '';
  const lines = unreadable.map((one) => {
    const { reason, sample = '' } = one;
    const what = isNoise(one) ? 'what is no message' : `what cannot be read (${reason})`;
    return `${where}${what}: ${sample.trimEnd().slice(0, shownCharacters)}`;
  });
  if (count > unreadable.length) lines.push(`and ${count - unreadable.length} more`);
  const fix =
    isProcess && unreadable.some(isNoise)
      ? 'Standard output is for messages only: have it log to standard error, or switch its banner off.'
      : undefined;
  return { lines, fix };
}

const shownCharacters = 120;

/** Whether something was never meant to be a message. */
function isNoise({ sample = '' }: Unreadable): boolean {
  return !sample.includes('"jsonrpc"');
}

const shownLines = 5;

/** The last lines of what a process said, without empty ones and without secrets, which may have several lines. */
export function lastLines(text: string): readonly string[] {
  const lines = String(maskSecrets(text))
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');
  return lines.slice(-shownLines);
}

function httpLines({ http }: Seen): readonly string[] {
  if (http?.kind === 'answered') {
    return [`an answer has begun, HTTP ${http.status}, and is unfinished`];
  }
  if (http?.kind !== 'ended' || http.complete || http.status >= 300) return [];
  return [`an answer has begun, HTTP ${http.status}, and is unfinished: ${http.bytes} bytes came`];
}

/** More notifications than anybody sends without being asked. */
const manyNotifications = 100;

function floodLines({ notifications }: Seen): readonly string[] {
  return [...notifications]
    .filter(([, count]) => count >= manyNotifications)
    .map(([method, count]) => `meanwhile it sent ${count} times ${method}`);
}

const missing = /\b(required|missing|not set|undefined|must|need|provide|set)\b/i;
const variable = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/;

/** A server that lacks a variable says which. */
function variableFix(words: readonly string[], { isTyped }: Reached): string | undefined {
  const said = words.find((line) => missing.test(line) && variable.test(line));
  const name = variable.exec(said ?? '')?.[0];
  if (name === undefined) return undefined;
  return isTyped
    ? `It asks for the variable ${name}: give it with --env ${name}=…`
    : `It asks for the variable ${name}: set it in env of its entry.`;
}

/** A program that serves elsewhere than on its pipes says where. */
function listeningFix({ stderr, unreadable }: Seen): string | undefined {
  const texts = [stderr, ...unreadable.map(({ sample = '' }) => sample)];
  const said = texts.flatMap((text) => text.split('\n')).find((line) => listening.test(line));
  const url = /https?:\/\/[^\s"'<>,;]+/.exec(said ?? '')?.[0];
  if (url === undefined) return undefined;
  return `It says that it listens at ${url}: use it there, with --url or url in its entry, or start it for stdio.`;
}

const listening = /\b(listen|running|serving|started|available|server)\w*\b.*https?:\/\//i;

/** Failures that what was seen may explain. */
const explained: ReadonlySet<KitErrorCode> = new Set([
  'answer_lost',
  'closed',
  'invalid_answer',
  'process_failed',
  'timeout',
]);

/** The same failure with what was seen of the server, as far as it does not say so itself. */
export function explain(error: unknown, seen: Seen, reached: Reached): unknown {
  if (!(error instanceof KitError) || !explained.has(error.code)) return error;
  const { lines, fix } = cluesIn(seen, reached);
  const said = error.message;
  const news = lines.filter((line) => !said.includes(line.replace(/^stderr: /, '').trim()));
  if (news.length === 0 && fix === undefined) return error;
  const { code, hint, details } = error;
  const message = [said, ...news].join('\n');
  return new KitError(code, message, { hint: fix ?? hint, details, cause: error.cause });
}
