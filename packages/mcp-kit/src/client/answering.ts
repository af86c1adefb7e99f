import { KitError, longestTimerMs, unref } from '#base';
import { RpcError, rpcErrors, type Connection, type Exchange } from '#jsonrpc';
import { answerAny, type Offer } from './inputs.ts';

/** Requests of a server that may wait for their answers. */
const maxServing = 64;

/** Answers a request of a server of the older era; a ping at once, however many others wait. */
export function answerRequest(
  connection: Connection,
  exchange: Exchange,
  { offer, timeoutMs }: { readonly offer: Offer; readonly timeoutMs: number },
): unknown {
  if (exchange.request.method === 'ping') return {};
  if (connection.inFlight.serving >= maxServing) {
    throw new RpcError(rpcErrors.overloaded, 'client overloaded');
  }
  // Nothing the server owes us is late while it waits for us.
  return answerSlowly(exchange, offer, {
    everyMs: timeoutMs / 2,
    beat: () => connection.touch(),
  });
}

interface Heartbeat {
  readonly everyMs: number;
  /** Called again and again while an answer is being made, and when it is there; not once nobody wants it. */
  beat(): void;
}

async function answerSlowly(
  exchange: Exchange,
  offer: Offer,
  { everyMs, beat }: Heartbeat,
): Promise<unknown> {
  const { request, signal } = exchange;
  const timer = unref(setInterval(beat, Math.min(everyMs, longestTimerMs)));
  const stop = (): void => clearInterval(timer);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await answerAny(offer, request, { signal });
  } catch (error) {
    const isLate = error instanceof KitError && error.code === 'timeout';
    throw isLate ? new RpcError(rpcErrors.overloaded, `${request.method}: timed out`) : error;
  } finally {
    stop();
    signal.removeEventListener('abort', stop);
    if (!signal.aborted) beat();
  }
}
