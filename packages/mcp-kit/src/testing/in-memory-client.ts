import type { MaybePromise } from '#base';
import { Connection, type Notification, type Params } from '#jsonrpc';
import {
  legacyVersions,
  metaKeys,
  methodNotFound,
  modernVersion,
  steer,
  vocabulary,
  type Service,
} from '#protocol';
import { memoryPair, serveChannel } from '#transport';

/** What a client in memory can do, and what it answers. */
export interface InMemoryClientOptions {
  /** Answers what the server asks: elicitation, sampling, roots. */
  readonly answer?:
    | ((method: string, params: Params | undefined) => MaybePromise<unknown>)
    | undefined;
  /** What the client declares that it can do. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
}

/** A client wired to a server within this process. */
export interface InMemoryClient {
  /** Performs the legacy handshake; returns the server's answer. */
  initialize(version?: string): Promise<unknown>;
  /** Sends a request as it is: after `initialize`, a legacy one. */
  request(method: string, params?: Params): Promise<unknown>;
  /** Sends a modern request, with its envelope. */
  requestModern(method: string, params?: Params): Promise<unknown>;
  notify(method: string, params?: Params): void;
  /** All notifications received so far. */
  readonly notifications: readonly Notification[];
  close(): Promise<void>;
}

/** Connects a test to a server without bytes in between. */
export function connectInMemory(
  service: Service,
  options: InMemoryClientOptions = {},
): InMemoryClient {
  const { answer, capabilities = {} } = options;
  const [near, far] = memoryPair();
  const notifications: Notification[] = [];
  serveChannel(service, far);
  const connection: Connection = new Connection(
    near,
    () => ({
      request({ message: { method, params } }) {
        if (answer !== undefined) return answer(method, params);
        throw methodNotFound(method);
      },
      notification(message) {
        notifications.push(message);
        steer(connection, message);
      },
      acceptsBatch: () => false,
      closed() {},
    }),
    { vocabulary },
  );
  const clientInfo = { name: 'in-memory', version: '1.0.0' };
  return {
    notifications,
    async initialize(protocolVersion = legacyVersions[0]) {
      const params = { protocolVersion, capabilities, clientInfo };
      const result = await connection.request('initialize', params);
      await connection.notify('notifications/initialized');
      return result;
    },
    request: (method, params) => connection.request(method, params),
    requestModern: (method, params) =>
      connection.request(method, {
        ...params,
        _meta: {
          [metaKeys.protocolVersion]: modernVersion,
          [metaKeys.clientCapabilities]: capabilities,
          [metaKeys.clientInfo]: clientInfo,
        },
      }),
    notify: (method, params) => void connection.notify(method, params),
    close: () => connection.close(),
  };
}
