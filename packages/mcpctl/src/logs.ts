import { silentLogger, stderrLogger, type Logger } from 'mcp-kit/internal';
import type { Globals } from './globals.ts';
import { writeError } from './output.ts';
import { plainText } from './terminal/plain-text.ts';

/** Where this program logs, by the options. */
export function loggerOf({ logLevel }: Pick<Globals, 'logLevel'>): Logger {
  return logLevel === 'silent' ? silentLogger : stderrLogger(logLevel, writeError);
}

/** Shows what servers say on their standard error; nothing where the user does not want to see it. */
export function stderrPrinter({
  trace,
  logLevel,
}: Globals): ((server: string, text: string) => void) | undefined {
  return trace || logLevel === 'debug' || logLevel === 'info' ? showStderr : undefined;
}

function showStderr(server: string, text: string): void {
  for (const line of text.split(/\r?\n/)) {
    if (line !== '') writeError(`[${plainText(server)}] ${plainText(line)}\n`);
  }
}
