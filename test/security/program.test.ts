import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Manager, ManagerOptions } from '@mcp-kit/host';
import { expect, test } from 'vitest';
import { openManager } from './open-manager.ts';

/** A project whose server is a program that is found by its name. */
class Named implements Disposable {
  readonly root = mkdtempSync(path.join(os.tmpdir(), 'mcp-program-'));
  /** Is there once the wrong program has run. */
  readonly mark = path.join(this.root, 'ran');

  constructor(entry: object) {
    mkdirSync(path.join(this.root, '.cursor'));
    const config = { mcpServers: { named: { command: 'node', args: ['--version'], ...entry } } };
    writeFileSync(path.join(this.root, '.cursor', 'mcp.json'), JSON.stringify(config));
  }

  /** Puts another program of that name into a folder. */
  plant(folder: string): string {
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, 'node');
    writeFileSync(file, `#!/bin/sh\necho > ${this.mark}\n`, { mode: 0o755 });
    return folder;
  }

  open(options?: Partial<ManagerOptions>): Promise<Manager> {
    return openManager(this.root, options);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

test('the program that was looked at is the one that is started, whatever a file of variables says of the PATH', async () => {
  using project = new Named({ envFile: '.env' });
  const evil = project.plant(path.join(project.root, 'evil'));
  writeFileSync(path.join(project.root, '.env'), `PATH=${evil}:${process.env['PATH']}\n`);
  await using manager = await project.open();
  const { receipt } = await manager.approve('named', { by: 'test', pin: false });
  // One in the project would be held to its bytes.
  expect(receipt).toMatchObject({ runs: { runners: ['node'] } });
  expect(receipt.executable).toBeUndefined();
  await expect(manager.server('named').connect()).rejects.toMatchObject({ code: 'process_failed' });
  expect(existsSync(project.mark)).toBe(false);
});

test('a program is not looked for in the project when the caller has variables without a PATH', async () => {
  using project = new Named({});
  project.plant(project.root);
  await using manager = await project.open({ env: { TOKEN: 'x' } });
  const { receipt } = await manager.approve('named', { by: 'test', pin: false });
  expect(receipt.executable).toBeUndefined();
});

test('an empty PATH in an entry finds nothing, least of all in the project', async () => {
  using project = new Named({ env: { PATH: '' } });
  project.plant(project.root);
  await using manager = await project.open();
  await expect(manager.approve('named', { by: 'test' })).rejects.toMatchObject({
    code: 'process_failed',
    message: expect.stringContaining('there is no program node') as unknown,
  });
});
