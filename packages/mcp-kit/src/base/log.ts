/** Where the library says what its callers cannot see; fields are plain data. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** Says nothing. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
};

/** How much a log says, from all to errors only. */
export type LoggerLevel = 'debug' | 'info' | 'warn' | 'error';
