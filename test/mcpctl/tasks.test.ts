import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { requireBuild } from '../support/cli.ts';
import { serving } from '../support/mcp-http.ts';
import { Project, type Finished } from '../support/project.ts';
import { serverOf, taskTools, Work } from '../tasks/task-tools.ts';

beforeAll(requireBuild);

async function start() {
  const work = new Work();
  const server = serverOf(taskTools(work));
  const served = await serving(server);
  const project = new Project();
  onTestFinished(async () => {
    project[Symbol.dispose]();
    server.close();
    await served.close();
  });
  const run = (...words: readonly string[]): Promise<Finished> =>
    project.run(...words, '--url', served.url);
  const begin = async (tool: string): Promise<string> => {
    const begun = await run('call', tool, '--detach', '--json');
    expect(begun).toMatchObject({ code: 0 });
    expect(begun.stderr).toContain('mcpctl tasks wait');
    return (JSON.parse(begun.stdout) as { readonly id: string }).id;
  };
  return { work, run, begin };
}

const onlyTask = ({ stdout }: Finished): unknown =>
  (JSON.parse(stdout) as { readonly tasks: readonly unknown[] }).tasks[0];

describe('tasks', () => {
  test('are begun, listed, shown and waited for', async () => {
    const { work, run, begin } = await start();
    const id = await begin('get_always');
    const listed = await run('tasks', 'list');
    expect(listed).toMatchObject({ code: 0 });
    expect(listed.stdout).toMatch(new RegExp(`${id.slice(0, 12)}.*get_always.*working`));
    expect(onlyTask(await run('tasks', 'list', '--json'))).toMatchObject({ id, status: 'working' });
    const shown = await run('tasks', 'show', id.slice(0, 6), '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ taskId: id, status: 'working' });
    work.end('built');
    expect(await run('tasks', 'wait', id.slice(0, 6))).toMatchObject({
      code: 0,
      stdout: 'built\n',
    });
    // What was fetched is not listed any more.
    expect(onlyTask(await run('tasks', 'list', '--json'))).toBeUndefined();
  });

  test('are cancelled, and what a tool says went wrong is an exit code', async () => {
    const { run, begin } = await start();
    const id = await begin('get_slow');
    expect(await run('tasks', 'cancel', id)).toMatchObject({ code: 0, stdout: '' });
    const cancelled = await run('tasks', 'wait', id);
    expect(cancelled.code).not.toBe(0);
    expect(cancelled.stderr).toContain('cancelled');
    const failed = await begin('get_failure');
    const waited = await run('tasks', 'wait', failed);
    const called = await run('call', 'get_failure');
    expect(waited.code).toBe(called.code);
    expect(waited.stdout).toContain('E_UNAVAILABLE');
  });

  test('are not made of what is answered at once', async () => {
    const { run } = await start();
    const quick = await run('call', 'get_quick', '--detach');
    expect(quick).toMatchObject({ code: 0, stdout: 'quick\n' });
    expect(onlyTask(await run('tasks', 'list', '--json'))).toBeUndefined();
  });

  test('that nobody knows are an error that says so', async () => {
    const { run } = await start();
    const unknown = await run('tasks', 'show', 'nobody');
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('Unknown task');
  });
});
