import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { root } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';
import { FreshUser } from '../support/fresh-user.ts';

beforeAll(requireBuild);

/** Runs a command where file systems can be mounted that nobody else sees. */
const alone = 'unshare --user --map-root-user --mount';
const canMount = spawnSync('bash', ['-c', `${alone} mount -t tmpfs none /tmp`]).status === 0;

/** Runs commands as somebody whose folder, home or work, is on a file system of its own. */
function runOn(
  user: FreshUser,
  { folder, options }: { readonly folder: string; readonly options: string },
  commands: string,
): ReturnType<FreshUser['run']> {
  mkdirSync(folder, { recursive: true });
  const mount = `mount -t tmpfs -o '${options}' none '${folder}' && cd '${user.project.folder}'`;
  return user.run(`${alone} bash -c ${quoted(`${mount} && { ${commands}; }`)}`);
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const demo = { mcpServers: { demo: { command: 'mcpctl', args: ['serve', '--stdio'] } } };

describe.skipIf(!canMount)('a place that cannot be written to', () => {
  test('is named where it can only be read, with what was done all the same', async () => {
    using user = new FreshUser();
    const place = { folder: `${user.project.home}/.local`, options: 'ro' };
    const { code, stdout, stderr } = await runOn(
      user,
      place,
      'mcpctl add demo --yes --approve -- mcpctl serve --stdio',
    );
    expect(code).toBe(1);
    expect(stdout).toContain('mcp.json: added demo');
    expect(stderr).toContain('trust.json cannot be written (EROFS)');
    expect(stderr).toContain('What it is on can only be read: use another place.');
    expect(user.project.read('mcp.json').toString()).toContain('"demo"');
  });

  test('because it is full leaves every file as it was, and nothing beside it', async () => {
    using user = new FreshUser();
    const text = JSON.stringify(demo);
    const { stdout, stderr } = await runOn(
      user,
      { folder: user.project.folder, options: 'size=64k' },
      [
        `mkdir .cursor && printf %s ${quoted(text)} | tee mcp.json > .cursor/mcp.json`,
        'cat /dev/zero > fill 2> /dev/null || true',
        'mcpctl add other --yes -- mcpctl serve --stdio || echo "ended with $?"',
        'mcpctl config convert --to vscode --write || echo "ended with $?"',
        'ls -A . .cursor; cat mcp.json',
      ].join('; '),
    );
    expect(stdout.match(/ended with 1/g)).toHaveLength(2);
    expect(stderr.match(/The disk is full: make room/g)).toHaveLength(2);
    expect(stdout).not.toContain('.tmp');
    expect(stdout.endsWith(text)).toBe(true);
  });
});

test.skipIf(process.platform !== 'linux')(
  'a folder that was removed, or whose name is not UTF-8, is refused, and no other one is made',
  async () => {
    using user = new FreshUser();
    const program = `'${process.execPath}' '${path.join(root, 'packages/mcpctl/bin/mcpctl.js')}'`;
    const { stdout } = await user.run(
      [
        String.raw`odd=$(printf 'odd\377'); mkdir gone "$odd"; cd gone; rmdir ../gone`,
        `${program} call demo get_time_now 2>&1 || echo "ended with $?"`,
        'cd "../$odd"; mcpctl add demo --yes -- mcpctl serve --stdio 2>&1 || echo "ended with $?"',
        'ls ..',
      ].join('; '),
    );
    expect(stdout.match(/this folder cannot be worked in/g)).toHaveLength(2);
    expect(stdout.match(/ended with 2/g)).toHaveLength(2);
    expect(stdout.split('\n').filter((line) => line.startsWith('odd'))).toHaveLength(1);
  },
);
