import { afterEach, describe, expect, test, vi } from 'vitest';
import { childEnvironment } from './environment.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe('the environment of a child', () => {
  test('has what a program needs, and no secret of ours', () => {
    vi.stubEnv('PATH', '/bin');
    vi.stubEnv('HOME', '/home/me');
    vi.stubEnv('API_TOKEN', 'secret');
    const env = childEnvironment({});
    expect(env).toMatchObject({ PATH: '/bin', HOME: '/home/me' });
    expect(env).not.toHaveProperty('API_TOKEN');
  });

  test('has what it was given, also instead of ours', () => {
    vi.stubEnv('HOME', '/home/me');
    const env = childEnvironment({ env: { HOME: '/elsewhere', API_TOKEN: 'given' } });
    expect(env).toMatchObject({ HOME: '/elsewhere', API_TOKEN: 'given' });
  });

  test('has all of ours only when asked for, and never a shell function', () => {
    vi.stubEnv('API_TOKEN', 'secret');
    vi.stubEnv('SHELL', '() { echo; }');
    vi.stubEnv('BASH_FUNC_x%%', '() { echo; }');
    const env = childEnvironment({ inheritEnv: true });
    expect(env['API_TOKEN']).toBe('secret');
    expect(env).not.toHaveProperty('BASH_FUNC_x%%');
    expect(childEnvironment({})).not.toHaveProperty('SHELL');
  });

  test('does not tell names apart by case on Windows', () => {
    vi.spyOn(process, 'platform', 'get').mockReturnValue('win32');
    vi.stubEnv('PATH', 'ours');
    vi.stubEnv('SYSTEMROOT', 'C:\\Windows');
    const env = childEnvironment({ env: { Path: 'theirs' } });
    expect(env).toMatchObject({ Path: 'theirs', SYSTEMROOT: 'C:\\Windows' });
    expect(env).not.toHaveProperty('PATH');
  });
});
