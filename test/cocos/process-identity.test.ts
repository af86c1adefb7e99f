import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning, ownIdentity } from '../../packages/cocos/src/project/process-identity.ts';

test('this process runs', () => {
  expect(isRunning(ownIdentity())).toBe(true);
});

test.runIf(process.platform === 'linux')(
  'a process that has ended does not run, even if its parent has not heard of it',
  async () => {
    const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 600']);
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [said] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(said.toString());
    const fields = (): string[] =>
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    await expect.poll(() => fields()[0]).toBe('Z');
    expect(isRunning({ ...ownIdentity(), pid, began: fields()[19] ?? '' })).toBe(false);
  },
);
