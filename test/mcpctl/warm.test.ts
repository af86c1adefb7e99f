import { once } from 'node:events';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Child, root } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';
import { Project, trusting, type Finished } from '../support/project.ts';

beforeAll(requireBuild);

/** A server that tells its process, and a word of its own. */
const script = (word: string): string => `
import { writeFileSync } from 'node:fs';
import { createServer, serve, tool } from ${JSON.stringify(path.join(root, 'packages/mcp-kit/dist/index.js'))};
const who = tool({ name: 'get_process_id', description: 'Tells.', run: () => process.pid + ' ${word}' });
const slow = tool({ name: 'get_nothing', description: 'Never answers.', run: () => { writeFileSync('called', ''); return new Promise(() => {}); } });
const broken = tool({ name: 'get_failure', description: 'Fails.', run: () => { throw new Error('no'); } });
await serve(createServer({ name: 'who', version: '1.0.0', tools: [who, slow, broken] }));
`;
const config = (server: object = {}): object => ({
  version: 1,
  servers: { who: { transport: 'stdio', argv: [process.execPath, 'who.mjs'], ...server } },
});

interface User extends Disposable {
  readonly project: Project;
  start(...args: readonly string[]): Child;
  run(...args: readonly string[]): Promise<Finished>;
}

/** Somebody who starts the program as it is installed, in a project with one server. */
function create(warm = '30'): User {
  const project = new Project({ 'mcp.json': config(), 'who.mjs': script('one') });
  const { PATH = '' } = process.env;
  const options = { cwd: project.folder, env: { PATH, HOME: project.home, MCPCTL_WARM: warm } };
  const start = (...args: readonly string[]): Child =>
    new Child(
      process.execPath,
      [path.join(root, 'packages/mcpctl/bin/mcpctl.js'), ...args],
      options,
    );
  return {
    project,
    start,
    async run(...args) {
      await using child = start(...args);
      const { code } = await child.ended;
      return { code, stdout: child.stdout, stderr: child.stderr };
    },
    [Symbol.dispose]: () => project[Symbol.dispose](),
  };
}

const ask = (user: User, ...args: readonly string[]): Promise<Finished> =>
  user.run('call', 'who', 'get_process_id', '--quiet', ...args);

/** The process and the word of an answer. */
async function answerOf(run: Promise<Finished>): Promise<readonly [number, string]> {
  const { code, stdout, stderr } = await run;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [pid = '', word = ''] = stdout.trim().split(' ');
  return [Number(pid), word];
}

function sockets({ project }: User): readonly string[] {
  const folder = path.join(project.home, '.local/state/mcp-kit/warm');
  return readdirSync(folder).map((name) => path.join(folder, name));
}

