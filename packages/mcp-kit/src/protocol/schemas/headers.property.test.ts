import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeHeaderValue,
  encodeHeaderValue,
  headerBindings,
  mirrorHeaders,
  mirrorMismatch,
} from './headers.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);

const tricky = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme-ascii' }),
  fc.string({
    unit: fc.constantFrom('=', '?', 'b', '=?base64?', '?=', ' ', '\t', '\r\n', 'é', '\0'),
  }),
);

/** What may stand in a header as it is, told character by character. */
function isSafe(text: string): boolean {
  const codes = Buffer.from(text, 'utf16le');
  const visible = codes.every((byte, at) =>
    at % 2 === 1 ? byte === 0 : byte === 9 || (byte >= 32 && byte <= 126),
  );
  return visible && text !== '' && text.trim() === text;
}

describe('a header value', () => {
  test('carries every text there and back, in characters that every HTTP hop lets through', () => {
    fc.assert(
      fc.property(tricky, (text) => {
        const encoded = encodeHeaderValue(text);
        assert.ok(isSafe(encoded));
        assert.equal(decodeHeaderValue(encoded), text);
        // Optional white space around a value belongs to HTTP, not to it.
        assert.equal(decodeHeaderValue(` \t${encoded}\t `), text);
      }),
      { numRuns },
    );
  });

  test('is readable text whenever it can be', () => {
    fc.assert(
      fc.property(tricky, (text) => {
        const sentinel = /^=\?base64\?.*\?=$/s.test(text);
        if (isSafe(text) && !sentinel && text !== '=?base64?=') {
          assert.equal(encodeHeaderValue(text), text);
        }
      }),
      { numRuns },
    );
  });

  test('has one encoding only: base64 that is not canonical, or not UTF-8, is refused', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 12 }).map((raw) => Buffer.from(raw).toString('base64')),
      fc.string({ unit: fc.constantFrom('A', 'b', '+', '/', '-', '_', '=', ' ', '!') }),
      fc
        .string({ unit: 'binary', maxLength: 6 })
        .map((text) => Buffer.from(text).toString('base64')),
    );
    fc.assert(
      fc.property(bytes, (base64) => {
        const decoded = decodeHeaderValue(`=?base64?${base64}?=`);
        if (decoded !== undefined) {
          assert.equal(Buffer.from(decoded).toString('base64'), base64);
        } else {
          const raw = Buffer.from(base64, 'base64');
          const utf8 = !raw.toString('utf8').includes('\uFFFD');
          assert.ok(raw.toString('base64') !== base64 || !utf8);
        }
      }),
      { numRuns },
    );
  });

  test.each([
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['', '=?base64??='],
    ['plain text', 'plain text'],
  ])('of %j is %s', (text, encoded) => {
    expect(encodeHeaderValue(text)).toBe(encoded);
    expect(decodeHeaderValue(encoded)).toBe(text);
  });

  test('that only resembles the marker is text', () => {
    expect(decodeHeaderValue('=?base64?=')).toBe('=?base64?=');
    expect(decodeHeaderValue('=?BASE64?QQ==?=')).toBe('=?BASE64?QQ==?=');
  });
});

describe('mirrored arguments', () => {
  const schema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      deep: { type: 'object', properties: { flag: { type: 'boolean', 'x-mcp-header': 'Flag' } } },
      constructor: { type: 'string', 'x-mcp-header': 'Built' },
    },
  } as const;
  const bindings = headerBindings(schema);

  const args = fc.record(
    {
      region: fc.option(tricky),
      count: fc.option(fc.maxSafeInteger()),
      deep: fc.record({ flag: fc.option(fc.boolean()) }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  );

  /** The headers an honest client sends. */
  function headersFor(value: {
    region?: string | null;
    count?: number | null;
    deep?: { flag?: boolean | null };
  }): Record<string, string> {
    const headers: Record<string, string> = {};
    const { region, count, deep } = value;
    if (typeof region === 'string') headers['mcp-param-region'] = encodeHeaderValue(region);
    if (typeof count === 'number') headers['mcp-param-count'] = String(count);
    if (typeof deep?.flag === 'boolean') headers['mcp-param-flag'] = String(deep.flag);
    return headers;
  }

  test('are accepted exactly when each header says what the body says', () => {
    fc.assert(
      fc.property(args, args, (honest, claimed) => {
        assert.equal(mirrorMismatch(bindings, honest, headersFor(honest)), undefined);
        const same = JSON.stringify(headersFor(honest)) === JSON.stringify(headersFor(claimed));
        const verdict = mirrorMismatch(bindings, honest, headersFor(claimed));
        assert.equal(verdict === undefined, same);
      }),
      { numRuns },
    );
  });

  test('of any shape are judged without a throw', () => {
    const value = fc.oneof(fc.string(), fc.array(fc.string()), fc.constant(undefined));
    const headers = fc.dictionary(
      fc.constantFrom('mcp-param-region', 'mcp-param-count', 'mcp-param-flag', 'mcp-param-built'),
      value,
    );
    fc.assert(
      fc.property(fc.anything(), headers, (anything, sent) => {
        mirrorMismatch(bindings, anything, sent);
      }),
      { numRuns },
    );
  });

  test.each([
    ['42', 42, true],
    ['42.0', 42, true],
    ['-7', -7, true],
    ['0x2a', 42, false],
    ['=?base64?ICA=?=', 0, false],
    ['', 0, false],
    ['43', 42, false],
    ['Infinity', 42, false],
  ])('the integer header %j stands for %d: %s', (header, count, same) => {
    const verdict = mirrorMismatch(bindings, { count }, { 'mcp-param-count': header });
    expect(verdict === undefined).toBe(same);
  });

  test('are made from arguments so that they agree with them', () => {
    fc.assert(
      fc.property(args, (given) => {
        const headers = mirrorHeaders(given, bindings);
        assert.equal(mirrorMismatch(bindings, given, headers), undefined);
        for (const text of Object.values(headers)) assert.match(text, /^[\t\x20-\x7e]*$/);
      }),
      { numRuns },
    );
    expect(mirrorHeaders({ region: '', count: null }, bindings)).toEqual({
      'mcp-param-region': '',
    });
  });

  test('an absent argument is absent, whatever every object inherits', () => {
    expect(mirrorMismatch(bindings, {}, {})).toBeUndefined();
    expect(mirrorMismatch(bindings, {}, { 'mcp-param-built': 'x' })).toMatch('is present');
  });

  test.each([
    ['on a number', { properties: { a: { type: 'number', 'x-mcp-header': 'A' } } }],
    [
      'on items',
      { properties: { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } } },
    ],
    ['within anyOf', { anyOf: [{ properties: { a: { type: 'string', 'x-mcp-header': 'A' } } }] }],
    ['that is no token', { properties: { a: { type: 'string', 'x-mcp-header': 'A b' } } }],
    ['that is empty', { properties: { a: { type: 'string', 'x-mcp-header': '' } } }],
    [
      'used twice, in whatever case',
      {
        properties: {
          a: { type: 'string', 'x-mcp-header': 'A' },
          b: { type: 'string', 'x-mcp-header': 'a' },
        },
      },
    ],
  ])('a declaration %s is refused', (_name, wrong) => {
    expect(() => headerBindings({ type: 'object', ...wrong })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    );
  });

  test('a property may be named like the annotation', () => {
    const named = { type: 'object', properties: { 'x-mcp-header': { type: 'string' } } };
    expect(headerBindings(named)).toEqual([]);
  });
});
