import type { Buffer } from 'node:buffer';
import { connect, type Socket } from 'node:net';
import { hear } from './client-messages.ts';
import { anyRequest, opening, remember, type Known } from './http-requests.ts';
import type { Random } from './random.ts';

/** Few, as what is measured is a turn of the event loop, in which each may be read once. */
const lanes = 8;
/** Who has not answered by then is left. */
const patienceMs = 500;
/** How long a connection that nobody looks at stays open, at most. */
const neglectMs = 400;
/** What is not answered at once, if it is served: nobody waits for it. */
const lasting = /^GET|"(?:hang|ask|subscriptions\/listen)"/;

/** Sends `count` messages over HTTP, in requests of every shape; settles when all are sent. */
export async function attackHttp(port: number, count: number, random: Random): Promise<void> {
  const known: Known = { port, sessions: [], events: [] };
  let left = count;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      const lane = new Lane(known, random);
      while (left > 0) {
        const sent = await lane.send();
        left -= sent;
      }
      lane.close();
    }),
  );
}

/** One connection at a time, one request after the other, now and then several at once. */
class Lane {
  readonly #known: Known;
  readonly #random: Random;
  #socket: Socket | undefined;
  #settle: (() => void) | undefined;

  constructor(known: Known, random: Random) {
    this.#known = known;
    this.#random = random;
  }

  /** Tells how many messages it has sent. */
  async send(): Promise<number> {
    const random = this.#random;
    if (this.#known.sessions.length === 0 || random.chance(0.01)) {
      await this.#exchange([opening(this.#known)]);
    }
    const count = random.chance(0.97) ? 1 : 1 + random.below(5);
    const requests = Array.from({ length: count }, () => anyRequest(random, this.#known));
    if (random.chance(0.02)) await this.#cutOff(requests);
    else await this.#exchange(requests);
    return count;
  }

  close(): void {
    this.#socket?.destroy();
  }

  /** Sends a part of it and hangs up, or is silent; some never read what comes back. */
  async #cutOff([bytes]: readonly Buffer[]): Promise<void> {
    const socket = await this.#dial();
    if (bytes === undefined) return;
    if (this.#random.chance(0.3)) socket.pause();
    socket.write(bytes.subarray(0, this.#random.below(bytes.length + 1)));
    if (this.#random.chance(0.5)) socket.destroy();
    this.#leave(socket);
  }

  async #exchange(requests: readonly Buffer[]): Promise<void> {
    const socket = await this.#dial();
    for (const bytes of requests) socket.write(bytes);
    if (requests.some((bytes) => lasting.test(bytes.toString('latin1', 0, 2000)))) {
      this.#leave(socket);
    } else {
      await this.#answered(socket);
      if (this.#random.chance(0.05)) socket.destroy();
    }
  }

  /** Settles with the first bytes that come back. */
  async #answered(socket: Socket): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        socket.destroy();
        this.#settle?.();
      }, patienceMs);
      this.#settle = () => {
        clearTimeout(timer);
        this.#settle = undefined;
        resolve();
      };
    });
  }

  /** The connection stays open for a moment, with whatever is under way on it; the next request has its own. */
  #leave(socket: Socket): void {
    this.#socket = undefined;
    setTimeout(() => socket.destroy(), this.#random.below(neglectMs)).unref();
  }

  async #dial(): Promise<Socket> {
    if (this.#socket !== undefined && !this.#socket.destroyed) return this.#socket;
    const socket = connect(this.#known.port, '127.0.0.1');
    this.#socket = socket;
    const settle = (): void => {
      if (this.#socket === socket) this.#settle?.();
    };
    socket.on('error', () => {}).on('close', settle);
    socket.on('data', (chunk: Buffer) => {
      this.#learn(chunk.toString('latin1', 0, 3000));
      settle();
    });
    await new Promise<void>((resolve) => {
      socket.once('connect', resolve).once('close', () => resolve());
    });
    return socket;
  }

  #learn(answer: string): void {
    const session = /\r\nmcp-session-id: *(\S+)/i.exec(answer)?.[1];
    if (session !== undefined) remember(this.#known.sessions, session);
    const event = /\nid: *(\S+)/.exec(answer)?.[1];
    if (event !== undefined) remember(this.#known.events, event);
    hear(answer);
  }
}
