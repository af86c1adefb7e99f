import { describe, expect, test } from 'vitest';
import { toFailure } from './failures.ts';

const thrownBySystem = (code: string): Error =>
  Object.assign(new Error(`${code}: mkdir 'local'`), { code });

describe('a failure of the file system', () => {
  test.each(['EACCES', 'EPERM', 'EROFS', 'ENOSPC'])('%s says what to do', (code) => {
    expect(toFailure(thrownBySystem(code))).toMatchObject({
      failure: {
        code: 'E_UNAVAILABLE',
        message: `${code}: mkdir 'local'`,
        suggestion: 'See that the files can be written, and that there is room for them.',
      },
    });
  });

  test('for too long a path is one of the arguments', () => {
    expect(toFailure(thrownBySystem('ENAMETOOLONG'))).toMatchObject({
      failure: { code: 'E_INVALID_ARGUMENT', suggestion: 'Choose a shorter path.' },
    });
  });

  test('that nobody expects stays what it is', () => {
    const error = thrownBySystem('toString');
    expect(toFailure(error)).toBe(error);
  });
});
