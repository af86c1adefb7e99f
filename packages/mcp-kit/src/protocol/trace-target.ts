import { stderrLogger, type Logger } from '#base';
import type { Channel, Sink } from '#jsonrpc';
import type { Target } from './target.ts';

/**
 * Hears each message that crosses, in the order it does, as the wire has it: a value, or an array of them. `unreadable`:
 * what came is no message within the limits; it is told as an `Unreadable`.
 */
export type TraceListener = (
  direction: 'sent' | 'received' | 'unreadable',
  message: unknown,
) => void;

/** Something that came and cannot be read. */
export interface Unreadable {
  readonly reason: string;
  /** How it begins, where that is known. */
  readonly sample: string | undefined;
}

/** The same server, overheard: `listener` is told every message of every conversation with it. */
export function traceTarget(
  target: Target,
  listener: TraceListener,
  logger: Logger = stderrLogger(),
): Target {
  const { label, fallback } = target;
  const tell: TraceListener = (direction, message) => {
    // Somebody else's bug is not the end of the conversation.
    try {
      listener(direction, message);
    } catch (error) {
      logger.error(`${label}: what listens to the wire threw: ${String(error)}`);
    }
  };
  return {
    ...target,
    fallback: fallback && traceTarget(fallback, listener, logger),
    dial: async (signal) => overhear(await target.dial(signal), tell),
  };
}

function overhear(channel: Channel, tell: TraceListener): Channel {
  return {
    get pid() {
      return channel.pid;
    },
    start: (sink) => channel.start(overhearing(sink, tell)),
    send(text, options) {
      const sent = channel.send(text, options);
      if (sent !== 'dropped') tell('sent', JSON.parse(text));
      return sent;
    },
    tell(text, options) {
      const told = channel.tell(text, options);
      if (told !== undefined) tell('sent', JSON.parse(text));
      return told;
    },
    reply(text, options) {
      channel.reply(text, options);
      if (text !== undefined) tell('sent', JSON.parse(text));
    },
    letGo: () => channel.letGo(),
    lastWords: () => channel.lastWords(),
    drained: (origin) => channel.drained(origin),
    close: () => channel.close(),
  };
}

function overhearing(sink: Sink, tell: TraceListener): Sink {
  return {
    deaf: sink.deaf,
    message(value, origin, bytes) {
      tell('received', value);
      sink.message(value, origin, bytes);
    },
    malformed(code, reason, sample) {
      tell('unreadable', { reason, sample });
      sink.malformed(code, reason, sample);
    },
    skipped: (head, tail) => sink.skipped(head, tail),
    lost: (id, error) => sink.lost(id, error),
    failed: (error) => sink.failed(error),
    released: (id, retryMs) => sink.released(id, retryMs),
    ended: () => sink.ended(),
    closed: (cause) => sink.closed(cause),
  };
}
