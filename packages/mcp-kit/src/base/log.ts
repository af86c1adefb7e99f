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

export type LoggerLevel = 'debug' | 'info' | 'warn' | 'error';
