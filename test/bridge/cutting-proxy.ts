import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** How many connections it has cut. */
  readonly cuts: number;
}

/** A server does not keep streams for a client that stays away while many others are answered. */
const maxCutsOfOne = 3;

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
  const resumed = new Map<string, number>();
  const mayCut = (stream: string): boolean => {
    const times = (resumed.get(stream) ?? 0) + 1;
    resumed.set(stream, times);
    return times < maxCutsOfOne;
  };
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
    let begins: string | undefined;
    near.on('data', (chunk) => {
      // Whatever else is asked on a connection that was used before begins anew.
      const stream = /\r\nlast-event-id: (\d+)\./.exec(chunk.toString('latin1'))?.[1];
      begins = stream === undefined ? first : undefined;
      left = stream !== undefined && mayCut(stream) ? random(within) : undefined;
      far.write(chunk);
    });
    far.on('data', (chunk) => {
      const passed = left === undefined ? chunk : chunk.subarray(0, left);
      near.write(passed);
      if (left !== undefined) left -= passed.length;
      else if (begins !== undefined && chunk.includes(begins)) left = random(within);
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
