// --workers: several processes at one port, of which clients notice nothing.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Child } from '../support/child-process.ts';
import { announcementOf, expectUsageError, requireBuild } from '../support/cli.ts';
import { send } from '../support/http-client.ts';
import { postHeaders, request, startSession } from '../support/mcp-http.ts';
import { Project } from '../support/project.ts';

beforeAll(requireBuild);

const project = new Project();
afterAll(() => project[Symbol.dispose]());

/** The processes that a process has started and that are there. */
function childrenOf({ process: { pid } }: Child): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const serve = ['serve', '--port', '0', '--json', '--store', 'state', '--workers', '2'];

test.skipIf(process.platform !== 'linux')(
  'sessions go on at each of them, one that is killed is replaced, and all end together',
  async () => {
    await using parent = project.start(...serve, '--metrics-port', '0');
    const { url, metrics } = await announcementOf(parent);
    expect(metrics).toHaveLength(2);
    const workers = childrenOf(parent);
    expect(workers).toHaveLength(2);
    const session = await startSession(url);
    const headers = { ...postHeaders, ...session.headers };
    const list = async (): Promise<number> => {
      // A connection of its own, which any of them may get.
      const body = request('list', 'tools/list');
      return (await send(url, { body, headers: { ...headers, connection: 'close' } })).status;
    };
    for (let round = 0; round < 6; round += 1) expect(await list()).toBe(200);
    const [victim = 0, other = 0] = workers;
    process.kill(victim, 'SIGKILL');
    await parent.until(() => parent.stderr.includes('another one takes its place') || undefined);
    await expect.poll(() => childrenOf(parent).filter((pid) => pid !== victim).length).toBe(2);
    expect(isThere(other)).toBe(true);
    for (let round = 0; round < 6; round += 1) expect(await list()).toBe(200);
    // That it is gone was written down for the others.
    expect(parent.stderr.match(/warning/g)).toHaveLength(1);
    const last = childrenOf(parent);
    await parent.stop('SIGTERM');
    expect(last.filter(isThere)).toEqual([]);
    expect((await parent.ended).code).toBe(0);
  },
);

test.skipIf(process.platform !== 'linux')(
  'none of them outlives the one that started them',
  async () => {
    await using parent = project.start(...serve);
    await announcementOf(parent);
    const workers = childrenOf(parent);
    await parent.stop('SIGKILL');
    await expect.poll(() => workers.filter(isThere)).toEqual([]);
  },
);

test('what cannot be served by several processes is refused, and why', async () => {
  const refused = async (...args: readonly string[]) => project.run(...args, '--workers', '2');
  expectUsageError(await refused('serve'), /in memory, each would know its own/, /--store DIR/);
  const samples = ['cocos', 'serve', '--sample', '--port', '0', '--store', 'state'];
  expectUsageError(await refused(...samples), /one process has the project open/, /Leave it out/);
  expectUsageError(await refused('up', '--store', 'state'), /would start all servers/, /Leave it/);
  expectUsageError(await refused('serve', '--stdio'), /exclude each other/, /Leave out/);
  const port = ['serve', '--port', '1', '--host', '192.0.2.1', '--insecure', '--store', 'state'];
  const failed = await project.runApart(...port, '--workers', '2');
  expect(failed.code).not.toBe(0);
  expect(failed.stderr).not.toContain('takes its place');
});
