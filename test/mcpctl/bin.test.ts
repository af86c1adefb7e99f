import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Child, root } from '../support/child-process.ts';

const clone = mkdtempSync(path.join(os.tmpdir(), 'mcpctl-clone-'));
afterAll(() => rmSync(clone, { recursive: true }));

test('a clone builds the program when it is missing, and only then', async () => {
  const folder = path.join(clone, 'packages/mcpctl');
  cpSync(path.join(root, 'packages/mcpctl/bin'), path.join(folder, 'bin'), { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  mkdirSync(path.join(clone, 'scripts'));
  // Stands for the build: its program prints what it was given.
  writeFileSync(
    path.join(clone, 'scripts/prepare.mjs'),
    `import { mkdirSync, writeFileSync } from 'node:fs';
    export async function prepare() {
      process.stderr.write('built\\n');
      const dist = new URL('../packages/mcpctl/dist/', import.meta.url);
      mkdirSync(dist);
      writeFileSync(new URL('main.js', dist), 'console.log(process.argv.slice(2).join())');
    }`,
  );
  const run = async (name: string) => {
    await using child = new Child(process.execPath, [path.join(folder, 'bin', name), 'a', 'b']);
    const { code } = await child.ended;
    return { code, stdout: child.stdout, stderr: child.stderr };
  };
  expect(await run('mcpctl.js')).toEqual({ code: 0, stdout: 'a,b\n', stderr: 'built\n' });
  expect(await run('mcpctl.js')).toEqual({ code: 0, stdout: 'a,b\n', stderr: '' });
  expect(await run('stdio-http-bridge.js')).toMatchObject({ stdout: 'bridge,a,b\n', stderr: '' });
});
