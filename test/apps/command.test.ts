import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';
import { fixture, Project } from '../support/project.ts';

beforeAll(requireBuild);

const project = new Project();
afterAll(() => project[Symbol.dispose]());

const dice = ['--', process.execPath, path.join(root, 'examples/show-an-app.mjs')];

test('mcpctl tools marks tools that have an app, and mcpctl read prints the page', async () => {
  const tools = await project.run('tools', ...dice);
  expect(tools.stdout).toContain('execute_dice_roll() [app: ui://dice/die]');
  const one = await project.run('tools', 'execute_dice_roll', ...dice);
  expect(one.stdout).toContain('app: ui://dice/die');
  const page = await project.run('read', 'ui://dice/die', ...dice);
  expect(page.stdout).toContain('<title>Dice</title>');
});

test('mcpctl lint reads the page of a tool, and says where there is none', async () => {
  const right = await project.run('lint', ...dice);
  expect(right).toMatchObject({ code: 0, stdout: '' });
  const inputSchema = { type: 'object' };
  const _meta = { ui: { resourceUri: 'ui://gone', visibility: ['app'] } };
  const listed = { name: 'get_note_text', description: 'Returns a note.', inputSchema, _meta };
  const answers = JSON.stringify({ 'tools/list': { result: { tools: [listed] } } });
  const blunt = ['--env', `BLUNT=${answers}`, '--', ...fixture('blunt')];
  const wrong = await project.run('lint', ...blunt);
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toContain('there is no page at ui://gone');
  const marked = await project.run('tools', ...blunt);
  expect(marked.stdout).toContain('[app: ui://gone, only for apps]');
});
