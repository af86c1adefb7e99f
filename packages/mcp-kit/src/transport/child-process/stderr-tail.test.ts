import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StderrTail } from './stderr-tail.ts';

const size = 64 * 1024;

describe('the tail of standard error', () => {
  test('is the end of all that came, in any split', () => {
    const pieces = fc.array(fc.nat(50_000), { maxLength: 20 });
    fc.assert(
      fc.property(pieces, (lengths) => {
        const tail = new StderrTail();
        let all = '';
        for (const [at, length] of lengths.entries()) {
          const piece = String.fromCodePoint(97 + at).repeat(length);
          all += piece;
          tail.push(Buffer.from(piece));
        }
        expect(tail.text === all.slice(-size)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('takes a piece larger than itself', () => {
    const tail = new StderrTail();
    tail.push(Buffer.from('before'));
    tail.push(Buffer.from(`${'x'.repeat(3 * size)}the end`));
    tail.push(Buffer.from('!'));
    expect(tail.text).toHaveLength(size);
    expect(tail.text.endsWith('xthe end!')).toBe(true);
  });

  test('does not begin within a character', () => {
    const tail = new StderrTail();
    tail.push(Buffer.from(`${'€'.repeat(size)}.`));
    expect(tail.text.startsWith('€')).toBe(true);
  });

  test('gives its last lines for a message, whole and harmless', () => {
    const tail = new StderrTail();
    tail.push(Buffer.from('first\nsecond\r\n\u001B[31mred\u0007\n'));
    expect(tail.lastLines(2000)).toBe('first\nsecond\n[31mred');
    expect(tail.lastLines(18)).toBe('second\n[31mred');
  });
});
