import type { Socket } from 'node:net';
import { unref } from '#base';
import type { NodeResponder } from './node-responder.ts';

/** Until when a connection that was refused is taken for hasty if it is refused again. */
const refusedUntil = new WeakMap<Socket, number>();

/**
 * Notes that a request was refused, and will be for `holdMs`. A connection that does not wait is not read for that long: what
 * it sends stays with its sender, and costs nothing here.
 */
export function holdIfHasty(socket: Socket, responder: NodeResponder, holdMs: number): void {
  const nowMs = performance.now();
  const isHasty = (refusedUntil.get(socket) ?? 0) > nowMs;
  // Longer than it is held: what it had sent meanwhile is no sign that it has waited.
  refusedUntil.set(socket, nowMs + 2 * holdMs);
  if (!isHasty) return;
  // Not before: after an answer Node reads what is left of the request, and for that has the connection read on.
  responder.onSent(() => setImmediate(() => hold(socket, holdMs)));
}

function hold(socket: Socket, ms: number): void {
  if (socket.destroyed) return;
  socket.pause();
  const timer = unref(
    setTimeout(() => {
      socket.off('close', giveUp);
      socket.resume();
    }, ms),
  );
  const giveUp = (): void => clearTimeout(timer);
  socket.once('close', giveUp);
}
