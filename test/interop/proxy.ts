import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Proxy extends AsyncDisposable {
  readonly port: number;
  /** Where the next connections lead. */
  targetPort: number;
  /** How many connections there have been. */
  readonly accepted: number;
  /** Breaks every connection off, in both directions and without a word. */
  cut(): void;
  /** Breaks the oldest one off. */
  cutOldest(): void;
}

/** Stands between a client and a server on this machine, to be cut. */
export async function openProxy(targetPort: number): Promise<Proxy> {
  const open = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // Cutting is what this is for.
    socket.on('error', () => {});
    return socket;
  };
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  let accepted = 0;
  const server = createServer((inner) => {
    accepted += 1;
    const outer = track(connect(proxy.targetPort, '127.0.0.1'));
    track(inner).pipe(outer);
    outer.pipe(inner);
    inner.on('close', () => outer.destroy());
    outer.on('close', () => inner.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: Proxy = {
    targetPort,
    port: (server.address() as AddressInfo).port,
    get accepted() {
      return accepted;
    },
    cut,
    cutOldest: () => [...open][0]?.destroy(),
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
