import { stderrLogger, type Logger } from '#base';
import type { Channel, Sink } from '#jsonrpc';
import type { Target } from './target.ts';

/** Hears each message that crosses, in the order it does, as the wire has it: a value, or an array of them. */
export type TraceListener = (direction: 'sent' | 'received', message: unknown) => void;

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
    start: (sink) => channel.start(overhearing(sink, tell)),
    send(text, origin, outgoing) {
      const sent = channel.send(text, origin, outgoing);
      if (sent !== 'dropped') tell('sent', JSON.parse(text));
      return sent;
    },
    // What a channel cannot do, the overheard one cannot either.
    tell:
      channel.tell &&
      (async (text, outgoing) => {
        tell('sent', JSON.parse(text));
        await channel.tell?.(text, outgoing);
      }),
    reply(text, origin) {
      channel.reply(text, origin);
      if (text !== undefined) tell('sent', JSON.parse(text));
    },
    release: channel.release && ((origin, retryMs) => channel.release?.(origin, retryMs)),
    lastWords: channel.lastWords && (() => channel.lastWords?.() ?? ''),
    drained: (origin) => channel.drained(origin),
    close: () => channel.close(),
  };
}

function overhearing(sink: Sink, tell: TraceListener): Sink {
  return {
    message(value, origin) {
      tell('received', value);
      sink.message(value, origin);
    },
    malformed: (code, reason, sample) => sink.malformed(code, reason, sample),
    skipped: (head, tail) => sink.skipped?.(head, tail),
    lost: (id, error) => sink.lost?.(id, error),
    released: (id, retryMs) => sink.released?.(id, retryMs),
    ended: () => sink.ended(),
    closed: (cause) => sink.closed(cause),
  };
}
