import { longestTimerMs, unref } from '#base';
import type { Exchange } from '#jsonrpc';
import { answerInput, type Offer } from './inputs.ts';

export interface Heartbeat {
  readonly everyMs: number;
  /** Called again and again while an answer is being made, and when it is there; not once nobody wants it. */
  beat(): void;
}

/** Answers a request of a server of the older era. */
export function answerRequest(exchange: Exchange, offer: Offer, heartbeat: Heartbeat): unknown {
  return exchange.request.method === 'ping' ? {} : answerSlowly(exchange, offer, heartbeat);
}

async function answerSlowly(
  exchange: Exchange,
  offer: Offer,
  { everyMs, beat }: Heartbeat,
): Promise<unknown> {
  const { signal } = exchange;
  const timer = unref(setInterval(beat, Math.min(everyMs, longestTimerMs)));
  const stop = (): void => clearInterval(timer);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await answerInput(offer, exchange.request, { signal });
  } finally {
    stop();
    signal.removeEventListener('abort', stop);
    if (!signal.aborted) beat();
  }
}
