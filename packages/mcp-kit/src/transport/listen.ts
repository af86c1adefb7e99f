import { Buffer } from 'node:buffer';
import type { Server, Socket } from 'node:net';
import { createDeferred, files, KitError, net } from '#base';

/** Where a server listens: a port of this machine, or a unix socket (a named pipe on Windows). */
export type Address = { readonly host: string; readonly port: number } | { readonly path: string };

/** Connections that may wait while this process is busy: after an outage all clients come back at once. */
const backlog = 4096;

/** Begins to listen. A socket file is for this user only, and one that a dead process left behind is replaced. */
export async function listen(server: Server, where: Address): Promise<void> {
  const file = 'path' in where && !isPipe(where.path) ? where.path : undefined;
  if (file !== undefined) await clear(file);
  const { promise, resolve, reject } = createDeferred<void>();
  server.once('error', reject);
  server.listen({ ...where, backlog }, resolve);
  try {
    await promise;
  } catch (cause) {
    throw refusal(where, cause);
  }
  server.off('error', reject);
  if (file !== undefined) await files().chmod(file, 0o600);
}

/** Connects to a unix socket or named pipe. */
export async function dial(path: string): Promise<Socket> {
  const socket = net().connect(path);
  const { promise, resolve, reject } = createDeferred<void>();
  socket.once('connect', resolve);
  socket.once('error', reject);
  try {
    await promise;
  } catch (cause) {
    throw new KitError('closed', `cannot connect to ${path}`, { cause });
  }
  socket.off('error', reject);
  return socket;
}

/** Named pipes live in a namespace of their own, not in the file system. */
function isPipe(path: string): boolean {
  return path.startsWith('\\\\.\\pipe\\') || path.startsWith('\\\\?\\pipe\\');
}

/** The kernel's limit; a longer path would silently be cut. */
const maxPathBytes = process.platform === 'linux' ? 107 : 103;

/** Makes way for a new socket file. */
async function clear(path: string): Promise<void> {
  if (Buffer.byteLength(path) > maxPathBytes) {
    throw new KitError('invalid_argument', `${path} is too long for a socket`, {
      hint: `Use a path of at most ${maxPathBytes} bytes.`,
    });
  }
  const found = await files()
    .lstat(path)
    .catch(() => undefined);
  if (found === undefined) return;
  if (!found.isSocket()) {
    throw new KitError('address_in_use', `${path} exists and is not a socket`, {
      hint: 'Choose another path, or remove the file.',
    });
  }
  const alive = await dial(path).then(
    (socket) => {
      socket.destroy();
      return true;
    },
    () => false,
  );
  if (alive) {
    throw new KitError('address_in_use', `another process listens on ${path}`, {
      hint: 'Choose another path, or stop that process.',
    });
  }
  await files().unlink(path);
}

function refusal(where: Address, cause: unknown): KitError {
  const shown = 'path' in where ? where.path : `${where.host}:${where.port}`;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE') {
    return new KitError('address_in_use', `cannot listen on ${shown}: it is taken`, {
      hint: 'Choose another port, or stop the process that has it.',
      cause,
    });
  }
  // A missing folder is reported as a missing permission.
  const hint =
    code === 'EACCES'
      ? 'Choose a place that exists and is yours.'
      : 'Use an address of this machine.';
  return new KitError('invalid_argument', `cannot listen on ${shown}: ${String(code)}`, {
    hint,
    cause,
  });
}
