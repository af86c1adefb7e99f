import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryStore } from './memory.ts';
import { weightOf } from './memory-table.ts';
import type { Log, LogEntry, Synchronous } from './store.ts';

const maxLogBytes = 2000;

/** The obvious log: filters and shifts, and remembers each position it lost. */
function createNaiveLog(): Omit<Synchronous<Log>, 'watch'> {
  interface NaiveLog {
    entries: LogEntry[];
    lost: number;
    last: number;
  }
  const logs = new Map<string, NaiveLog>();
  const lose = (log: NaiveLog): void => {
    log.lost = log.entries.shift()?.position ?? log.lost;
  };
  const bytes = (key: string, log: NaiveLog): number =>
    log.entries.reduce((sum, { data }) => sum + weightOf(data), weightOf(key));
  return {
    append(key, at, data) {
      const position = Number(at);
      const log = logs.get(key) ?? { entries: [], lost: position - 1, last: position - 1 };
      logs.set(key, log);
      if (position <= log.last) throw new RangeError('position');
      log.last = position;
      log.entries.push({ position, data });
      while (bytes(key, log) > maxLogBytes) lose(log);
      return position;
    },
    readAfter(key, position, limit) {
      const log = logs.get(key);
      if (log === undefined) return { entries: [], complete: false };
      const entries = log.entries.filter((entry) => entry.position > position);
      return { entries: entries.slice(0, limit), complete: position >= log.lost };
    },
    delete(key) {
      logs.delete(key);
    },
  };
}

const key = fc.constantFrom('a', 'b');
const position = fc.integer({ min: 0, max: 60 });
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('append'), key, position }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete'), key, position }) },
);

function apply(
  log: Pick<Synchronous<Log>, 'append' | 'delete'>,
  step: { do: string; key: string; position: number },
): string {
  try {
    if (step.do === 'append') log.append(step.key, step.position, 'x'.repeat(step.position * 7));
    else log.delete(step.key);
    return 'done';
  } catch {
    return 'refused';
  }
}

test('a log behaves like the obvious one, whatever is appended and deleted', () => {
  const read = fc.record({ key, position, limit: fc.option(fc.nat(5), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(fc.tuple(action, read), { maxLength: 80 }), (steps) => {
      const real = createMemoryStore({ maxLogBytes }).log;
      const naive = createNaiveLog();
      for (const [step, at] of steps) {
        expect(apply(real, step)).toBe(apply(naive, step));
        expect(real.readAfter(at.key, at.position, at.limit)).toEqual(
          naive.readAfter(at.key, at.position, at.limit),
        );
      }
    }),
    { numRuns: 500 },
  );
});

test('pages put together are the whole log', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(500)), fc.integer({ min: 1, max: 9 }), (found, limit) => {
      const { log } = createMemoryStore();
      const sorted = found.toSorted((a, b) => a - b);
      for (const at of sorted) log.append('k', at, `${at}`);
      const paged: number[] = [];
      for (;;) {
        const { entries } = log.readAfter('k', paged.at(-1) ?? -1, limit);
        if (entries.length === 0) break;
        paged.push(...entries.map((entry) => entry.position));
      }
      expect(paged).toEqual(sorted);
    }),
  );
});

test('ten thousand entries stay in order', () => {
  const { log } = createMemoryStore();
  const expected = Array.from({ length: 10_000 }, (_, n) => n + 1);
  for (const at of expected) log.append('k', at, `${at}`);
  const { entries, complete } = log.readAfter('k', 0);
  expect(entries).toEqual(expected.map((at) => ({ position: at, data: `${at}` })));
  expect(complete).toBe(true);
});
