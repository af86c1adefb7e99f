import { createInterface } from 'node:readline';
import { browserInteraction, type Interaction } from 'mcp-kit/auth';
import { writeError } from '../output.ts';
import { plainText } from '../terminal/plain-text.ts';
import { Questioner } from '../terminal/question.ts';

interface Ways {
  readonly noBrowser: boolean;
  readonly port: number | undefined;
}

/** How the person at this terminal logs in. */
export function interactionFor({ noBrowser, port }: Ways): Interaction {
  return browserInteraction({
    say: (line) => writeError(`${plainText(line)}\n`),
    open: noBrowser ? false : undefined,
    // Where no browser opens, a person can still carry the address over; so can a script.
    pasted: noBrowser || process.stdin.isTTY ? readLine : undefined,
    port,
  });
}

/** One line of standard input; none when it ends, or when nobody waits for it any more. */
function readLine(signal: AbortSignal): Promise<string | undefined> {
  if (process.stdin.isTTY) return askLine(signal);
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, terminal: false });
    const stop = (): void => lines.close();
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('close', () => {
      signal.removeEventListener('abort', stop);
      process.stdin.pause();
      resolve(undefined);
    });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}

/** A terminal by itself cuts lines at 4096 letters. */
async function askLine(signal: AbortSignal): Promise<string | undefined> {
  const questioner = new Questioner(signal);
  try {
    const outcome = await questioner.ask('');
    return typeof outcome === 'object' ? outcome.line : undefined;
  } finally {
    questioner.close();
  }
}
