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
  /** Tells conversations apart; ids mean something within one of them only. */
  conversation: number,
) => void;

/** Something that came and cannot be read. */
export interface Unreadable {
  readonly reason: string;
  /** How it begins, where that is known. */
  readonly sample: string | undefined;
}

/** How many conversations were overheard in this process. */
let conversations = 0;

/** The same server, overheard: `listener` is told every message of every conversation with it. */
export function traceTarget(
  target: Target,
  listener: TraceListener,
  logger: Logger = stderrLogger(),
): Target {
  const { label, fallback } = target;
  const tell: TraceListener = (direction, message, conversation) => {
    // Somebody else's bug is not the end of the conversation.
    try {
      listener(direction, message, conversation);
    } catch (error) {
      logger.error(`${label}: what listens to the wire threw: ${String(error)}`);
    }
  };
  return {
    ...target,
    fallback: fallback && traceTarget(fallback, listener, logger),
    dial: async (signal) => {
      const channel = await target.dial(signal);
      conversations += 1;
      const conversation = conversations;
      return overhear(channel, (direction, message) => tell(direction, message, conversation));
    },
  };
}

/** The same server; `hear` is told what comes from it and cannot be read, and nothing else. */
export function watchUnreadable(target: Target, hear: (what: Unreadable) => void): Target {
  const { fallback } = target;
  const tell: Tell = (direction, message) => {
    if (direction === 'unreadable') hear(message as Unreadable);
  };
  return {
    ...target,
    fallback: fallback && watchUnreadable(fallback, hear),
    dial: async (signal) => {
      const channel = await target.dial(signal);
      const start = channel.start.bind(channel);
      channel.start = (sink) => start(overhearing(sink, tell));
      return channel;
    },
  };
}

/** Tells of one conversation. */
type Tell = (direction: Parameters<TraceListener>[0], message: unknown) => void;

function overhear(channel: Channel, tell: Tell): Channel {
  return {
    get pid() {
      return channel.pid;
    },
    start: (sink) => channel.start(overhearing(sink, tell)),
    send(text, options) {
      const sent = channel.send(text, options);
      if (sent !== 'dropped') tell('sent', options?.message ?? JSON.parse(text));
      return sent;
    },
    tell(text, options) {
      const told = channel.tell(text, options);
      if (told !== undefined) tell('sent', options.message ?? JSON.parse(text));
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

function overhearing(sink: Sink, tell: Tell): Sink {
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
