import { connect, type Socket } from 'node:net';
import { clientMessage } from './messages.ts';
import type { Random } from './random.ts';

/** How many messages are written at once, at most. */
const burst = 20;
/** Few, as what is measured is a turn of the event loop, in which each may be read once. */
const lanes = 2;

/** Sends `count` messages over lines, on connections that come and go, read or do not; settles when all are sent. */
export async function attackLines(path: string, count: number, random: Random): Promise<void> {
  let left = count;
  const take = (): number => {
    const taken = Math.min(left, 1 + random.below(burst));
    left -= taken;
    return taken;
  };
  await Promise.all(Array.from({ length: lanes }, () => lane(path, take, random)));
}

async function lane(path: string, take: () => number, random: Random): Promise<void> {
  let socket: Socket | undefined;
  for (let some = take(); some > 0; some = take()) {
    if (socket === undefined || socket.destroyed) socket = await dial(path);
    const lines = Array.from({ length: some }, () => `${clientMessage(random)}\n`).join('');
    if (!socket.write(lines)) await drained(socket, random);
    if (random.chance(0.02)) leave(socket, random);
  }
  socket?.destroy();
}

function dial(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => resolve(socket));
    socket.on('error', () => {}).once('error', reject);
    socket.resume();
  });
}

/** Waits until the other side has read, at times without reading itself; a side that does not read is left. */
async function drained(socket: Socket, random: Random): Promise<void> {
  const deaf = random.chance(0.1);
  if (deaf) socket.pause();
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      socket.off('drain', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(
      () => {
        socket.destroy();
        done();
      },
      deaf ? 20 : 2000,
    );
    socket.once('drain', done).once('close', done);
  });
  socket.resume();
}

function leave(socket: Socket, random: Random): void {
  if (random.chance(0.3)) socket.write('{"jsonrpc":"2.0","id":1,');
  if (random.chance(0.5)) socket.end();
  else socket.destroy();
}
