import { createWatchers, KitError } from '#base';
import { isOver, newSlot, weightOf, type Table, type Slot, type Space } from './memory-table.ts';
import type { Log, LogEntry, LogRead, Synchronous } from './store.ts';

/** One log: its live entries are `entries` from `head` on. */
export interface LogContent {
  entries: LogEntry[];
  head: number;
  /** The highest position that is gone, or that was before the log began. */
  horizon: number;
  last: number;
}

/** Where the logs are and what bounds them. */
export interface MemoryLogOptions {
  readonly logs: Table<LogContent>;
  readonly space: Space;
  readonly maxLogBytes: number;
  /** Frees what expired and what other logs hold. */
  readonly makeRoom: (kept: Slot<LogContent>) => void;
}

const nothingKnown: LogRead = Object.freeze({ entries: Object.freeze([]), complete: false });
const vacant: LogEntry = Object.freeze({ position: Number.NaN, data: '' });

/** Logs in a table; one that grows too big, or for which there is no room, loses its oldest entries. */
export function createMemoryLog(options: MemoryLogOptions): Synchronous<Log> {
  const { logs, space, maxLogBytes, makeRoom } = options;

  const watchers = createWatchers();

  const cutHead = (slot: Slot<LogContent>): boolean => {
    const log = slot.content;
    const entry = log.entries[log.head];
    if (entry === undefined) return false;
    log.entries[log.head] = vacant;
    log.head += 1;
    log.horizon = entry.position;
    logs.weigh(slot, -weightOf(entry.data), -1);
    return true;
  };

  const fit = (slot: Slot<LogContent>): void => {
    while (slot.bytes > maxLogBytes && cutHead(slot));
    if (isOver(space)) makeRoom(slot);
    while (isOver(space) && cutHead(slot));
    compact(slot.content);
    if (isOver(space)) logs.drop(slot);
  };

  return {
    append(key, at, data, write) {
      const known = logs.get(key);
      const position = at === 'next' ? nextPosition(known?.content.last) : at;
      const last = known?.content.last ?? position - 1;
      if (!Number.isSafeInteger(position) || position <= last) {
        throw new KitError(
          'invalid_argument',
          `log "${key}": position ${position} is not an integer above ${last}`,
        );
      }
      const entry = { position, data };
      const slot = known ?? newSlot(key, newLog(entry));
      if (write?.ttlMs !== undefined) logs.expireAfter(slot, write.ttlMs);
      if (known === undefined) {
        logs.add(slot);
      } else {
        logs.touch(slot);
        known.content.last = position;
        known.content.entries.push(entry);
      }
      logs.weigh(slot, weightOf(data), 1);
      if (slot.bytes > maxLogBytes || isOver(space)) fit(slot);
      watchers.wake(key);
      return position;
    },

    readAfter(key, position, limit = Infinity) {
      const log = logs.get(key)?.content;
      if (log === undefined) return nothingKnown;
      const start = firstAfter(log, position);
      return {
        entries: log.entries.slice(start, start + Math.max(0, limit)),
        complete: position >= log.horizon,
      };
    },

    watch: (key, woken) => watchers.add(key, woken),

    delete(key) {
      const slot = logs.get(key);
      if (slot !== undefined) logs.drop(slot);
    },
  };
}

function newLog(first: LogEntry): LogContent {
  const { position } = first;
  return { entries: [first], head: 0, horizon: position - 1, last: position };
}

/** Time is in it: a log that begins anew goes on above the one that is gone. */
function nextPosition(last = 0): number {
  const nowMs = performance.timeOrigin + performance.now();
  return Math.max(last + 1, Math.floor(nowMs * 1000));
}

/** Index of the first live entry above `position`. */
function firstAfter(log: LogContent, position: number): number {
  let low = log.head;
  let high = log.entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = log.entries[middle];
    if (entry !== undefined && entry.position <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Gives the vacant slots back once they are the greater part, so that a cut costs O(1) over time. */
function compact(log: LogContent): void {
  if (log.head * 2 <= log.entries.length) return;
  log.entries = log.entries.slice(log.head);
  log.head = 0;
}
