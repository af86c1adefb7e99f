import { userInfo } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { KitError } from '../error.ts';
import { stateFolder, whileWriting } from './state-file.ts';

const own = path.join(userInfo().homedir, '.local', 'state', 'mcp-kit');

test('what a user has approved is never looked for in the folder that happens to be open', () => {
  expect(stateFolder({ XDG_STATE_HOME: '/state' })).toBe('/state/mcp-kit');
  expect(stateFolder({ XDG_STATE_HOME: 'state', HOME: '/home/a' })).toBe(
    '/home/a/.local/state/mcp-kit',
  );
  for (const home of ['', '.', 'home']) expect(stateFolder({ HOME: home })).toBe(own);
  expect(stateFolder({})).toBe(own);
});

const failing = (code: string) => (): Promise<never> =>
  Promise.reject(Object.assign(new Error(code), { code }));

test.each([
  ['ENOSPC', 'The disk is full'],
  ['EDQUOT', 'The disk is full'],
  ['EACCES', 'You may not write there'],
  ['EROFS', 'can only be read'],
  ['ENOTDIR', 'Check its folder'],
])('a file that cannot be written because of %s is named, with what to do', async (code, next) => {
  await expect(whileWriting('/a/b.json', failing(code))).rejects.toMatchObject({
    code: 'invalid_config',
    message: `/a/b.json cannot be written (${code})`,
    hint: expect.stringContaining(next) as string,
  });
});

test('what is said already stays as it is', async () => {
  const said = new KitError('timeout', 'too late');
  await expect(whileWriting('/a/b.json', () => Promise.reject(said))).rejects.toBe(said);
});
