import { withoutSecrets } from './redact.ts';

/** Where the library says what its callers cannot see; fields are plain data. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
};

const levels = ['debug', 'info', 'warn', 'error'] as const;
export type LoggerLevel = (typeof levels)[number];

/** Writes one line per entry to standard error, from `level` up, without secrets. */
export function stderrLogger(level: LoggerLevel = 'warn'): Logger {
  const write = (at: LoggerLevel) => (message: string, fields?: object) => {
    if (levels.indexOf(at) < levels.indexOf(level)) return;
    const details = fields === undefined ? '' : ` ${asJson(fields)}`;
    // A peer that chooses a word of the message must not write lines of its own.
    const shown = String(withoutSecrets(message)).replaceAll(/\p{Cc}/gu, ' ');
    process.stderr.write(`${at}: ${shown}${details}\n`);
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** What is reported is often what went wrong: it must not go wrong again here. */
function asJson(fields: object): string {
  try {
    return JSON.stringify(withoutSecrets(fields));
  } catch (error) {
    return String(error).replaceAll(/\p{Cc}/gu, ' ');
  }
}
