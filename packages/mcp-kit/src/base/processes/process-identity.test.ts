import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { ownProcess, parseProcess, processState } from './process-identity.ts';
import { readStat } from './process-stat.ts';

const isLinux = process.platform === 'linux';

test('this process runs', () => {
  expect(processState(ownProcess())).toBe(isLinux ? 'alive' : 'taken');
});

test('what was written is the same process when it is read', () => {
  expect(parseProcess(JSON.parse(JSON.stringify(ownProcess())))).toEqual(ownProcess());
});

test.each([
  undefined,
  null,
  'x',
  {},
  { pid: 1, host: 'a', space: 'b c', began: '7' },
  { place: 'a', pid: 0, start: 1 },
  { place: 'a', pid: -1, start: 1 },
  { place: 'a', pid: 1.5, start: 1 },
  { place: 'a', pid: 1, start: '1' },
])('anything else is no process: %j', (value) => {
  expect(parseProcess(value)).toBeUndefined();
});

test('of a process elsewhere nothing can be seen, whatever runs here', () => {
  expect(processState({ ...ownProcess(), place: 'elsewhere' })).toBe('unseen');
});

test('where the system does not tell when a process began, its number may be of another', () => {
  expect(processState({ ...ownProcess(), start: 0 })).toBe('taken');
});

test.runIf(isLinux)('a later process of the same number is another', () => {
  expect(processState({ ...ownProcess(), start: ownProcess().start - 1 })).toBe('gone');
});

test.runIf(isLinux)(
  'a process that has ended is gone, even if its parent has not heard of it',
  async () => {
    const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 600']);
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [said] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(said.toString());
    await expect.poll(() => readStat(pid)?.state).toBe('Z');
    expect(processState({ ...ownProcess(), pid, start: readStat(pid)?.start ?? 0 })).toBe('gone');
  },
);
