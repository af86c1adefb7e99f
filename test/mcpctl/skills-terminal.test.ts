import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { requireBuild } from '../support/cli.ts';
import { FreshUser, hasTerminal, type Shown } from '../support/fresh-user.ts';
import { fixture } from '../support/project.ts';

beforeAll(requireBuild);

/** Installs the one skill of a server on a terminal, and answers the question. */
async function install(user: FreshUser, keys: string): Promise<Shown> {
  const folder = path.join(user.project.folder, 'skills');
  const server = [...fixture('skills'), folder].join(' ');
  await using child = user.terminal(`mcpctl skills install hello --no-color -- ${server}`);
  await child.until(() => (child.stdout.includes('Write this? [y/N]') ? true : undefined));
  child.process.stdin.write(keys);
  const { code } = await child.ended;
  return { code, screen: child.stdout };
}

describe.skipIf(!hasTerminal)('a person who installs a skill', () => {
  const instructions = '---\nname: hello\ndescription: Greets \u001B[2Jpeople\n---\n\nHi.\n';
  const installed = '.agents/skills/hello/SKILL.md';

  test('is shown every line of it first, without what moves the cursor, and agrees', async () => {
    using user = new FreshUser({ 'skills/hello/SKILL.md': instructions });
    const refused = await install(user, 'n\r');
    expect(refused).toMatchObject({ code: 0 });
    expect(refused.screen).toContain(`${installed} (new)`);
    expect(refused.screen).toContain('nothing was written');
    expect(user.project.has(installed)).toBe(false);
    const { code, screen } = await install(user, 'y\r');
    expect(code).toBe(0);
    expect(screen).toContain('+ description: Greets \\u001b[2Jpeople');
    expect(screen).not.toContain('\u001B[2J');
    expect(screen).toContain('1 file written');
    expect(user.project.read(installed).toString()).toBe(instructions);
  });
});
