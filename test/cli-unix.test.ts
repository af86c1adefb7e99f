import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Child, shell } from './support/child-process.ts';
import { announcementOf, requireBuild } from './support/cli.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'mcpctl-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(requireBuild);

describe('mcpctl serve --unix', () => {
  test('serves lines on a socket that only its owner may open, and prints a line that works as pasted', async () => {
    const socket = path.join(folder, 'one.sock');
    await using child = Child.mcpctl('serve', '--unix', socket);
    await child.until(() => (child.stdout.includes('Ctrl-C') ? true : undefined));
    expect(child.stdout).toContain(socket);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    const line = /^echo .*$/m.exec(child.stdout)?.[0] ?? '';
    const { code, stdout } = await shell(line);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      id: 1,
      result: { structuredContent: { timeZone: 'UTC' } },
    });
  });

  test('refuses a socket that another process serves, and takes over one whose process has died', async () => {
    const socket = path.join(folder, 'two.sock');
    {
      await using first = Child.mcpctl('serve', '--unix', socket, '--json');
      await first.until(() => (first.stdout.includes('\n') ? true : undefined));
      await using second = Child.mcpctl('serve', '--unix', socket);
      expect(await second.ended).toMatchObject({ code: 1 });
      expect(second.stderr).toMatch(/^mcpctl: another process listens on/);
      await first.stop('SIGKILL');
    }
    expect(existsSync(socket)).toBe(true);
    await using third = Child.mcpctl('serve', '--unix', socket, '--json');
    const { stdout } = await shell((await announcementOf(third)).try);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1 });
  });
});
