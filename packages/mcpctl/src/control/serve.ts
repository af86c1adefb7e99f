import fs from 'node:fs';
import {
  describeError,
  KitError,
  type Channel,
  type Exchange,
  type Params,
} from 'mcp-kit/internal';
import { Connection, RpcError, rpcErrors } from 'mcp-kit/jsonrpc';
import { listenLines, type Listening } from 'mcp-kit/transport';
import { controlPath } from './place.ts';
import type { LogBook } from './log-book.ts';
import type { ControlMethods, LogLine, LogNotice, LogsAsked } from './protocol.ts';

/** What a running gateway lets be done with it. */
export interface Controlled {
  readonly book: LogBook;
  status(): ControlMethods['status'][1];
  tools(server: string | undefined): ControlMethods['tools'][1];
  restart(server: string): Promise<ControlMethods['restart'][1]>;
  /** Somebody may have logged out. */
  loggedOut(server: string, principal: string | undefined): Promise<object>;
  /** Gives a link to the console, where there is one. */
  console(): Promise<ControlMethods['console'][1]>;
  /** Ends a server, or the gateway itself. */
  stop(server: string | undefined): Promise<object>;
}

/** Listens for those who control the gateway of this process; nothing where no place is this user's alone. */
export async function serveControl(controlled: Controlled): Promise<Listening | undefined> {
  const path = controlPath(process.pid);
  if (path === undefined) return undefined;
  const listening = await listenLines(path, (channel, onClosed) =>
    converse(channel, controlled, onClosed),
  );
  return {
    address: path,
    async close() {
      await listening.close();
      if (process.platform !== 'win32') fs.rmSync(path, { force: true });
    },
  };
}

function converse(channel: Channel, controlled: Controlled, onClosed: () => void): Connection {
  let unfollow: (() => void) | undefined;
  const bind = (connection: Connection) => ({
    request: (exchange: Exchange): unknown => {
      const { method, params = {} } = exchange.message;
      if (method === 'logs') {
        const asked = readLogsAsked(params);
        unfollow?.();
        if (asked.follow) unfollow = follow(connection, asked, controlled.book);
        return { lines: controlled.book.last(asked.lines, asked.server) };
      }
      return answer(method, params, controlled);
    },
    notification: () => {},
    acceptsBatch: () => false,
    closed: () => unfollow?.(),
  });
  return new Connection(channel, bind, { onClosed });
}

async function answer(method: string, params: Params, controlled: Controlled): Promise<unknown> {
  try {
    switch (method) {
      case 'status':
        return controlled.status();
      case 'tools':
        return controlled.tools(textOf(params, 'server'));
      case 'restart':
        return await controlled.restart(textOf(params, 'server') ?? '');
      case 'loggedOut':
        return await controlled.loggedOut(
          textOf(params, 'server') ?? '',
          textOf(params, 'principal'),
        );
      case 'console':
        return await controlled.console();
      case 'stop':
        return await controlled.stop(textOf(params, 'server'));
    }
  } catch (error) {
    const isWrong = error instanceof KitError && error.code === 'invalid_argument';
    const code = isWrong ? rpcErrors.invalidParams : rpcErrors.internal;
    const hint = error instanceof KitError ? error.hint : undefined;
    throw new RpcError(code, error instanceof Error ? error.message : describeError(error), {
      hint,
    });
  }
  throw new RpcError(rpcErrors.methodNotFound, `no such method: ${method}`);
}

function textOf(params: Params, name: string): string | undefined {
  const value = params[name];
  return typeof value === 'string' ? value : undefined;
}

function readLogsAsked(params: Params): LogsAsked {
  const { lines, follow: wanted } = params;
  return {
    server: textOf(params, 'server'),
    lines: typeof lines === 'number' ? lines : 0,
    follow: wanted === true,
  };
}

/** Tells of lines as they come. Whoever does not read in time is told how many were left out. */
function follow(connection: Connection, { server }: LogsAsked, book: LogBook): () => void {
  let isFull = false;
  let left = 0;
  const send = (notice: LogNotice): void => {
    const drained = connection.notify('log', { ...notice });
    if (drained === undefined) return;
    isFull = true;
    void drained.then(() => {
      isFull = false;
      const missing = left;
      left = 0;
      if (missing > 0) send({ lines: [], left: missing });
    });
  };
  return book.follow((line: LogLine) => {
    if (server !== undefined && line.server !== server) return;
    if (isFull) left += 1;
    else send({ lines: [line] });
  });
}
