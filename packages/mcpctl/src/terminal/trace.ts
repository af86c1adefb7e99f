import { plainText } from './plain-text.ts';
import { maskSecrets } from './secrets.ts';
import { hideSpinner } from './spinner.ts';
import { columnsOf, createStyle, wantsColor, type Style } from './style.ts';
import { fit } from './width.ts';

type Direction = 'sent' | 'received';

/** A message that crossed the wire. */
export interface Crossing {
  readonly server: string;
  readonly direction: Direction;
  readonly message: unknown;
  /** Since the program started. */
  readonly atMs: number;
}

export interface TraceOptions {
  readonly style: Style;
  /** How many cells a line has; without, it is whole. */
  readonly columns: number | undefined;
}

/** One line about a message: when, which way, whose, and what it says, without secrets. */
export function traceLine(crossing: Crossing, { style, columns }: TraceOptions): string {
  const { server, direction, message, atMs } = crossing;
  const when = `${(atMs / 1000).toFixed(3)} s`.padStart(9);
  const arrow = direction === 'sent' ? '→' : '←';
  const name = plainText(server);
  const text = plainText(JSON.stringify(maskSecrets(message)) ?? '');
  const before = `${when} ${arrow} ${name} `;
  const shown = columns === undefined ? text : fit(text, columns - before.length);
  const paint = direction === 'sent' ? style.cyan : style.green;
  return `${style.dim(when)} ${paint(arrow)} ${style.bold(name)} ${shown}`;
}

/** Hears every message, as a manager's `onTrace` does. */
export type TracePrinter = (server: string, direction: Direction, message: unknown) => void;

/** Shows messages on standard error, cut to the terminal if it is one. */
export function tracePrinter(options: { readonly noColor?: boolean } = {}): TracePrinter {
  const { stderr, env } = process;
  const style = createStyle({ color: wantsColor(stderr, env, options) });
  return (server, direction, message) => {
    const crossing = { server, direction, message, atMs: performance.now() };
    hideSpinner();
    stderr.write(`${traceLine(crossing, { style, columns: columnsOf(stderr) })}\n`);
  };
}
