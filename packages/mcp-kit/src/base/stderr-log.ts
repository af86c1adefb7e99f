import type { Logger, LoggerLevel } from './log.ts';
import { withoutSecrets } from './secrets/redact.ts';

/** Control characters. `\p{Cc}` names them too, but looking that up is a quarter of a millisecond at every start. */
const controls = /[^ -~\u00A0-\uFFFF]/g;

const levels: readonly LoggerLevel[] = ['debug', 'info', 'warn', 'error'];

/** Writes one line per entry to standard error, or to what is given, from `level` up, without secrets. */
export function stderrLogger(
  level: LoggerLevel = 'warn',
  print: (line: string) => unknown = (line) => process.stderr.write(line),
): Logger {
  const write = (at: LoggerLevel) => (message: string, fields?: object) => {
    if (levels.indexOf(at) < levels.indexOf(level)) return;
    const details = fields === undefined ? '' : ` ${asJson(fields)}`;
    // A peer that chooses a word of the message must not write lines of its own.
    const shown = String(withoutSecrets(message)).replaceAll(controls, ' ');
    print(`${at}: ${shown}${details}\n`);
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** What is reported is often what went wrong: it must not go wrong again here. */
function asJson(fields: object): string {
  try {
    return JSON.stringify(withoutSecrets(fields));
  } catch (error) {
    return String(error).replaceAll(controls, ' ');
  }
}
