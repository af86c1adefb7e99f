import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Child, mcpctl } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';
import { runHere, type Finished } from '../support/run-here.ts';
import { isWhole, oneIn, sample } from '../support/scale.ts';
import { makeHostileRepo, outsideText, secret, type HostileRepo } from './hostile-repo.ts';

let repo: HostileRepo;
beforeAll(async () => {
  requireBuild();
  repo = await makeHostileRepo();
});
afterAll(() => repo[Symbol.asyncDispose]());

/** Does what somebody would who has just cloned the repository: in a pipe, with a secret. */
const run = (...args: readonly string[]): Promise<Finished> =>
  runHere(args, { folder: repo.root, env: repo.env });

/** Nothing ran, nothing connected, nothing was told. */
function expectNoHarm({ stdout, stderr }: Finished): void {
  expect(repo.harm()).toEqual([]);
  const said = stdout + stderr;
  expect(said).not.toContain(secret);
  expect(said).not.toContain(outsideText);
  expect(stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
}

describe('a cloned repository that means harm', () => {
  oneIn(3)([
    ['servers'],
    ['servers --json --show-argv'],
    ['tools --json'],
    ['config explain'],
    ['config explain --json'],
    ['config lint'],
    ['config files --json'],
    ['config convert --to vscode'],
    ['config convert --to codex --json'],
    ['trust list'],
    ['trust list --json'],
  ])('%s runs nothing, connects nowhere and tells nothing', async (line) => {
    const ran = await run(...line.split(' '));
    expectNoHarm(ran);
    expect(ran.code).toBeOneOf([0, 1, 3]);
    expect(ran.stdout).not.toBe('');
    // Nothing of the files moves the cursor or turns the direction of text; a conversion is text for a file.
    const isText = line === 'config convert --to vscode';
    expect(isText ? ran.stderr : ran.stdout + ran.stderr).not.toMatch(/[\u202A-\u202E]/);
  });

  test('no tool is listed, and each failure says how to approve the server', async () => {
    const ran = await run('tools');
    expectNoHarm(ran);
    for (const name of repo.servers) expect(ran.stdout + ran.stderr).toContain(name);
    expect(ran.stderr).toMatch(/mcpctl trust approve/);
  });

  test(`no single server can be used, ${isWhole ? 'each' : 'every third'} tried, and the message says how to approve it`, async () => {
    for (const name of sample(repo.servers, 3).tried) {
      const ran = await run('ping', name);
      expectNoHarm(ran);
      expect({ name, code: ran.code }).toEqual({ name, code: 3 });
      expect(ran.stderr).toContain(`mcpctl trust approve ${name}`);
    }
  });

  oneIn(3)([
    [['tools', 'shell']],
    [['call', 'shell', 'echo', 'text=hello']],
    [['call', 'thief', 'echo', '--args', '{}']],
    [['resources', 'script']],
    [['prompts', 'query']],
    [['read', 'helper', 'file:///etc/passwd']],
    [['request', 'socket', 'tools/list']],
    [['notify', 'mapped', 'notifications/initialized']],
    [['watch', 'asks', '--for', '100']],
  ])('%j is refused', async (args) => {
    const ran = await run(...args);
    expectNoHarm(ran);
    expect(ran).toMatchObject({ code: 3 });
    expect(ran.stderr).toContain(`mcpctl trust approve ${args[1]}`);
  });

  test('the doctor stops at trust, and says what to do', async () => {
    for (const name of ['shell', 'thief', 'helper', 'named', 'socket', 'env-file']) {
      const ran = await run('doctor', name, '--json');
      expectNoHarm(ran);
      expect({ name, code: ran.code }).toEqual({ name, code: 1 });
      const { rungs } = JSON.parse(ran.stdout) as { rungs: Record<string, string>[] };
      const failed = rungs.filter(({ state }) => state === 'failed');
      expect(failed).toMatchObject([{ name: 'trust' }]);
      expect(failed[0]?.['fix']).toContain(`mcpctl trust approve ${name}`);
      const others = rungs.slice(rungs.findIndex(({ state }) => state === 'failed') + 1);
      expect(others.every(({ state }) => state === 'skipped')).toBe(true);
    }
  });

  test('what is shown before an approval has the whole command line, and no secret', async () => {
    const shown = await run('trust', 'show', 'shell');
    expectNoHarm(shown);
    expect(shown.stdout).toContain('-c');
    expect(shown.stdout).toMatch(/\.mcp\.json#\/mcpServers\/shell/);
    const lookalike = await run('trust', 'show', 'lookalike');
    expectNoHarm(lookalike);
    expect(lookalike.stdout).toMatch(/\\u/);
    const thief = await run('trust', 'show', 'thief', '--json');
    expectNoHarm(thief);
    expect(thief.stdout).toContain('Authorization');
  });

  test('nobody is asked where nobody can answer: an approval in a pipe is refused', async () => {
    for (const args of [['shell'], ['--all']]) {
      const ran = await run('trust', 'approve', ...args);
      expectNoHarm(ran);
      expect(ran).toMatchObject({ code: 3 });
      expect(ran.stderr).toContain('--yes');
    }
    expect(JSON.parse((await run('trust', 'list', '--json')).stdout)).not.toMatchObject({
      servers: expect.arrayContaining([expect.objectContaining({ trust: 'trusted' })]) as unknown,
    });
  });

  test('a change is told by the exit code, and there is none in what was never approved', async () => {
    const ran = await run('trust', 'diff', 'script');
    expectNoHarm(ran);
    expect(ran.code).toBe(1);
    expect(ran.stdout + ran.stderr).toMatch(/not approved/);
  });

  test('options that loosen one thing loosen nothing else', async () => {
    const loose = ['--allow-http', '--allow-localhost', '--allow-private-ip'];
    for (const name of ['shell', 'thief', 'query', 'socket', 'named', 'github', 'redirected']) {
      const ran = await run('ping', name, ...loose);
      expectNoHarm(ran);
      expect({ name, code: ran.code }).toEqual({ name, code: 3 });
    }
  });

  test('a link in the repository is not written through', async () => {
    const ran = await run('config', 'convert', '--to', 'opencode', '--write');
    expectNoHarm(ran);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toMatch(/link/);
  });
});

test('all of this would run and connect if the user trusted it: what is watched is really there', async () => {
  await using other = await makeHostileRepo();
  const { root: cwd, env } = other;
  const trusted = ['--trust', '--yes-trust', '--timeout-ms', '10000'];
  for (const name of ['shell', 'helper', 'socket']) {
    const args = [mcpctl, 'ping', name, ...trusted];
    await using child = new Child(process.execPath, args, { cwd, env });
    await child.ended;
  }
  expect(new Set(other.harm())).toEqual(
    new Set(['a program ran', 'a tcp connection came', 'a unix connection came']),
  );
});
