import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import { test } from 'vitest';
import { SseReader } from './sse.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);
const maxBytes = 24;
const longestLine = maxBytes + 64;

type Said = readonly [string, ...(string | number)[]];

/** Reads the input in these pieces. */
function read(pieces: readonly Buffer[]): Said[] {
  const said: Said[] = [];
  const reader = new SseReader(maxBytes, {
    event: (type, data) => said.push(['event', type, data.toString('latin1')]),
    position: (id) => said.push(['id', id]),
    retry: (ms) => said.push(['retry', ms]),
    oversized: () => said.push(['oversized']),
  });
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return said;
}

/** The same with the whole input at hand: split it into lines, the lines into events. */
function naive(input: Buffer): Said[] {
  const text = input.toString('latin1').replace(/^\u00EF\u00BB\u00BF/, '');
  const said: Said[] = [];
  let data: string[] = [];
  let type = '';
  let id: string | undefined;
  let refused = false;
  const dispatch = (): void => {
    const whole = data.join('\n');
    if (id !== undefined) said.push(['id', id]);
    if (refused) {
      said.push(['oversized']);
    } else if (whole !== '') {
      said.push(['event', Buffer.from(type, 'latin1').toString() || 'message', whole]);
    }
    [data, type, id, refused] = [[], '', undefined, false];
  };
  const lines = text.split(/\r\n|\r|\n/);
  const last = lines.pop() ?? '';
  const take = (line: string): void => {
    const [, name, value = ''] = /^([^:]*)(?:: ?([^]*))?$/.exec(line) ?? [];
    if (name === 'data') {
      data.push(value);
      if (data.join('\n').length > maxBytes) refused = true;
    } else if (line.length > longestLine) {
      // Whatever else it may be, it says nothing.
    } else if (name === 'event') type = value;
    else if (name === 'id' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) said.push(['retry', Number(value)]);
  };
  for (const line of lines) {
    if (line === '') dispatch();
    else take(line);
  }
  if (last !== '') take(last);
  id = undefined;
  dispatch();
  return said;
}

function cut(input: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (input.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((start, index) => input.subarray(start, at[index] ?? input.length));
}

const part = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('\n', '\r', '\r\n', '\n\n', '\r\n\r\n') },
  {
    weight: 6,
    arbitrary: fc.constantFrom('data:', 'data: ', 'event:', 'id: ', 'id', 'retry: ', ':', ' ', 'x'),
  },
  fc.constantFrom('\uFEFF', 'é', '漢', '\0', '12', 'data', '{"a":1}', 'x'.repeat(9)),
  fc.string({ maxLength: 6 }),
);
const input = fc
  .tuple(fc.array(part, { maxLength: 24 }), fc.uint8Array({ maxLength: 4 }))
  .map(([parts, bytes]) => Buffer.concat([Buffer.from(parts.join('')), bytes]));

test('however the bytes are split, the same events come out', () => {
  fc.assert(
    fc.property(input, fc.array(fc.nat(), { maxLength: 8 }), (bytes, places) => {
      assert.deepEqual(read(cut(bytes, places)), naive(bytes));
    }),
    { numRuns },
  );
});
