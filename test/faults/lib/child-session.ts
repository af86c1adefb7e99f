import path from 'node:path';
import { Connection } from 'mcp-kit/jsonrpc';
import { childTarget, type ChildOptions } from 'mcp-kit/transport/child-process';

import { Child } from '../../support/child-process.ts';

const script = path.resolve(import.meta.dirname, '../child/children-host.mjs');

/** A program with children, in a process of its own; its temporary files are in `folder`. */
export function startHost(task: object, folder?: string): Child {
  const args = ['--expose-gc', '--unhandled-rejections=strict', script, JSON.stringify(task)];
  const env = folder === undefined ? process.env : { ...process.env, TMPDIR: folder };
  return new Child(process.execPath, args, { env });
}

/** Settles when it has said a line. */
export function said(host: Child): Promise<string> {
  return host.until(() => (host.stdout.includes('\n') ? host.stdout : undefined));
}

/** A conversation with a child that asks nothing of us. */
export async function openChild(options: ChildOptions): Promise<Connection & AsyncDisposable> {
  const channel = await childTarget(options).dial();
  const connection = new Connection(channel, () => ({
    request: () => undefined,
    notification: () => {},
    acceptsBatch: () => false,
    malformed: () => {},
    closed: () => {},
  }));
  return Object.assign(connection, { [Symbol.asyncDispose]: () => connection.close() });
}
