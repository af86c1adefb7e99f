import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { requireBuild } from '../support/cli.ts';
import { fixture, mcpJson, Project, trusting, type Finished } from '../support/project.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

interface Called {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Calls a tool of a server that is not well, and tells what reached it. */
async function call(
  ...args: readonly string[]
): Promise<Finished & { readonly calls: readonly Called[] }> {
  using project = new Project();
  const finished = await project.run('call', ...args, '--', ...fixture('flaky'));
  const lines = project.has('calls.ndjson') ? String(project.read('calls.ndjson')).trim() : '';
  const calls = lines === '' ? [] : lines.split('\n').map((line) => JSON.parse(line) as Called);
  return { ...finished, calls };
}

describe('call --retry', () => {
  test('gives a tool that takes one a key for all tries, and says so', async () => {
    const { code, stdout, stderr, calls } = await call('create_flaky_item', '--retry');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'well\n' });
    const keys = new Set(calls.map(({ args }) => args['idempotencyKey']));
    expect(calls).toHaveLength(3);
    expect(keys.size).toBe(1);
    expect(stderr).toContain(`all tries are one call: idempotencyKey=${[...keys].join()}`);
    expect(stderr).toContain('trying again (1 of 3): E_UNAVAILABLE: busy');
    expect(stderr).toContain('trying again (2 of 3)');
  });

  test('keeps a key that was given', async () => {
    const { calls } = await call('create_flaky_item', 'idempotencyKey=mine', '--retry');
    expect(calls.map(({ args }) => args['idempotencyKey'])).toEqual(['mine', 'mine', 'mine']);
  });

  test('repeats what only reads without a key, also when the server dies of it', async () => {
    const { code, stdout, stderr, calls } = await call('get_flaky_value', '--retry');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'well\n' });
    expect(calls.map(({ args }) => args)).toEqual([{}, {}, {}]);
    expect(stderr).toMatch(/trying again \(2 of 3\): .*SIGKILL/);
    expect(stderr).not.toMatch(/idempotencyKey/);
  });

  test('repeats what is idempotent', async () => {
    const { code, calls } = await call('set_flaky_value', '--retry');
    expect({ code, times: calls.length }).toEqual({ code: 0, times: 3 });
  });

  test('never repeats anything else, and says why', async () => {
    for (const tool of ['update_flaky_item', 'execute_flaky_end']) {
      const { code, stderr, calls } = await call(tool, '--retry');
      expect({ tool, code, times: calls.length }).toEqual({
        tool,
        code: tool === 'update_flaky_item' ? 5 : 4,
        times: 1,
      });
      expect(stderr).toMatch(/warning: \w+ takes no idempotencyKey, .* not called again/);
    }
  });

  test('does not trust a server that has died to remember the key', async () => {
    const { code, stderr, calls } = await call('create_flaky_file', '--retry');
    expect({ code, times: calls.length }).toEqual({ code: 4, times: 1 });
    expect(stderr).toMatch(/it may have forgotten the key, so it is not called again/);
    expect(stderr).toContain(`idempotencyKey=${String(calls[0]?.args['idempotencyKey'])}`);
  });

  test('gives up after so many times, with the last answer', async () => {
    const { code, stderr, calls } = await call('set_flaky_value', 'times=9', '--retry=1');
    expect({ code, times: calls.length }).toEqual({ code: 5, times: 2 });
    expect(stderr).toContain('trying again (1 of 1)');
  });

  test('is silent with --quiet, and leaves --json alone', async () => {
    const { stdout, stderr } = await call('create_flaky_item', '--retry', '--quiet', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ content: [{ text: 'well' }] });
    expect(stderr).toBe('');
  });

  test('is off unless it is asked for', async () => {
    const { code, calls } = await call('set_flaky_value');
    expect({ code, times: calls.length }).toEqual({ code: 5, times: 1 });
  });

  oneIn(4)(['--retry=x', '--retry=101', '--retry=-1', '--retry='])(
    '%s is a usage error, and nothing is called',
    async (option) => {
      const { code, stderr, calls } = await call('set_flaky_value', option);
      expect({ code, calls }).toEqual({ code: 2, calls: [] });
      expect(stderr).toMatch(/--retry/);
    },
  );

  test('waits for a server that is not there yet', async () => {
    using project = new Project();
    const socket = path.join(project.folder, 'late.sock');
    await using calling = project.start('call', 'get_time_now', '--retry=50', '--unix', socket);
    await calling.until(() => /trying again \(1 of 50\): cannot connect/.exec(calling.stderr)?.[0]);
    await using _ = project.start('serve', '--unix', socket, '--quiet');
    expect({ ...(await calling.ended), said: calling.stderr }).toMatchObject({ code: 0 });
    expect(calling.stdout).toContain('weekday');
  });

  test('gives up on a server that does not come, and on a tool that is not there', async () => {
    using project = new Project();
    const nobody = path.join(project.folder, 'nobody.sock');
    const lost = await project.run('call', 'get_time_now', '--retry=1', '--unix', nobody);
    expect(lost.code).toBe(4);
    expect(lost.stderr.match(/trying again/g)).toHaveLength(1);
    const unknown = await call('get_nothing_there', '--retry');
    expect(unknown).toMatchObject({ code: 2, calls: [] });
    expect(unknown.stderr).not.toMatch(/trying again/);
  });

  test('ends at once when it is told to', async () => {
    using project = new Project();
    const nobody = path.join(project.folder, 'nobody.sock');
    await using calling = project.start('call', 'get_time_now', '--retry=50', '--unix', nobody);
    await calling.until(() => /trying again \(3 of/.exec(calling.stderr)?.[0]);
    expect(await calling.stop('SIGINT')).toMatchObject({ code: 130 });
  });

  test('leaves the word after it alone', async () => {
    using project = new Project({ 'mcp.json': mcpJson({ flaky: fixture('flaky') }) });
    const { code } = await project.run('call', '--retry', 'flaky', 'set_flaky_value', ...trusting);
    expect(code).toBe(0);
  });
});
