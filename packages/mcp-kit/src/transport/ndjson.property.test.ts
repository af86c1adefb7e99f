import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultLimits, oversized, parseMessage, type Limits } from '#jsonrpc';
import { LineReader } from './ndjson.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);

type Event = { readonly message: unknown } | { readonly malformed: readonly [number, string] };

/** Reads the input in these pieces. */
function read(pieces: readonly Buffer[], limits: Limits): Event[] {
  const events: Event[] = [];
  const reader = new LineReader(limits, {
    message: (value) => events.push({ message: value }),
    malformed: (code, reason) => events.push({ malformed: [code, reason] }),
    skipped: () => {},
  });
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return events;
}

/** The same with the whole input at hand: split it, then judge line by line. */
function naive(input: Buffer, limits: Limits): Event[] {
  const events: Event[] = [];
  let from = 0;
  while (from < input.length) {
    const found = input.indexOf('\n', from);
    const end = found < 0 ? input.length : found;
    const whole = input.subarray(from, end);
    const line = whole.at(-1) === 0x0d ? whole.subarray(0, -1) : whole;
    from = end + 1;
    if (line.length === 0) continue;
    const parsed = line.length > limits.maxBytes ? oversized(limits) : parseMessage(line, limits);
    if (parsed.ok) events.push({ message: parsed.value });
    else events.push({ malformed: [parsed.code, parsed.reason] });
  }
  return events;
}

function cut(input: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (input.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((start, index) => input.subarray(start, at[index] ?? input.length));
}

const line = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).map((value) => Buffer.from(JSON.stringify(value))),
  fc
    .constantFrom('', '\uFEFF{"a":1}', '{"a":1}\r', '\r', ' ', '{"é":"漢字"}', '\uFEFF', '{')
    .map((text) => Buffer.from(text)),
  fc.integer({ min: 25, max: 36 }).map((size) => Buffer.from(`"${'x'.repeat(size)}"`)),
  fc.integer({ min: 25, max: 36 }).map((size) => Buffer.from(`"${'x'.repeat(size)}"\r`)),
  fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
);

const input = fc
  .tuple(fc.array(line, { maxLength: 6 }), fc.boolean())
  .map(([lines, ended]) =>
    Buffer.concat(
      lines.flatMap((part, at) =>
        at < lines.length - 1 || ended ? [part, Buffer.from('\n')] : [part],
      ),
    ),
  );

test('however the bytes are split, the same messages and complaints come out', () => {
  const limits = { ...defaultLimits, maxBytes: 32 };
  fc.assert(
    fc.property(input, fc.array(fc.nat(), { maxLength: 8 }), (bytes, places) => {
      assert.deepEqual(read(cut(bytes, places), limits), naive(bytes, limits));
    }),
    { numRuns },
  );
});

test('a line that comes byte by byte is read once, whole', () => {
  const text = JSON.stringify({ text: 'ünïcödé '.repeat(2000) });
  const bytes = Buffer.from(`${text}\r\n${text}\n`);
  const pieces = [...bytes].map((byte) => Buffer.of(byte));
  const value = JSON.parse(text) as unknown;
  expect(read(pieces, defaultLimits)).toEqual([{ message: value }, { message: value }]);
});

test('a bad line never spoils the next, and is complained about once', () => {
  const good = '{"id":1}';
  const bad = ['{"broken', '\uFFFF\xFF'.repeat(3), '[[[[[[', 'x'.repeat(100)];
  const limits = { maxBytes: 64, maxDepth: 4, maxElements: 100 };
  for (const text of bad) {
    const bytes = Buffer.from(`${text}\n${good}\n`, 'latin1');
    for (let at = 0; at <= bytes.length; at++) {
      const events = read([bytes.subarray(0, at), bytes.subarray(at)], limits);
      expect(events).toHaveLength(2);
      expect(events[0]).toHaveProperty('malformed');
      expect(events[1]).toEqual({ message: { id: 1 } });
    }
  }
});
