import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { idleMs, type Budget, type Holder } from '#base';

/** About what Node keeps for a connection on which nothing happens, and for one with TLS. */
const plainBytes = 16 * 1024;
const secureBytes = 64 * 1024;

/** Is told of every request. */
export type OnRequest = (socket: Socket, response: ServerResponse) => void;

/** Counts the connections of a server; when there is no room for one more, the oldest is closed on which nothing happens. */
export function countConnections(server: Server, budget: Budget, isSecure: boolean): OnRequest {
  const bytes = isSecure ? secureBytes : plainBytes;
  const connections = new WeakMap<Socket, Connection>();
  /** With TLS there is a second socket, and only who is at its other end tells that it is of the first. */
  const handshakes = new Map<string, Connection>();

  server.on('connection', (socket: Socket) => {
    if (!budget.admits('connections', bytes)) {
      socket.destroy();
      return;
    }
    const peer = peerOf(socket);
    // A unix socket is for this user only, and its other end has no name.
    if (isSecure && peer === undefined) return;
    const connection = new Connection(socket);
    const held = budget.hold('connections', bytes, connection);
    if (peer !== undefined && isSecure) handshakes.set(peer, connection);
    else connections.set(socket, connection);
    socket.once('close', () => {
      held.resize(0);
      if (peer !== undefined && handshakes.get(peer) === connection) handshakes.delete(peer);
    });
  });
  server.on('secureConnection', (socket: Socket) => {
    const connection = handshakes.get(peerOf(socket) ?? '');
    if (connection === undefined) return;
    connection.socket = socket;
    connections.set(socket, connection);
  });
  return (socket, response) => connections.get(socket)?.begin(response);
}

/** One connection, which can be closed while no request is under way. */
class Connection implements Holder {
  socket: Socket;
  #underWay = 0;
  #usedMs = performance.now();

  constructor(socket: Socket) {
    this.socket = socket;
  }

  begin(response: ServerResponse): void {
    this.#underWay += 1;
    response.on('close', this.#end);
  }

  readonly #end = (): void => {
    this.#underWay -= 1;
    this.#usedMs = performance.now();
  };

  letGo(): boolean {
    if (this.#underWay > 0 || performance.now() - this.#usedMs < idleMs) return false;
    this.socket.destroy();
    return true;
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string | undefined {
  return remotePort === undefined ? undefined : `${remoteAddress} ${remotePort}`;
}
