import { plainLine } from './plain-text.ts';
import { columnsOf } from './style.ts';
import { fit } from './width.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;
/** What is over by then needs no explanation. */
const delayMs = 300;

const erase = '\r\u001B[K';

export interface Spinner {
  /** Erases the line; idempotent. */
  stop(): void;
}

/** What is waited for; the first of them is shown. */
const waiting = new Set<{ readonly text: () => string; readonly sinceMs: number }>();
let ticking: NodeJS.Timeout | undefined;
let drawn = false;
let turn = 0;
let pauses = 0;

/** Shows on the terminal what is being waited for, and since when, once that takes long. Nothing where there is no terminal. */
export function startSpinner(text: string | (() => string)): Spinner {
  if (!process.stderr.isTTY || process.env['TERM'] === 'dumb') return { stop: () => {} };
  const wait = {
    text: typeof text === 'string' ? () => text : text,
    sinceMs: performance.now(),
  };
  waiting.add(wait);
  // It must not keep alive what has nothing else to do.
  ticking ??= setInterval(draw, frameMs).unref();
  return {
    stop() {
      waiting.delete(wait);
      hideSpinner();
      if (waiting.size > 0) return;
      clearInterval(ticking);
      ticking = undefined;
    },
  };
}

/** Makes room for a line of something else; the spinner comes back below it. */
export function hideSpinner(): void {
  if (!drawn) return;
  drawn = false;
  process.stderr.write(erase);
}

/** Leaves the terminal to somebody else until what is returned is called. */
export function pauseSpinner(): () => void {
  hideSpinner();
  pauses++;
  return () => pauses--;
}

function draw(): void {
  const [wait] = waiting;
  if (wait === undefined || pauses > 0) return;
  const elapsedMs = performance.now() - wait.sinceMs;
  if (elapsedMs < delayMs) return;
  turn = (turn + 1) % frames.length;
  const others = waiting.size > 1 ? ` (and ${waiting.size - 1} more)` : '';
  const about = `${others} ${Math.floor(elapsedMs / 1000)} s`;
  // One cell less than there are: the last one would make some terminals wrap.
  const room = (columnsOf(process.stderr) ?? 80) - 1 - about.length - 2;
  process.stderr.write(`${erase}${frames[turn]} ${fit(plainLine(wait.text()), room)}${about}`);
  drawn = true;
}
