import type { HttpEvent } from 'mcp-kit/transport/http-client';
import { writeError } from '../output.ts';
import { plainText } from './plain-text.ts';
import { maskSecrets } from './secrets.ts';
import { hideSpinner } from './spinner.ts';
import { columnsOf, createStyle, wantsColor, type Style } from './style.ts';
import { fit } from './width.ts';

type Direction = 'sent' | 'received' | 'unreadable';

/** A message that crossed the wire. */
export interface Crossing {
  readonly server: string;
  readonly direction: Direction;
  readonly message: unknown;
  /** Since the program started. */
  readonly atMs: number;
  /** Since the request that it answers. */
  readonly tookMs?: number | undefined;
}

export interface TraceOptions {
  readonly style: Style;
  /** How many cells a line has; without, it is whole. */
  readonly columns: number | undefined;
}

const arrows: Readonly<Record<Direction, string>> = { sent: '→', received: '←', unreadable: '✗' };

/** One line about a message: when, which way, whose, and what it says, without secrets. */
export function traceLine(crossing: Crossing, options: TraceOptions): string {
  const { direction, message } = crossing;
  const text = JSON.stringify(maskSecrets(message)) ?? '';
  return lineOf(crossing, { arrow: arrows[direction], said: text }, options);
}

/** The lines about an HTTP request: what it was answered, and of a failure all that came. */
function httpLines(
  seen: { readonly server: string; readonly atMs: number; readonly event: HttpEvent },
  options: TraceOptions,
): readonly string[] {
  const { event } = seen;
  const about = `${event.method} ${event.url} (${Math.round(event.ms)} ms)`;
  const line = (text: string): string => lineOf(seen, { arrow: '·', said: text }, options);
  const masked = (value: unknown): string => JSON.stringify(maskSecrets(value));
  switch (event.kind) {
    case 'failed':
      return [line(`no answer to ${about}: ${event.error.message}`)];
    case 'answered': {
      const head = line(`HTTP ${event.status} for ${about}`);
      return isRefusal(event) ? [head, line(`headers ${masked(event.headers)}`)] : [head];
    }
    case 'ended': {
      const lines = event.body === undefined ? [] : [line(`body ${masked(event.body)}`)];
      if (!event.complete) lines.push(line(`cut off after ${event.bytes} bytes: ${about}`));
      return lines;
    }
  }
}

/** Whether an answer is none that a client wants: a failure, or something that is no message. */
function isRefusal({ status, headers }: Extract<HttpEvent, { kind: 'answered' }>): boolean {
  const type = headers['content-type'] ?? '';
  const isUsual = type === '' || /^(application\/json|text\/event-stream)\b/i.test(type);
  return status >= 300 || !isUsual;
}

function lineOf(
  { server, atMs, tookMs }: Pick<Crossing, 'server' | 'atMs' | 'tookMs'>,
  { arrow, said }: { readonly arrow: string; readonly said: string },
  { style, columns }: TraceOptions,
): string {
  const took = tookMs === undefined ? '' : ` (${Math.round(tookMs)} ms)`;
  const when = `${`${(atMs / 1000).toFixed(3)} s`.padStart(9)}${took}`;
  const name = plainText(server);
  const text = plainText(said);
  const before = `${when} ${arrow} ${name} `;
  const shown = columns === undefined ? text : fit(text, columns - before.length);
  const paint = arrow === '→' ? style.cyan : arrow === '←' ? style.green : style.yellow;
  return `${style.dim(when)} ${paint(arrow)} ${style.bold(name)} ${shown}`;
}

/** Hears every message and every HTTP answer, as a manager's `onTrace` and `onHttp` do. */
export interface TracePrinter {
  message(server: string, direction: Direction, message: unknown): void;
  http(server: string, event: HttpEvent): void;
}

/** Requests whose time is measured. */
const maxTimed = 1024;

/** Shows what crosses on standard error, cut to the terminal if it is one. */
export function tracePrinter(options: { readonly noColor?: boolean } = {}): TracePrinter {
  const { stderr, env } = process;
  const style = createStyle({ color: wantsColor(stderr, env, options) });
  const sentMs = new Map<string, number>();
  const write = (lines: readonly string[]): void => {
    hideSpinner();
    for (const line of lines) writeError(`${line}\n`);
  };
  return {
    message(server, direction, message) {
      const atMs = performance.now();
      const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown };
      const key = `${server} ${JSON.stringify(id)}`;
      const isAnswer = direction === 'received' && method === undefined && id !== undefined;
      const since = isAnswer ? sentMs.get(key) : undefined;
      if (isAnswer) sentMs.delete(key);
      else if (direction === 'sent' && id !== undefined && method !== undefined) {
        if (sentMs.size < maxTimed) sentMs.set(key, atMs);
      }
      const tookMs = since === undefined ? undefined : atMs - since;
      const crossing = { server, direction, message, atMs, tookMs };
      write([traceLine(crossing, { style, columns: columnsOf(stderr) })]);
    },
    http(server, event) {
      const seen = { server, atMs: performance.now(), event };
      write(httpLines(seen, { style, columns: columnsOf(stderr) }));
    },
  };
}
