import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseMode, wantsStream, wrongContentType } from './endpoint.ts';
import { profiles } from './profile.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);

interface Range {
  readonly type: string;
  readonly q: number | undefined;
}

const ours = ['application/json', 'text/event-stream'] as const;
const type = fc.constantFrom(
  ...ours,
  'application/*',
  'text/*',
  '*/*',
  'application/json-patch+json',
  'text/event-stream2',
  'text/html',
  'x/application/json',
);
const range = fc.record({ type, q: fc.constantFrom(undefined, undefined, 0, 0.5, 1) });
const header = fc.tuple(
  fc.array(range, { minLength: 1, maxLength: 5 }),
  fc.boolean(),
  fc.boolean(),
);

function write(ranges: readonly Range[], spaced: boolean, loud: boolean): string {
  const parts = ranges.map(({ type: name, q }) => {
    const weight = q === undefined ? '' : `${spaced ? ' ; ' : ';'}q=${q}`;
    return (loud ? name.toUpperCase() : name) + weight;
  });
  return parts.join(spaced ? ' , ' : ',');
}

/** Whether a type is accepted, and how much it is preferred, by RFC 9110: the most specific range decides. */
function judge(
  ranges: readonly Range[],
  name: string,
): { readonly q: number; readonly at: number } {
  const [family] = name.split('/');
  for (const wanted of [name, `${family}/*`, '*/*']) {
    const at = ranges.findIndex((candidate) => candidate.type === wanted);
    if (at >= 0) return { q: ranges[at]?.q ?? 1, at };
  }
  return { q: 0, at: 0 };
}

describe('Accept', () => {
  test('is read as RFC 9110 says, whatever its case and spaces', () => {
    fc.assert(
      fc.property(header, ([ranges, spaced, loud]) => {
        const accept = write(ranges, spaced, loud);
        const [json, sse] = [judge(ranges, ours[0]), judge(ranges, ours[1])];
        const mode = chooseMode(accept, profiles.spec);
        if (json.q > 0 && sse.q > 0) assert.equal(mode, 'either');
        else if (json.q > 0) assert.equal(mode, 'json');
        else assert.equal(mode, sse.q > 0 ? 'sse' : undefined);
        const stream = ranges.find((candidate) => candidate.type === 'text/event-stream');
        const explicit = stream !== undefined && stream.q !== 0;
        assert.equal(wantsStream({ accept }), explicit);
      }),
      { numRuns },
    );
  });

  test('by order prefers what has more weight, then what comes first', () => {
    fc.assert(
      fc.property(header, ([ranges, spaced, loud]) => {
        const [json, sse] = [judge(ranges, ours[0]), judge(ranges, ours[1])];
        const mode = chooseMode(write(ranges, spaced, loud), profiles['2025-06-18']);
        if (json.q === 0 || sse.q === 0) return;
        const preferred = sse.q > json.q || (sse.q === json.q && sse.at < json.at);
        assert.equal(mode, preferred ? 'sse' : 'either');
      }),
      { numRuns },
    );
  });

  test('of any content gives an answer we have, or none, and never a throw', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(',', ';', '/', '*', 'q=', '0', ' ', '"', ...ours) }),
    );
    fc.assert(
      fc.property(fc.option(text, { nil: undefined }), (accept) => {
        for (const profile of Object.values(profiles)) {
          const mode = chooseMode(accept, profile);
          assert.ok([undefined, 'either', 'json', 'sse'].includes(mode));
        }
        wantsStream({ accept });
        wrongContentType({ 'content-type': accept });
      }),
      { numRuns },
    );
  });

  test('that is absent is served as JSON unless the profile insists', () => {
    expect(chooseMode(undefined, profiles.spec)).toBe('json');
    expect(chooseMode(undefined, profiles['2025-06-18'])).toBeUndefined();
    expect(chooseMode('text/html', profiles.v2)).toBe('json');
  });
});

describe('Content-Type', () => {
  test.each([
    ['application/json', true],
    ['application/json; charset=utf-8', true],
    ['Application/JSON ;charset=utf-8', true],
    ['application/jsonp', false],
    ['application/json-patch+json', false],
    ['text/plain', false],
    ['text/plain; application/json', false],
    ['application/x-www-form-urlencoded', false],
    ['multipart/form-data', false],
    [undefined, false],
  ])('%s may carry a message: %s', (value, allowed) => {
    expect(wrongContentType({ 'content-type': value }) === undefined).toBe(allowed);
  });
});
