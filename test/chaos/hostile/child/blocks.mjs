// Measures how long one event of this process, such as bytes of a socket, kept all others waiting. One turn of the event
// loop may take any number of them, and takes more the busier the machine is: its length says nothing of any message.
import { AsyncResource, createHook, executionAsyncResource } from 'node:async_hooks';
import { runningMs, stolenMs } from '../../../support/main-thread.mjs';

/** Events that are shorter are never looked at again. */
const longMs = 5;
/** How old a measured CPU time may be, in ms: asking for it is dear. */
const exactMs = 1;

let depth = 0;
/** The event that runs now: when it began, and when the last of its functions ended. The one that begins to watch is none. */
let began = Infinity;
let ended = 0;
let start = cpuAt(0);
let end = start;

function cpuAt(at) {
  return { at, running: runningMs(), stolen: stolenMs() };
}

/** What follows from the event before it, and runs before the next one can. */
const isFollowing = (resource) =>
  resource instanceof Promise || resource instanceof AsyncResource || 'callback' in resource;

/** Whoever was kept from running, by another process or by the host of the machine, did not block. */
function blockedMs() {
  const ranMs = end.running - start.running - (end.stolen - start.stolen);
  return Math.min(ended - began, ranMs);
}

/** Calls with the ms of CPU that an event took, for each that took long. */
export function watchBlocks(onLong) {
  createHook({
    before() {
      depth += 1;
      if (depth > 1 || isFollowing(executionAsyncResource())) return;
      if (ended - began > longMs) onLong(blockedMs());
      began = ended = performance.now();
      if (began - start.at > exactMs) start = cpuAt(began);
    },
    after() {
      depth -= 1;
      if (depth > 0) return;
      ended = performance.now();
      if (ended - began > longMs && ended - end.at > exactMs) end = cpuAt(ended);
    },
  }).enable();
}
