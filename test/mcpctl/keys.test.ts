// mcpctl keys, and --keys: what seals what clients carry.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { announcementOf, requireBuild } from '../support/cli.ts';
import { send } from '../support/http-client.ts';
import { modern } from '../support/mcp-http.ts';
import { Project } from '../support/project.ts';

beforeAll(requireBuild);

const project = new Project();
afterAll(() => project[Symbol.dispose]());

interface Shown {
  readonly keys: readonly { readonly kid: string; readonly state: string }[];
}

async function shown(...args: readonly string[]): Promise<Shown> {
  const { stdout } = await project.run('keys', ...args, '--json');
  return JSON.parse(stdout) as Shown;
}

test('are made once, shown without what they are, and rotated', async () => {
  const made = await project.run('keys', 'new', 'ring.json');
  expect(made.stdout).toContain('--keys ring.json');
  const file = path.join(project.folder, 'ring.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const again = await project.run('keys', 'new', 'ring.json');
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('keys rotate ring.json')]);
  const { keys } = await shown('show', 'ring.json');
  expect(keys).toMatchObject([{ state: 'seals' }]);
  const rotated = await shown('rotate', 'ring.json');
  expect(rotated.keys).toMatchObject([{ state: 'pending' }, { kid: keys[0]?.kid, state: 'seals' }]);
  const text = readFileSync(file, 'utf8');
  const { stdout } = await project.run('keys', 'show', 'ring.json');
  for (const { key } of (JSON.parse(text) as { keys: { key: string }[] }).keys) {
    expect(stdout + JSON.stringify(rotated)).not.toContain(key);
  }
  const soon = await project.run('keys', 'rotate', 'ring.json');
  expect([soon.code, soon.stderr]).toEqual([2, expect.stringContaining('Rotate again after that')]);
  const none = await project.run('keys', 'show', 'nowhere.json');
  expect(none.stderr).toContain('mcpctl keys new');
});

test('of a file open plans after a restart, are read again on SIGHUP, and must be those of all with one store', async () => {
  await project.run('keys', 'new', 'a.json');
  await project.run('keys', 'new', 'b.json');
  const serve = ['serve', '--governed', '--port', '0', '--json', '--store', 'state'];
  const first = project.start(...serve, '--keys', 'a.json');
  const { url } = await announcementOf(first);
  const write = { name: 'set_note_text', arguments: { name: 'milk', text: 'Two.', dryRun: true } };
  const tried = await send(url, modern('tools/call', write));
  const content = Object(tried.message.result?.['structuredContent']) as {
    readonly data?: { readonly planToken?: string };
  };
  const planToken = content.data?.planToken;
  await using other = project.start(...serve, '--keys', 'b.json');
  expect((await other.ended).code).toBe(1);
  expect(other.stderr).toMatch(/it has other keys \(--keys\)[\s\S]*Configure all of them alike/);
  first.process.kill('SIGHUP');
  await first.until(() => first.stderr.includes('read certificate and keys again') || undefined);
  await first.stop('SIGTERM');

  await using second = project.start(...serve, '--keys', 'a.json');
  const again = await announcementOf(second);
  const { name, text } = { name: 'milk', text: 'Two.' };
  const apply = { name: 'set_note_text', arguments: { name, text, planToken } };
  const done = await send(again.url, modern('tools/call', apply));
  expect(done.message.result).toMatchObject({ structuredContent: { success: true } });
  // Those that the store keeps are not these.
  expect((await shown('show', 'state')).keys).not.toEqual((await shown('show', 'a.json')).keys);
});