/** The process that keeps servers open: the parent of the server. */
async function keeperOf(pid: number): Promise<number> {
  const { readFile } = await import('node:fs/promises');
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

/** Ends what a test has left open. */
async function end(pid: number): Promise<void> {
  const keeper = await keeperOf(pid);
  process.kill(keeper, 'SIGTERM');
  await expect.poll(() => isGone(keeper) && isGone(pid), { timeout: 20_000 }).toBe(true);
}

/** Each call has a trace of its own. */
function withoutTraces(all: readonly Finished[]): readonly Finished[] {
  return all.map((one) => ({ ...one, stdout: one.stdout.replace(/trc_\w+/, 'trc') }));
}

describe.skipIf(process.platform !== 'linux')('A second call to the same server', () => {
  test('is answered by the session that is open; other calls are not', async () => {
    using user = create();
    await user.run('trust', 'approve', 'who', '--yes');
    const [first] = await answerOf(ask(user));
    const [second] = await answerOf(ask(user));
    expect(second).toBe(first);
    const [socket = '', ...others] = sockets(user);
    expect(others).toEqual([]);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(socket)).mode & 0o777).toBe(0o700);
    // Its own process, and it ends with the call.
    const [cold] = await answerOf(ask(user, '--no-warm'));
    expect(cold).not.toBe(first);
    expect(isGone(cold)).toBe(true);
    // What is said, and the exit codes, are the same.
    const said = async (...args: string[]): Promise<readonly Finished[]> => [
      await user.run('call', 'who', 'get_failure', '--quiet', ...args),
      await user.run('call', 'who', 'get_nobody', '--quiet', ...args),
      await user.run('call', 'nobody', 'get_process_id', ...args),
      await user.run('call', 'who', 'get_process_id', 'a=1', '--frob', ...args),
    ];
    const [warm, usual] = [await said(), await said('--no-warm')];
    expect(withoutTraces(warm)).toEqual(withoutTraces(usual));
    expect((await answerOf(ask(user)))[0]).toBe(first);
    await end(first);
    expect(sockets(user)).toEqual([]);
  });

  test('is not answered by what has changed, or is no longer approved', async () => {
    using user = create();
    await user.run('trust', 'approve', 'who', '--yes');
    const [first] = await answerOf(ask(user));
    user.project.write('who.mjs', script('two'));
    expect(await ask(user)).toMatchObject({ code: 3, stdout: '' });
    await expect.poll(() => isGone(first), { timeout: 20_000 }).toBe(true);
    await user.run('trust', 'approve', 'who', '--yes');
    const [second, word] = await answerOf(ask(user));
    expect(word).toBe('two');
    user.project.write('mcp.json', config({ env: { OTHER: '1' } }));
    expect(await ask(user)).toMatchObject({ code: 3, stdout: '' });
    await user.run('trust', 'approve', 'who', '--yes');
    const [third] = await answerOf(ask(user));
    expect(third).not.toBe(second);
    await user.run('trust', 'revoke', 'who');
    expect(await ask(user)).toMatchObject({ code: 3, stdout: '' });
    const [trusted] = await answerOf(ask(user, ...trusting));
    // Without an approval what it runs is compared all the same.
    user.project.write('who.mjs', script('three'));
    const [last, now] = await answerOf(ask(user, ...trusting));
    expect([last === trusted, now]).toEqual([false, 'three']);
    await end(last);
  });

  test('after kill -9 starts anew, and nothing is left running', async () => {
    using user = create();
    const [first] = await answerOf(ask(user, ...trusting));
    process.kill(await keeperOf(first), 'SIGKILL');
    await expect.poll(() => isGone(first), { timeout: 20_000 }).toBe(true);
    const [second] = await answerOf(ask(user, ...trusting));
    expect(second).not.toBe(first);
    // In the middle of a call it is said that it may have been done.
    await using pending = user.start('call', 'who', 'get_nothing', '--quiet', ...trusting);
    const keeper = await keeperOf(second);
    await expect.poll(() => user.project.has('called')).toBe(true);
    process.kill(keeper, 'SIGKILL');
    expect(await pending.ended).toMatchObject({ code: 4 });
    expect(pending.stderr).toContain('It may have been done all the same');
    await expect.poll(() => isGone(second), { timeout: 20_000 }).toBe(true);
  });

  test('is made by itself where that process ends as it is asked', async () => {
    using user = create();
    const [first] = await answerOf(ask(user, ...trusting));
    const [socket = ''] = sockets(user);
    process.kill(await keeperOf(first), 'SIGKILL');
    await expect.poll(() => isGone(first), { timeout: 20_000 }).toBe(true);
    rmSync(socket);
    let asked = 0;
    await using ending = createServer((caller) => {
      caller
        .on('error', () => {})
        .once('data', () => {
          asked += 1;
          caller.destroy();
        });
    });
    await once(ending.listen(socket), 'listening');
    expect((await answerOf(ask(user, ...trusting)))[1]).toBe('one');
    expect(asked).toBe(1);
  });

  test('is too late when nobody has called for a while: all has ended by itself', async () => {
    using user = create('1');
    const [first] = await answerOf(ask(user, ...trusting));
    const keeper = await keeperOf(first);
    await expect.poll(() => isGone(keeper) && isGone(first), { timeout: 20_000 }).toBe(true);
    expect(sockets(user)).toEqual([]);
  });

  test('in another environment or folder, or after --, is not answered by it', async () => {
    using user = create();
    const [first] = await answerOf(ask(user, ...trusting));
    const typed = user.run('call', 'get_process_id', '--quiet', '--', process.execPath, 'who.mjs');
    expect((await answerOf(typed))[0]).not.toBe(first);
    const elsewhere = ask(user, '--root', '.', ...trusting);
    const [other] = await answerOf(elsewhere);
    expect(other).not.toBe(first);
    await end(first);
  });
});
