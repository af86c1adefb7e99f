import { connect, type Socket } from 'node:net';
import { clientMessage, hear } from './client-messages.ts';
import type { Random } from './random.ts';

/** How many messages are written at once, at most; none after a large one, as all of them may be read in one turn. */
const burst = 20;
const large = 50_000;
/** Few, as what is measured is a turn of the event loop, in which each may be read once. */
const lanes = 2;

/** Sends `count` messages over lines, on connections that come and go, read or do not; settles when all are sent. */
export async function attackLines(path: string, count: number, random: Random): Promise<void> {
  let left = count;
  const take = (): readonly string[] => {
    const taken: string[] = [];
    for (let some = Math.min(left, 1 + random.below(burst)); some > 0; some -= 1) {
      taken.push(clientMessage(random));
      if ((taken.at(-1) ?? '').length > large) break;
    }
    left -= taken.length;
    return taken;
  };
  await Promise.all(Array.from({ length: lanes }, () => lane(path, take, random)));
}

async function lane(path: string, take: () => readonly string[], random: Random): Promise<void> {
  let socket: Socket | undefined;
  for (let some = take(); some.length > 0; some = take()) {
    if (socket === undefined || socket.destroyed) socket = await dial(path, random);
    const end = random.chance(0.98) ? '\n' : random.pick(['\r\n', '\n\n', '\r', ' \n']);
    const lines = some.map((message) => `${message}${end}`).join('');
    if (!socket.write(lines)) await drained(socket, random);
    if (random.chance(0.02)) leave(socket, lines, random);
  }
  socket?.destroy();
}

/** Opens a connection; most begin with a handshake, so that what follows is served. */
async function dial(path: string, random: Random): Promise<Socket> {
  const socket = await new Promise<Socket>((resolve, reject) => {
    const opened = connect(path, () => resolve(opened));
    opened.on('error', () => {}).once('error', reject);
  });
  socket.on('data', (chunk) => hear(chunk.toString('latin1', 0, 3000)));
  if (random.chance(0.7)) {
    socket.write(
      '{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{},"roots":{}},"clientInfo":{"name":"hostile","version":"1"}}}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
    );
  }
  return socket;
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

/** Hangs up, in the middle of a line as well. */
function leave(socket: Socket, lines: string, random: Random): void {
  if (random.chance(0.5)) socket.write(lines.slice(0, random.below(Math.min(lines.length, 5000))));
  if (random.chance(0.5)) socket.end();
  else socket.destroy();
}
