import { Buffer } from 'node:buffer';

/** How much memory that was given back is kept, and for how long. */
const maxSpare = 2;
const spareMs = 10_000;

let spare: Uint8Array[] = [];
let forgetting: NodeJS.Timeout | undefined;

/**
 * Memory for a large file, of at least so many bytes. Memory that is asked for anew with each write has the garbage collector
 * look at everything every few writes, so what is given back is used again.
 */
export function takeRoom(size: number): Uint8Array {
  const room = spare.find((each) => each.length >= size);
  spare = spare.filter((each) => each !== room);
  // Files grow little by little.
  return room ?? Buffer.allocUnsafeSlow(size + (size >> 6));
}

/** Gives memory back that nobody looks at any more. */
export function giveBack(room: Uint8Array): void {
  spare = [room, ...spare].sort((left, right) => right.length - left.length).slice(0, maxSpare);
  forgetting ??= setTimeout(forget, spareMs).unref();
  forgetting.refresh();
}

function forget(): void {
  spare = [];
  forgetting = undefined;
}
