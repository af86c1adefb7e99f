import {
  traceIdOf,
  withoutSecrets,
  withoutUndefined,
  type Logger,
  type LoggerLevel,
} from 'mcp-kit/internal';
import { toolIn, type EndedCall } from './calls.ts';

const levels = ['debug', 'info', 'warn', 'error'] as const;

/** Writes one JSON object per line, from `level` up, without secrets. */
export function jsonLogger(
  level: LoggerLevel = 'info',
  write: (line: string) => void = (line) => void process.stderr.write(line),
): Logger {
  const lowest = levels.indexOf(level);
  const at =
    (name: LoggerLevel) =>
    (message: string, fields: object = {}) => {
      if (levels.indexOf(name) < lowest) return;
      const entry = { time: new Date().toISOString(), level: name, message, ...fields };
      write(`${JSON.stringify(withoutSecrets(entry))}\n`);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

type PinoWrite = (fields: object, message: string) => void;
/** A logger of pino, as far as it is used. */
type PinoLike = Readonly<Record<LoggerLevel, PinoWrite>>;

/** Writes through a logger of pino, or one with the same methods; secrets are hidden before it sees them. */
export function pinoLogger(pino: PinoLike): Logger {
  const at =
    (name: LoggerLevel) =>
    (message: string, fields: object = {}) =>
      pino[name](Object(withoutSecrets(fields)), String(withoutSecrets(message)));
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

const shownCharacters = 128;

/** A name as it is logged: callers may make up longer ones than anybody wants to read. */
const shown = (name: string): string =>
  name.length <= shownCharacters ? name : `${name.slice(0, shownCharacters)}…`;

/** Logs one line per call, with the trace that the caller says it belongs to, or one of its own. */
export function callLog(logger: Logger): (call: EndedCall) => void {
  return ({ exchange, outcome, durationMs, code }) => {
    const { message, principal } = exchange;
    const tool = toolIn(exchange);
    const fields = {
      traceId: traceIdOf(exchange),
      method: shown(message.method),
      tool: tool === undefined ? undefined : shown(tool),
      outcome,
      code,
      ms: Math.round(durationMs * 1000) / 1000,
      principal,
    };
    logger.info('call', withoutUndefined(fields));
  };
}
