import { appendFileSync, chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectUsageError, requireBuild } from '../support/cli.ts';
import { fixture, Project, samples, type Finished } from '../support/project.ts';

beforeAll(requireBuild);

const instructions =
  '---\nname: hello\ndescription: Greets people\n---\n\nSee [names](references/NAMES.md).\n';

const files = {
  'skills/hello/SKILL.md': instructions,
  'skills/hello/references/NAMES.md': 'Ada\n',
  'skills/hello/run.sh': '#!/bin/sh\n',
};

const opened = (more: Readonly<Record<string, string>> = {}): Project =>
  new Project({ ...files, ...more });

/** Runs a command about the skills of the project's folder. */
function run(project: Project, words: readonly string[], oddity = ''): Promise<Finished> {
  const [verb = '', ...rest] = words;
  const folder = path.join(project.folder, 'skills');
  return project.run('skills', verb, ...rest, '--', ...fixture('skills'), folder, oddity);
}

describe('skills', () => {
  test('are listed and shown', async () => {
    using project = opened();
    const listed = await run(project, ['list']);
    expect(listed).toMatchObject({ code: 0 });
    expect(listed.stdout).toContain('hello (skill://hello/SKILL.md, 3 files)\n    Greets people');
    const json = await run(project, ['list', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ skills: [{ uri: 'skill://hello/SKILL.md' }] });
    const shown = await run(project, ['show', 'hello']);
    expect(shown.stdout).toBe(instructions);
    const file = await run(project, ['show', 'hello', 'references/NAMES.md']);
    expect(file.stdout).toBe('Ada\n');
    expectUsageError(await run(project, ['show', 'helo']), /no skill named helo/, /hello/);
    expectUsageError(await run(project, ['show', 'hello', 'x']), /has no file x/, /SKILL\.md/);
  });

  test('of a server that has none are an error that says so', async () => {
    using project = new Project();
    const ended = await project.run('skills', 'list', '--', ...samples);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain('serves no skills');
  });

  test('are checked, at a server and in a folder', async () => {
    using project = opened();
    const good = await run(project, ['check']);
    expect(good).toMatchObject({ code: 0, stdout: '' });
    expect(good.stderr).toContain('0 errors, 0 warnings in 1 skill');
    project.write('skills/hello/SKILL.md', instructions.replace('NAMES', 'MISSING'));
    project.write('skills/other/SKILL.md', instructions);
    for (const ended of [
      await run(project, ['check', '--json']),
      await project.run('skills', 'check', '--folder', 'skills', '--json'),
    ]) {
      expect(ended).toMatchObject({ code: 1 });
      expect(JSON.parse(ended.stdout)).toMatchObject({ findings: [{ rule: 'skill-links' }] });
    }
    const folder = await project.run('skills', 'check', '--folder', 'skills');
    expect(folder.stdout).toContain('its name is "hello", its folder "other"');
    expectUsageError(await project.run('skills', 'check'), /nothing to look at/, /--folder/);
  });

  test('that are not what was listed are neither shown nor installed', async () => {
    using project = opened();
    const shown = await run(project, ['show', 'hello', 'references/NAMES.md'], 'altered');
    expect(shown).toMatchObject({ code: 1, stdout: '' });
    expect(shown.stderr).toContain('is not what the server listed');
    const installed = await run(project, ['install', 'hello', '--yes'], 'altered');
    expect(installed).toMatchObject({ code: 1, stdout: '' });
    const checked = await run(project, ['check'], 'altered');
    expect(checked).toMatchObject({ code: 1 });
    expect(project.has('.agents')).toBe(false);
  });
});

