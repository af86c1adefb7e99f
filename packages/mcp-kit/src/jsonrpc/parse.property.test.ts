import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { rpcErrors } from './error.ts';
import { defaultLimits, parseMessage } from './parse.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What a strict reader makes of the bytes. */
function naive(bytes: Uint8Array): { readonly value: unknown } | undefined {
  try {
    const text = utf8.decode(bytes);
    return { value: JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text) };
  } catch {
    return undefined;
  }
}

/** The value without any own `__proto__` key. */
function scrubbed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(scrubbed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== '__proto__');
  return Object.fromEntries(entries.map(([key, inner]) => [key, scrubbed(inner)]));
}

/** JSON text in which any character of a string may be written as an escape. */
function spell(value: unknown, escape: () => boolean): string {
  if (typeof value === 'string') {
    const units = [...Array(value.length).keys()].map((at) => value.charCodeAt(at));
    const spelled = units.map((unit) =>
      escape() || unit < 0x20 || unit === 0x22 || unit === 0x5c || unit > 0x7e
        ? `\\u${unit.toString(16).padStart(4, '0')}`
        : String.fromCharCode(unit),
    );
    return `"${spelled.join('')}"`;
  }
  if (Array.isArray(value)) return `[${value.map((inner) => spell(inner, escape)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, inner]) => `${spell(key, escape)}:${spell(inner, escape)}`,
  );
  return `{${members.join(',')}}`;
}

const key = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', '', 'a'),
  fc.string({ maxLength: 4 }),
);

const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.string({ maxLength: 6 }),
    fc.constantFrom(null, true, 0, 1.5),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc
      .array(fc.tuple(key, tie('tree')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries)),
  ),
}));

test('every spelling of a JSON value is read as that value, and no __proto__ key survives', () => {
  const flips = fc.infiniteStream(fc.boolean());
  fc.assert(
    fc.property(tree, flips, fc.boolean(), (value, stream, marked) => {
      const text = spell(value, () => stream.next().value === true);
      const bytes = Buffer.from(marked ? `\uFEFF${text}` : text);
      const parsed = parseMessage(bytes, defaultLimits);
      assert.deepEqual(parsed, { ok: true, value: scrubbed(value) });
    }),
    { numRuns },
  );
});

test('any bytes are read as a strict reader reads them, or refused with a parse error', () => {
  const fragment = fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '1', 'é', '\\u', ' ', 'null');
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.array(fragment, { maxLength: 12 }).map((parts) => Buffer.from(parts.join(''))),
    fc.tuple(tree, fc.nat(60), fc.nat(255)).map(([value, at, byte]) => {
      const text = Buffer.from(JSON.stringify(value));
      text[at % text.length] = byte;
      return text;
    }),
  );
  fc.assert(
    fc.property(bytes, (input) => {
      const expected = naive(input);
      const parsed = parseMessage(input, defaultLimits);
      if (expected !== undefined) {
        assert.deepEqual(parsed, { ok: true, value: scrubbed(expected.value) });
      } else {
        assert.ok(!parsed.ok && parsed.code === rpcErrors.parse);
      }
    }),
    { numRuns },
  );
});

test('a message beyond a limit is an invalid request, whatever else is wrong with it', () => {
  const bounds = { maxBytes: 50, maxDepth: 2, maxElements: 4 };
  const code = (text: string) => {
    const parsed = parseMessage(Buffer.from(text), bounds);
    return parsed.ok ? 'read' : parsed.code;
  };
  expect(code('[1,2,3,4]')).toBe('read');
  expect(code('[1,2,3,4,5]')).toBe(rpcErrors.invalidRequest);
  expect(code('[[[')).toBe(rpcErrors.invalidRequest);
  expect(code(' '.repeat(51))).toBe(rpcErrors.invalidRequest);
  expect(code(' '.repeat(50))).toBe(rpcErrors.parse);
});
