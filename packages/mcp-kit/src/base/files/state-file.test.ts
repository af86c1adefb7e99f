import { userInfo } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { stateFolder } from './state-file.ts';

const own = path.join(userInfo().homedir, '.local', 'state', 'mcp-kit');

test('what a user has approved is never looked for in the folder that happens to be open', () => {
  expect(stateFolder({ XDG_STATE_HOME: '/state' })).toBe('/state/mcp-kit');
  expect(stateFolder({ XDG_STATE_HOME: 'state', HOME: '/home/a' })).toBe(
    '/home/a/.local/state/mcp-kit',
  );
  for (const home of ['', '.', 'home']) expect(stateFolder({ HOME: home })).toBe(own);
  expect(stateFolder({})).toBe(own);
});
