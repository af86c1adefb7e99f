import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { echo, writePlainServer, writeTools } from '../security/plain-server.ts';
import { requireBuild } from '../support/cli.ts';
import { FreshUser, isInstalled } from '../support/fresh-user.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

function open(): FreshUser {
  const user = new FreshUser({
    '.mcp.json': { mcpServers: { plain: { command: './server', args: ['\u001B[2Jx'] } } },
  });
  const { folder } = user.project;
  writePlainServer(path.join(folder, 'server'), path.join(folder, 'tools.json'));
  writeTools(path.join(folder, 'tools.json'), [echo]);
  return user;
}

const question = 'Approve it? [y/N]';

/** Answers the question on the terminal; how it ended, and what was shown. */
async function answer(
  user: FreshUser,
  keys: string,
): Promise<{ code: number | null; screen: string }> {
  await using child = user.terminal('mcpctl trust approve plain');
  await child.until(() => (child.stdout.includes(question) ? true : undefined));
  child.process.stdin.write(keys);
  const { code } = await child.ended;
  return { code, screen: child.stdout };
}

const isTrusted = async (user: FreshUser): Promise<boolean> =>
  (await user.run('mcpctl trust list')).stdout.includes(' trusted');

describe.skipIf(!isInstalled('script'))('a person at a terminal', () => {
  test('sees what would run, and agrees', async () => {
    using user = open();
    const { code, screen } = await answer(user, 'y\r');
    expect(code).toBe(0);
    expect(screen).toMatch(/runs +\.\/server '\\u001b\[2Jx'/);
    expect(screen).not.toContain('\u001B[2J');
    expect(screen).toMatch(/approved plain, with 1 tool: echo/);
    expect(await isTrusted(user)).toBe(true);
  });

  oneIn(2)([
    ['does not agree', 'n\r', 1],
    ['says nothing', '\r', 1],
    ['says something else', 'yeah why not\r', 1],
    ['ends the input', '\u0004', 1],
    ['interrupts', '\u0003', 130],
  ])('who %s has approved nothing', async (_, keys, code) => {
    using user = open();
    expect(await answer(user, keys)).toMatchObject({ code });
    expect(await isTrusted(user)).toBe(false);
  });
});

describe.skipIf(!isInstalled('script'))('a person who uses a server that is not approved', () => {
  async function use(
    user: FreshUser,
    keys: string,
  ): Promise<{ code: number | null; screen: string }> {
    await using child = user.terminal('mcpctl tools plain');
    await child.until(() => (child.stdout.includes(question) ? true : undefined));
    child.process.stdin.write(keys);
    const { code } = await child.ended;
    return { code, screen: child.stdout };
  }

  test('is shown what it would run and what the approval covers, agrees, and the call goes on', async () => {
    using user = open();
    const { code, screen } = await use(user, 'y\r');
    expect(screen).toMatch(/runs +\.\/server/);
    expect(screen).toMatch(/covers +the entry, its tools, and/);
    expect(screen).toMatch(/1 tool · /);
    expect(code).toBe(0);
    expect(await isTrusted(user)).toBe(true);
  });

  test('does not agree, is told once what was refused, and nothing has run', async () => {
    using user = open();
    const { code, screen } = await use(user, 'n\r');
    expect(screen.match(/refusing to/g)).toHaveLength(1);
    expect(screen).toContain('mcpctl: plain is not approved: nothing was done');
    expect(code).toBe(3);
    expect(screen).toMatch(/refusing to spawn/);
    expect(await isTrusted(user)).toBe(false);
  });
});

describe.skipIf(!isInstalled('script'))('a person who adds a server', () => {
  test('sees the difference, agrees, and may approve it there and then', async () => {
    using user = new FreshUser();
    await using child = user.terminal('mcpctl add demo -- mcpctl serve --stdio');
    await child.until(() => (child.stdout.includes('Write this? [y/N]') ? true : undefined));
    expect(user.project.has('mcp.json')).toBe(false);
    child.process.stdin.write('y\r');
    await child.until(() => (child.stdout.includes(question) ? true : undefined));
    child.process.stdin.write('y\r');
    expect(await child.ended).toMatchObject({ code: 0 });
    expect(await isTrusted(user)).toBe(true);
  });
});
