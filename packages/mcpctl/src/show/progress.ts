import type { Params } from 'mcp-kit/jsonrpc';
import type { Globals } from '../globals.ts';
import { warn } from '../output.ts';
import { plainLine } from '../terminal/plain-text.ts';
import { startSpinner } from '../terminal/spinner.ts';

/** Shows how far a call is. */
export interface Progress {
  readonly report: (progress: Params) => void;
  end(): void;
}

/** Shows progress on standard error: one line that changes on a terminal, one line for each step elsewhere. */
export function progressOf(globals: Globals): Progress {
  let latest = 'waiting for the answer';
  const isShown = !globals.quiet;
  const isLive = isShown && process.stderr.isTTY;
  const spinner = isLive ? startSpinner(() => latest) : undefined;
  return {
    report(progress) {
      latest = textOf(progress);
      if (isShown && !isLive && !globals.json) warn(globals, latest);
    },
    end: () => spinner?.stop(),
  };
}

function textOf({ progress, total, message }: Params): string {
  const numbers = [progress, total].filter((number) => typeof number === 'number');
  const steps = numbers.join('/');
  return plainLine(`progress ${steps}${typeof message === 'string' ? ` ${message}` : ''}`);
}
