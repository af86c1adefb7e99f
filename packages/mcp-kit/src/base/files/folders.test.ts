import { expect, test } from 'vitest';
import { withoutFolders } from './folders.ts';

test.each([
  [
    "EACCES: permission denied, open '/home/me/my game/assets/a.scene'",
    "EACCES: permission denied, open 'a.scene'",
  ],
  [
    'cannot start /usr/local/bin/node /srv/app/server.mjs …: ENOENT',
    'cannot start node server.mjs …: ENOENT',
  ],
  ['There is no folder /srv/app; correct cwd.', 'There is no folder app; correct cwd.'],
  ['C:\\Users\\me\\server.exe exited with 3', 'server.exe exited with 3'],
  ['open "D:/games/one/a.json"', 'open "a.json"'],
  ['\\\\host\\share\\tool.exe is missing', 'tool.exe is missing'],
  ['cannot connect to /tmp/x/server.sock', 'cannot connect to server.sock'],
])('%s', (text, shown) => {
  expect(withoutFolders(text)).toBe(shown);
});

test.each([
  'cannot reach https://example.com/a/b/mcp: refused',
  'Nothing here: try /mcp',
  'assets/scenes/main.scene cannot be read',
  './a/b and ../c/d and ~/e/f',
  'application/json, text/event-stream',
  'and/or/not',
])('%s stays as it is', (text) => {
  expect(withoutFolders(text)).toBe(text);
});

test('costs no more than its length', () => {
  const cost = (text: string): number => {
    const begun = process.cpuUsage();
    withoutFolders(text);
    const { user, system } = process.cpuUsage(begun);
    return user + system;
  };
  for (const part of ['/', ' /', '/a', "'/", '\\\\', "'/a b"]) {
    cost(part.repeat(1000));
    expect(cost(part.repeat(20_000))).toBeLessThan(500_000);
  }
});
