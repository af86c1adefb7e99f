import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireBuild } from './cli.ts';
import { fixture, mcpJson, Project, trusting, type Finished } from './project.ts';

beforeAll(requireBuild);

const project = new Project({ 'mcp.json': mcpJson({ odd: fixture('odd') }) }, { OTHER: 'x' });
afterAll(() => project[Symbol.dispose]());

/** Each run has times and a trace of its own. */
function withoutChance({ code, stdout, stderr }: Finished): Finished {
  const told = (text: string): string =>
    text.replaceAll(/trc_\w+/g, 'trc').replaceAll(/\d+ ms/g, 'ms');
  return { code, stdout: told(stdout), stderr: told(stderr) };
}

describe('a run of mcpctl in the process of a test', () => {
  test.each([
    [0, ['--version']],
    [0, ['help', 'call']],
    [0, ['servers', '--json']],
    [0, ['servers']],
    [0, ['tools', 'odd', ...trusting]],
    [0, ['config', 'convert', '--to', 'cursor']],
    [1, ['request', 'odd', 'no/method', ...trusting]],
    [2, ['call', 'odd', '--frob']],
    [3, ['tools', 'odd']],
    [4, ['ping', '--json', '--', 'no-such-program']],
    [5, ['call', 'odd', 'fail', ...trusting]],
  ])('ends with %i, and says what one of its own says: mcpctl %j', async (code, words) => {
    const here = withoutChance(await project.run(...words));
    expect(here).toEqual(withoutChance(await project.runApart(...words)));
    expect(here.code).toBe(code);
    expect(here.stdout + here.stderr).not.toBe('');
  });

  test('leaves folder and environment as they were', async () => {
    const before = { folder: process.cwd(), env: { ...process.env } };
    await project.run('servers');
    expect({ folder: process.cwd(), env: { ...process.env } }).toEqual(before);
    expect(process.env['OTHER']).toBeUndefined();
  });

  test('is the only one', async () => {
    const first = project.run('servers');
    await expect(project.run('tools')).rejects.toThrow('"servers" still runs here');
    expect(await first).toMatchObject({ code: 0 });
  });
});
