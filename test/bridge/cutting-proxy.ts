import { Buffer } from 'node:buffer';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** How many connections it has cut. */
  readonly cuts: number;
}

/** What ends a stream: cut after it, a connection could already carry the next request. */
const lastChunk = Buffer.from('0\r\n\r\n');

const random = (below: number): number => Math.floor(Math.random() * below);

/**
 * Stands before an HTTP server and cuts what carries a stream at a random byte of it, after what comes `first`. A stream can be
 * taken up again once an event was read that says where; one that goes on is cut anywhere.
 */
export async function openCuttingProxy(
  targetPort: number,
  within: number,
  first = '\nid: ',
): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  let cuts = 0;
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    let left: number | undefined;
    near.on('data', (chunk) => {
      // Whatever else is asked on a connection that was used before begins anew.
      left = chunk.includes('\r\nlast-event-id: ') ? random(within) : undefined;
      far.write(chunk);
    });
    far.on('data', (chunk) => {
      const passed = left === undefined ? chunk : chunk.subarray(0, left);
      near.write(passed);
      if (left !== undefined) left -= passed.length;
      else if (chunk.includes(first)) left = random(within);
      if (passed.subarray(-lastChunk.length).equals(lastChunk)) left = undefined;
      if (left === undefined || left > 0) return;
      cuts += 1;
      near.end(() => near.destroy());
      far.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get cuts() {
      return cuts;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