describe('skills install', () => {
  const own = '.agents/skills/hello';

  test('writes nothing before somebody has seen it and agreed', async () => {
    using project = opened();
    const asked = await run(project, ['install', 'hello']);
    expect(asked.code).toBe(2);
    expect(asked.stdout).toContain('+ See [names](references/NAMES.md).');
    expect(asked.stderr).toMatch(/nobody can be asked here\n.*--yes/);
    const dry = await run(project, ['install', 'hello', '--dry-run']);
    expect(dry).toMatchObject({ code: 0 });
    expect(project.has('.agents')).toBe(false);
  });

  test('writes all files, none to be run; does it again where only it has written, and takes it away', async () => {
    using project = opened();
    const first = await run(project, ['install', 'hello', '--yes']);
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toContain('3 files written');
    expect(project.read(`${own}/SKILL.md`).toString()).toBe(instructions);
    expect(statSync(path.join(project.folder, own, 'run.sh')).mode & 0o111).toBe(0);
    expect(readdirSync(path.join(project.folder, '.agents/skills'))).toEqual(['hello']);
    const again = await run(project, ['install', 'hello', '--yes']);
    expect(again.stdout).toContain('is as it was');
    project.write('skills/hello/references/NAMES.md', 'Ada\nGrace\n');
    const newer = await run(project, ['install', 'hello', '--yes']);
    expect(newer.stdout).toContain('+ Grace');
    expect(project.read(`${own}/references/NAMES.md`).toString()).toBe('Ada\nGrace\n');
    const removed = await project.run('skills', 'remove', 'hello', '--yes');
    expect(removed).toMatchObject({ code: 0 });
    expect(readdirSync(path.join(project.folder, '.agents/skills'))).toEqual([]);
    expectUsageError(
      await project.run('skills', 'remove', 'hello', '--yes'),
      /no skill named hello was installed/,
      /None/,
    );
  });

  test.each([
    ['was not written by mcpctl', (project: Project) => project.write(`${own}/SKILL.md`, 'mine')],
  ])('leaves alone what %s', async (why, prepare) => {
    using project = opened();
    prepare(project);
    const ended = await run(project, ['install', 'hello', '--yes']);
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stderr).toContain(why);
    expect(project.read(`${own}/SKILL.md`).toString()).toBe('mine');
  });

  test.each([
    ['changed', (folder: string) => appendFileSync(path.join(folder, 'SKILL.md'), 'mine\n')],
    ['added to', (folder: string) => mkdirSync(path.join(folder, 'own'))],
  ])('leaves alone what was %s since, and so does remove', async (what, change) => {
    using project = opened();
    await run(project, ['install', 'hello', '--yes']);
    const folder = path.join(project.folder, own);
    change(folder);
    if (what === 'added to') project.write(`${own}/own/NOTES.md`, 'mine');
    project.write('skills/hello/run.sh', '# other\n');
    const before = readdirSync(folder, { recursive: true });
    for (const ended of [
      await run(project, ['install', 'hello', '--yes']),
      await project.run('skills', 'remove', 'hello', '--yes'),
    ]) {
      expect(ended).toMatchObject({ code: 1 });
      expect(ended.stderr).toContain('has been changed since it was installed');
    }
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
  });

  test('goes into the folder of a host, of a project or of a user', async () => {
    using project = opened();
    const hosts = ['--host', 'claude-code', '--host', 'cursor'];
    const ended = await run(project, ['install', 'hello', '--yes', ...hosts]);
    expect(ended).toMatchObject({ code: 0 });
    expect(project.has('.claude/skills/hello/SKILL.md')).toBe(true);
    expect(project.has('.cursor/skills/hello/SKILL.md')).toBe(true);
    await run(project, ['install', 'hello', '--yes', '--user', '--host', 'claude-code']);
    expect(readdirSync(path.join(project.home, '.claude/skills'))).toEqual(['hello']);
    const one = await project.run('skills', 'remove', 'hello', '--yes', '--host', 'cursor');
    expect(one).toMatchObject({ code: 0 });
    expect(project.has('.cursor/skills/hello')).toBe(false);
    expect(project.has('.claude/skills/hello/SKILL.md')).toBe(true);
    expectUsageError(
      await run(project, ['install', 'hello', '--folder', 'x', '--user']),
      /excludes/,
      /Leave out/,
    );
  });

  test('refuses files that lead out of their skill', async () => {
    using project = opened();
    const ended = await run(project, ['install', 'hello', '--yes'], 'escaping');
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stderr).toContain('cannot be the name of a file');
    expect(readdirSync(path.dirname(project.folder)).toSorted()).toEqual(['home', 'work']);
  });

  test('wants a word for a skill that lets tools be used without asking', async () => {
    using project = opened();
    const ended = await run(project, ['install', 'hello', '--yes'], 'greedy');
    expectUsageError(ended, /wants tools to be used without asking: "Bash"/, /--allow-tools/);
    const allowed = await run(project, ['install', 'hello', '--yes', '--allow-tools'], 'greedy');
    expect(allowed).toMatchObject({ code: 0 });
  });

  test.runIf(process.platform !== 'win32' && process.getuid?.() !== 0)(
    'leaves nothing behind where it may not write',
    async () => {
      using project = opened();
      mkdirSync(path.join(project.folder, '.agents/skills'), { recursive: true });
      chmodSync(path.join(project.folder, '.agents/skills'), 0o500);
      const ended = await run(project, ['install', 'hello', '--yes']);
      expect(ended).toMatchObject({ code: 1 });
      expect(readdirSync(path.join(project.folder, '.agents/skills'))).toEqual([]);
    },
  );
});
