import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { KitError } from '#base';
import type { WriteOptions } from '#store';
import { withoutAnswer, writeRecord, type KeyRecord } from './idempotency-record.ts';
import { KeyMemory } from './key-memory.ts';

const maxCharacters = 20_000;

/** What a call leaves under its key, with an answer of some length. */
function record(owner: string, length: number): string {
  const shown = { content: [{ type: 'text', text: 'x'.repeat(length) }] } as const;
  const done: KeyRecord = {
    phase: 'done',
    args: 'digest',
    owner,
    outcome: { ok: true, value: null, shown },
  };
  return writeRecord(done, Infinity);
}

function put(
  memory: KeyMemory,
  ...[key, value, options]: readonly [key: string, value: string, options?: WriteOptions]
): void {
  memory.cas(key, memory.get(key), value, options);
}

const step = fc.record({
  do: fc.constantFrom('put', 'put', 'put', 'delete', 'wait'),
  owner: fc.constantFrom('ann', 'bob', 'cid', '-'),
  name: fc.nat(40),
  length: fc.oneof(fc.nat(100), fc.nat(9000)),
  ms: fc.integer({ min: 1, max: 5000 }),
});

/** A memory, and beside it all that it must know. */
class Watched {
  nowMs = 0;
  readonly memory = new KeyMemory({ maxCharacters, now: () => this.nowMs });
  readonly #known = new Map<string, { value: string; untilMs: number }>();

  delete(key: string): void {
    assert.ok(this.memory.cas(key, this.memory.get(key), undefined));
    this.#known.delete(key);
  }

  /** Writes over what is there; only a key that is not may be refused. */
  write(key: string, value: string, ttlMs: number): void {
    const before = this.memory.get(key);
    try {
      assert.ok(this.memory.cas(key, before, value, { ttlMs }));
      this.#known.set(key, { value, untilMs: this.nowMs + ttlMs });
    } catch (error) {
      assert.ok(error instanceof KitError && error.code === 'overloaded', String(error));
      assert.equal(before, undefined);
    }
  }

  check(): void {
    for (const key of this.#known.keys()) {
      const value = this.#live(key);
      const allowed: readonly (string | undefined)[] =
        value === undefined ? [undefined] : [value, withoutAnswer(value)];
      assert.ok(allowed.includes(this.memory.get(key)), key);
    }
  }

  #live(key: string): string | undefined {
    const known = this.#known.get(key);
    return known !== undefined && known.untilMs > this.nowMs ? known.value : undefined;
  }
}

test('no key is forgotten before its time, whoever writes what; only answers and new keys suffer', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
      const watched = new Watched();
      for (const { do: what, owner, name, length, ms } of steps) {
        const key = `idempotency/${owner}/${name}`;
        if (what === 'wait') watched.nowMs += ms;
        else if (what === 'delete') watched.delete(key);
        else watched.write(key, record(owner, length), ms);
        watched.check();
      }
    }),
    { numRuns: 300 },
  );
});

test('what one caller writes leaves the answers of others whole, and room for them', () => {
  const memory = new KeyMemory({ maxCharacters });
  const answer = record('bob', 3000);
  put(memory, 'idempotency/bob/1', answer);
  const fill = (): void => {
    for (let n = 0; n < 1000; n += 1) put(memory, `idempotency/ann/${n}`, record('ann', 2000));
  };
  expect(fill).toThrow('no room');
  expect(memory.get('idempotency/bob/1')).toBe(answer);
  put(memory, 'idempotency/bob/2', answer);
  expect(memory.get('idempotency/ann/0')).toBe(withoutAnswer(record('ann', 2000)));
  // What has begun may come to its end.
  put(memory, 'idempotency/ann/0', record('ann', 9000));
  expect(memory.get('idempotency/ann/0')).toContain('"phase":"done"');
});

test('room that was refused is there again when keys have lapsed', () => {
  let nowMs = 0;
  const memory = new KeyMemory({ maxCharacters, now: () => nowMs });
  const fill = (n: number): void => {
    put(memory, `idempotency/-/${1000 + n}`, record('-', 10), { ttlMs: 5000 });
  };
  let count = 0;
  expect(() => {
    for (; count < 1000; count += 1) fill(count);
  }).toThrow('no room');
  nowMs = 5001;
  for (let n = 0; n < count; n += 1) fill(count + n);
  expect(memory.get('idempotency/-/1000')).toBeUndefined();
  expect(memory.get(`idempotency/-/${1000 + count}`)).toBeDefined();
});
