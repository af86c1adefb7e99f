import { describeError, processBudget, type Logger } from '#base';
import { Connection, type Channel, type ConnectionOptions } from '#jsonrpc';
import { Conversation, enclose, traceIdOf, vocabulary, type Service } from '#protocol';

/** How a conversation with a service is held. */
export interface ServeOptions extends Pick<
  ConnectionOptions,
  'budget' | 'maxInFlight' | 'timeoutMs' | 'lingerMs' | 'nullIds' | 'onClosed'
> {
  readonly logger?: Logger | undefined;
}

/** Serves one client over one channel. */
export function serveChannel(
  service: Service,
  channel: Channel,
  options: ServeOptions = {},
): Connection {
  const serve = enclose(service);
  return new Connection(
    channel,
    (connection) => new Conversation(connection, serve),
    connectionOptions(options),
  );
}

/** How every conversation with a client is held, whatever carries it. */
export function connectionOptions({ logger, ...options }: ServeOptions): ConnectionOptions {
  return {
    ...options,
    budget: options.budget ?? processBudget(),
    vocabulary,
    onBug: (error, method, exchange) => {
      const traceId = exchange && traceIdOf(exchange);
      logger?.error(`${method} failed`, { traceId, error: describeError(error) });
    },
  };
}
