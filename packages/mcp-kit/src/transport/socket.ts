import { abortedBy, KitError, net, processBudget } from '#base';
import type { Channel, Connection } from '#jsonrpc';
import type { Service, Target } from '#protocol';
import { dial, listen } from './listen.ts';
import { serveChannel, type ServeOptions } from './serve-channel.ts';
import { StreamChannel, type StreamChannelOptions } from './stream-channel.ts';

/** How conversations over a socket are held. */
export interface SocketOptions
  extends Omit<ServeOptions, 'budget' | 'onClosed'>, StreamChannelOptions {
  readonly maxConnections?: number | undefined;
}

/** A socket that is listened on, until it is closed. */
export interface Listening {
  /** Where it listens. */
  readonly address: string;
  /** Stops listening and ends every conversation; idempotent. */
  close(): Promise<void>;
}

/** Serves any number of clients over a unix socket, or a named pipe on Windows; only this user may connect. */
export async function listenSocket(
  service: Service,
  path: string,
  options: SocketOptions = {},
): Promise<Listening> {
  const { budget = processBudget() } = options;
  return listenLines(
    path,
    (channel, onClosed) => serveChannel(service, channel, { ...options, budget, onClosed }),
    { ...options, budget },
  );
}

/** The same for whatever speaks JSON-RPC, one message per line: `open` makes the connection, and says when it has closed. */
export async function listenLines(
  path: string,
  open: (channel: Channel, onClosed: () => void) => Connection,
  options: StreamChannelOptions & Pick<SocketOptions, 'maxConnections'> = {},
): Promise<Listening> {
  const connections = new Set<Connection>();
  const server = net().createServer({ allowHalfOpen: true }, (socket) => {
    const channel = new StreamChannel(socket, socket, options);
    const connection: Connection = open(channel, () => connections.delete(connection));
    connections.add(connection);
  });
  if (options.maxConnections !== undefined) server.maxConnections = options.maxConnections;
  await listen(server, { path });
  return {
    address: path,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all([...connections].map((connection) => connection.close()));
      await closed;
    },
  };
}

/** A server on a unix socket or named pipe that speaks one message per line. */
export function socketTarget(path: string, options: StreamChannelOptions = {}): Target {
  return {
    label: path,
    key: `unix:${path}`,
    wire: 'stream',
    dial: async (signal) => {
      if (signal?.aborted) {
        throw abortedBy(path, signal.reason);
      }
      try {
        const socket = await dial(path);
        const { alwaysReads = true } = options;
        return new StreamChannel(socket, socket, { ...options, alwaysReads });
      } catch (cause) {
        throw new KitError('unreachable', `cannot connect to ${path}`, {
          hint: 'Check that the server is running, and that it listens there.',
          cause,
          details: { ran: false },
        });
      }
    },
  };
}
