import {
  createBackoff,
  isRecord,
  pause,
  repeatable,
  type Exchange,
  type Layer,
} from 'mcp-kit/internal';
import { troubleOf } from '../layers.ts';

export interface RepeatOptions {
  /** Whether the budget of retries has room for one more. */
  mayRetry(): boolean;
  /** Whether a tool may run twice without doing more than once what it does. */
  isHarmless(tool: string): boolean;
}

/** Asks once more where the way to a server failed, and that cannot do anything twice. */
export function repeated({ mayRetry, isHarmless }: RepeatOptions): Layer {
  return (next) => async (exchange) => {
    try {
      return await next(exchange);
    } catch (error) {
      const data = troubleOf(error)?.data;
      if (data === undefined || data['retryable'] !== true || exchange.cancelled) throw error;
      if (data['mayHaveRun'] !== false && !isSafe(exchange, isHarmless)) throw error;
      if (!mayRetry()) throw error;
      await pause(createBackoff({ firstMs: 50 }).next());
      if (exchange.cancelled) throw error;
      return next(exchange);
    }
  };
}

function isSafe({ message }: Exchange, isHarmless: (tool: string) => boolean): boolean {
  const { method, params } = message;
  if (repeatable.has(method)) return true;
  const name = isRecord(params) ? params['name'] : undefined;
  return method === 'tools/call' && typeof name === 'string' && isHarmless(name);
}
