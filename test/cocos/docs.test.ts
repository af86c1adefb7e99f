import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Child, root } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';
import { FreshUser } from '../support/fresh-user.ts';
import { blocks, read } from '../support/markdown.ts';

beforeAll(requireBuild);

const page = read('docs/cocos.md');

/** What is to be typed, each with what the page shows of what it prints. */
const steps: { readonly commands: string; readonly shown: string[] }[] = [];
for (const { info, body } of blocks(page)) {
  if (info === 'sh try') steps.push({ commands: body, shown: [] });
  if (info === 'text output') steps.at(-1)?.shown.push(...body.trimEnd().split('\n'));
}

describe('docs/cocos.md', () => {
  test('can be followed as it is written', async () => {
    using user = new FreshUser();
    expect(steps).toHaveLength(4);
    for (const { commands, shown } of steps) {
      const { code, stdout } = await user.run(`exec 2>&1\nset -e\n${commands}`);
      expect({ code, commands, stdout }).toMatchObject({ code: 0 });
      const lines = stdout.split('\n');
      expect(lines).toEqual(expect.arrayContaining(shown.filter((line) => line !== '…')));
    }
  });

  test('has the tools, the codes and the pictures of the pack', async () => {
    const script = path.join(root, 'scripts/cocos-docs.mjs');
    await using child = new Child(process.execPath, [script, '--check']);
    const { code } = await child.ended;
    expect({ code, stderr: child.stderr }).toMatchObject({ code: 0 });
  });
});
