import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  canonicalJson,
  chain,
  createDeferred,
  isPromise,
  KitError,
  kitErrorCodes,
  stderrLogger,
  withoutUndefined,
} from './index.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a deferred', () => {
  test('settles once, as it was first told', async () => {
    const kept = createDeferred<number>();
    kept.resolve(1);
    kept.resolve(2);
    kept.reject(new Error('late'));
    await expect(kept.promise).resolves.toBe(1);
    const broken = createDeferred<number>();
    broken.reject(new Error('first'));
    broken.resolve(3);
    await expect(broken.promise).rejects.toThrow('first');
  });
});

describe('isPromise', () => {
  test('is true for whatever has a then, and for nothing else', () => {
    expect(isPromise(Promise.resolve())).toBe(true);
    const foreign = {};
    Reflect.set(foreign, 'then', () => {});
    expect(isPromise(foreign)).toBe(true);
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const thenable =
          typeof value === 'object' &&
          value !== null &&
          typeof Reflect.get(value, 'then') === 'function';
        expect(isPromise(value)).toBe(thenable);
      }),
    );
  });
});

describe('a KitError', () => {
  test('has a code of the table, a hint and a cause', () => {
    const cause = new Error('inner');
    const error = new KitError('timeout', 'too late', { hint: 'wait longer', cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'KitError', code: 'timeout', hint: 'wait longer', cause });
    expect(kitErrorCodes).toHaveProperty(error.code);
    expect('cause' in new KitError('closed', 'x')).toBe(false);
  });
});

describe('the logger to standard error', () => {
  test('writes one line per entry, from its level up', () => {
    const lines: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    const logger = stderrLogger('warn');
    logger.debug('a');
    logger.info('b');
    logger.warn('c\nd', { key: 'e\nf' });
    logger.error('g');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^warn: c d .*\n$/);
    expect(lines[0]).toContain('{"key":"e\\nf"}');
    expect(lines[1]).toBe('error: g\n');
  });

  test('survives fields that are not JSON', () => {
    const lines: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    stderrLogger().error('round', loop);
    stderrLogger().error('big', { big: 1n });
    expect(lines).toHaveLength(2);
    expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true);
  });
});

describe('canonical JSON', () => {
  test('is the same for equal values, in whatever order their members are', () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== 'object' || value === null) return value;
      const entries = Object.entries(value).map(([key, member]) => [key, shuffled(member)]);
      return Object.fromEntries(entries.toReversed());
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(shuffled(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  test('tells different values apart, also where they are dates', () => {
    expect(canonicalJson({ a: 1 })).not.toBe(canonicalJson({ a: '1' }));
    expect(canonicalJson({ at: new Date(0) })).toBe('{"at":"1970-01-01T00:00:00.000Z"}');
    expect(canonicalJson({ a: undefined })).toBe('{}');
  });
});

test('what is here already is gone on with at once, what is not, later', async () => {
  expect(chain(1, (value) => value + 1)).toBe(2);
  await expect(chain(Promise.resolve(1), (value) => value + 1)).resolves.toBe(2);
});

test('an object without its undefined members keeps all others', () => {
  const object = { a: undefined, b: null, c: 0, d: '' };
  expect(Object.entries(withoutUndefined(object))).toEqual([
    ['b', null],
    ['c', 0],
    ['d', ''],
  ]);
  expect({ a: 1, ...withoutUndefined(object) }.a).toBe(1);
});
