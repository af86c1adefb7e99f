import type { Logger, LoggerLevel } from '#base';
import { isRecord } from '#jsonrpc';
import { traceIdOf } from '#protocol';
import type { EndedCall } from './calls.ts';

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

const secretNames = /authorization|cookie|token|secret|password|passphrase|api-?key|credential/i;
/** What secrets look like wherever they are: bearer tokens, JWTs, our own keys, credentials in URLs. */
const secretTexts =
  /\bbearer\s+[\w\-.~+/]+=*|\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?|\bmcpk_[\w-]+|(?<=:\/\/)[^\s/@]+(?=@)/gi;
const hidden = '[hidden]';
const maxDepth = 8;
const maxCharacters = 8192;

/** The same value with its secrets hidden, by their name or by what they look like. */
function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string')
    return value.slice(0, maxCharacters).replaceAll(secretTexts, hidden);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return withoutSecrets(value.stack ?? value.message);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '…';
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return withoutSecrets(value.toJSON(), depth + 1);
  }
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  const entries = Object.entries(value).map(([name, item]) => {
    const secret = secretNames.test(name) && item !== undefined && item !== null;
    return [name, secret ? hidden : withoutSecrets(item, depth + 1)];
  });
  return Object.fromEntries(entries);
}

/** Logs one line per call, with the trace that the caller says it belongs to, or one of its own. */
export function callLog(logger: Logger): (call: EndedCall) => void {
  return ({ exchange, outcome, durationMs, code }) => {
    const { method, params } = exchange.request;
    const name = isRecord(params) ? params['name'] : undefined;
    logger.info('call', {
      traceId: traceIdOf(exchange),
      method,
      ...(method === 'tools/call' && typeof name === 'string' && { tool: name }),
      outcome,
      ...(code !== undefined && { code }),
      ms: Math.round(durationMs * 1000) / 1000,
      ...(exchange.principal !== undefined && { principal: exchange.principal }),
    });
  };
}
