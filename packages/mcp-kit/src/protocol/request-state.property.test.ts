import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSealer } from './request-state.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);

const small = fc.jsonValue({ maxDepth: 1 });
const binding = ['alice', 'tools/call', { name: 'pay', arguments: { amount: 5 } }];

describe('a sealed state', () => {
  test('gives back its data to the request it belongs to, however its parameters are ordered', () => {
    const sealer = createSealer();
    fc.assert(
      fc.property(small, fc.dictionary(fc.string(), small, { maxKeys: 4 }), (data, params) => {
        const sealed = sealer.seal(data, ['p', 'm', params]);
        const reordered = Object.fromEntries(Object.entries(params).toReversed());
        const copy: unknown = JSON.parse(JSON.stringify(reordered));
        assert.deepEqual(sealer.open(sealed, ['p', 'm', copy]), JSON.parse(JSON.stringify(data)));
      }),
      { numRuns: Math.min(numRuns, 20_000) },
    );
  });

  test('is worth nothing once any single bit of it has been changed', () => {
    const sealer = createSealer();
    const bytes = Buffer.from(
      sealer.seal({ answers: { a: 1 }, effects: {} }, binding),
      'base64url',
    );
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(sealer.open(changed.toString('base64url'), binding)).toBeUndefined();
    }
  });

  test('is worth nothing when altered, cut, prolonged or made up', () => {
    const sealer = createSealer();
    const sealed = sealer.seal({ secret: true }, binding);
    const forged = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.base64String().map((text) => text.replaceAll('=', '')),
      fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
      fc
        .tuple(fc.nat(sealed.length - 1), fc.string())
        .map(([at, part]) => sealed.slice(0, at) + part + sealed.slice(at + part.length)),
      fc.nat(sealed.length - 1).map((length) => sealed.slice(0, length)),
      fc.string({ minLength: 1 }).map((more) => sealed + more),
    );
    fc.assert(
      fc.property(forged, (text) => {
        const opened = sealer.open(text, binding);
        assert.equal(opened !== undefined, text === sealed);
      }),
      { numRuns },
    );
  });

  test('is worth nothing to another caller, for another method or with other parameters', () => {
    const sealer = createSealer();
    const sealed = sealer.seal({}, binding);
    const other = fc.tuple(
      fc.constantFrom('alice', 'bob', null),
      fc.constantFrom('tools/call', 'prompts/get'),
      fc.record({
        name: fc.constantFrom('pay', 'Pay'),
        arguments: fc.record({ amount: fc.constantFrom(5, '5', 50, [5], null) }),
      }),
    );
    fc.assert(
      fc.property(other, (claimed) => {
        const same = JSON.stringify(claimed) === JSON.stringify(binding);
        assert.equal(sealer.open(sealed, claimed) !== undefined, same);
      }),
      { numRuns },
    );
  });

  test('never shows what it contains, nor that two contain the same', () => {
    const sealer = createSealer();
    const data = { password: 'correct horse battery staple' };
    const first = sealer.seal(data, binding);
    expect(Buffer.from(first, 'base64url').toString('latin1')).not.toContain('horse');
    expect(sealer.seal(data, binding)).not.toBe(first);
  });

  test('expires', () => {
    let now = 1000;
    const sealer = createSealer({ ttlMs: 50, now: () => now });
    const sealed = sealer.seal('data', binding);
    now += 49;
    expect(sealer.open(sealed, binding)).toBe('data');
    now += 1;
    expect(sealer.open(sealed, binding)).toBeUndefined();
  });

  test('is opened by a key that was rotated out of use, not by one that was taken away', () => {
    const [old, next] = [randomBytes(32), randomBytes(32)];
    const sealed = createSealer({ keys: [old] }).seal('data', binding);
    expect(createSealer({ keys: [next, old] }).open(sealed, binding)).toBe('data');
    expect(createSealer({ keys: [next] }).open(sealed, binding)).toBeUndefined();
    expect(createSealer().open(sealed, binding)).toBeUndefined();
    const renewed = createSealer({ keys: [next, old] }).seal('data', binding);
    expect(createSealer({ keys: [next] }).open(renewed, binding)).toBe('data');
  });

  test('needs keys of 32 bytes', () => {
    expect(() => createSealer({ keys: [] })).toThrow('32 bytes');
    expect(() => createSealer({ keys: [randomBytes(16)] })).toThrow('32 bytes');
  });
});
