import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createDeferred, isPromise, KitError, kitErrorCodes, stderrLogger } from './index.ts';

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
