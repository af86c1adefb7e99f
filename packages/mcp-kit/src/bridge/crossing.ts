import type { Exchange, Notification, Params } from '#jsonrpc';
import type { Layer } from '#protocol';

/** A message that crossed one of the two wires. */
export interface Crossing {
  /** Which wire: the one to the client, or the one to the server. */
  readonly side: 'client' | 'server';
  /** As the bridge sees it. */
  readonly direction: 'received' | 'sent';
  readonly message: unknown;
}

/** Tells of a message; absent where nobody listens. */
export type Tell = ((crossing: Crossing) => void) | undefined;

/** Tells of every message of a client, and of the answers to its requests. */
export function telling(tell: NonNullable<Tell>): Layer {
  return (next) => (exchange) => {
    const { message } = exchange;
    tell({ side: 'client', direction: 'received', message });
    return message.id === undefined
      ? next(exchange)
      : tellAnswer(tell, exchange, () => next(exchange));
  };
}

async function tellAnswer(
  tell: NonNullable<Tell>,
  { message: { id } }: Exchange,
  answer: () => unknown,
): Promise<unknown> {
  try {
    const result = await answer();
    tell({ side: 'client', direction: 'sent', message: { jsonrpc: '2.0', id, result } });
    return result;
  } catch (error) {
    const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
    const said = { code, message, ...(data !== undefined && { data }) };
    tell({ side: 'client', direction: 'sent', message: { jsonrpc: '2.0', id, error: said } });
    throw error;
  }
}

/** A notification as the wire has it. */
export function notificationOf(method: string, params: Params | undefined): Notification {
  return { jsonrpc: '2.0', method, ...(params && { params }) };
}
