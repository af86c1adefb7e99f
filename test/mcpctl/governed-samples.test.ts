import { toolContract } from 'mcp-kit/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { governedNotes } from '../../packages/mcpctl/src/samples/notes.ts';
import { requireBuild, startHttp } from '../support/cli.ts';
import { Project, samples, type Finished } from '../support/project.ts';

beforeAll(requireBuild);

describe('the notes of the sample server', () => {
  test.each(toolContract(() => ({ tools: governedNotes().governed })))('$name', ({ run }) => run());
});

test('serve --governed has tools that are tried, done once and traced', async () => {
  using project = new Project();
  const { child, announced } = await startHttp('--governed');
  await using _ = child;
  const at = ['--url', announced.url];
  const run = (...args: readonly string[]): Promise<Finished> => project.run(...args, ...at);
  const write = ['call', 'set_note_text', 'name=milk', 'text=two'];
  const read = ['call', 'get_note_text', 'name=milk'];

  const tried = await run(...write, 'dryRun=true', '--json');
  const [, planToken] = /"planToken":"([^"]+)"/.exec(tried.stdout) ?? [];
  expect(await run(...read)).toMatchObject({ code: 5 });
  expect(await run(...write, `planToken=${planToken}`)).toMatchObject({ code: 0 });
  expect((await run(...read)).stdout).toContain('two');

  expect(await run(...write, 'idempotencyKey=k', '--retry')).toMatchObject({ code: 0 });
  const again = await run(...write, 'idempotencyKey=k', '--retry', '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({
    structuredContent: { meta: { replayed: true } },
  });

  const drawn = await run('trace', '--last');
  expect(drawn.stdout).toMatch(/^\S+ \S+ ok, replayed\n.*\nset_note_text .*█\n {2}validate /);
});

test('serve --governed lists nothing that writes and cannot be tried', async () => {
  using project = new Project();
  const server = ['--', ...samples, '--governed'];
  const { stdout } = await project.run('manifest', '--json', ...server);
  const { tools } = JSON.parse(stdout) as {
    tools: readonly { name: string; safety: string; supportsDryRun: boolean }[];
  };
  const writing = tools.filter(({ safety }) => safety !== 'readonly');
  expect(writing.map(({ name, supportsDryRun }) => [name, supportsDryRun])).toEqual([
    ['set_note_text', true],
  ]);
  expect(await project.run('lint', '--max-warnings', '0', ...server)).toMatchObject({ code: 0 });
});
