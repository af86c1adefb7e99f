import { KitError } from '#base';
import type { Channel } from '#jsonrpc';

/** In whatever words a server complains of what it was asked, one of these is among them. */
const aboutMessages =
  /initiali[sz]|discover|method|handshake|protocol|json-?rpc|request|params|_meta/i;

/** Whether a process has ended for a reason of its own: with a failure, and words that are not about what it was asked. */
export function isEndedByItself(error: unknown): boolean {
  const cause = error instanceof KitError ? error.cause : undefined;
  if (!(cause instanceof KitError) || cause.code !== 'process_failed') return false;
  const { exitCode, stderr } = cause.details ?? {};
  if (typeof exitCode !== 'number' || exitCode === 0) return false;
  return typeof stderr === 'string' && stderr.trim() !== '' && !aboutMessages.test(stderr);
}

/** The same error; where the time was up, with what the server has said beside the conversation. */
export function withLastWords(error: unknown, channels: readonly Channel[]): unknown {
  if (!(error instanceof KitError) || error.code !== 'timeout') return error;
  const words = channels.map((channel) => channel.lastWords?.() ?? '').findLast(Boolean);
  if (words === undefined) return error;
  return new KitError('timeout', `${error.message}; it said:\n${words}`, {
    hint: error.hint,
    cause: error.cause,
    details: { ...error.details, stderr: words },
  });
}
