import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { openHeadless } from '@mcp-kit/cocos/backend';
import { announceEditor, openProject, type Project } from '@mcp-kit/cocos/project';
import { describe, expect, test } from 'vitest';
import { metaFor, TestProject } from '../support/cocos/project.ts';
import { raceWithSaver } from '../support/cocos/saver.ts';

const code = (expected: string) => expect.objectContaining({ code: expected }) as Error;
const journalFolder = 'local/mcp-kit/transactions';

/** Writes a file of the project. */
function write(project: Project, content = '[]', file = 'assets/data/a.json') {
  const draft = project.draft();
  draft.write(file, content);
  return project.commit(draft, 'write');
}

const record = (files: object[], more: object = {}): string =>
  JSON.stringify({
    id: 'x',
    label: 'x',
    at: '2020-01-01T00:00:00Z',
    files,
    createdFolders: [],
    removedFolders: [],
    ...more,
  });

describe('A link that came with the project', () => {
  /** What somebody keeps elsewhere, with names that mean something to us. */
  const elsewhere = () =>
    new TestProject({
      'ticket-5': 'released',
      '000001.preparing/thesis.txt': 'years of work',
      '000002.discarded/thesis.txt': 'years of work',
      '000003.applying/journal.json': record([
        { path: 'assets/data/a.json', before: null, after: 'x' },
      ]),
    });

  test.each([
    'local/mcp-kit',
    'local/mcp-kit/transactions',
    'local/mcp-kit/lock',
    'local/mcp-kit/keys',
    'local/mcp-kit/kept',
    `${journalFolder}/000007.discarded`,
    `${journalFolder}/000008.applying`,
  ])('in the place of %s leads nobody out, and keeps nobody from writing', async (name) => {
    using outside = elsewhere();
    using game = new TestProject();
    const link = path.join(game.folder, name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(outside.folder, link);
    const before = outside.snapshot();
    using project = await openProject(game.folder);
    expect(outside.snapshot()).toEqual(before);
    expect(await write(project)).toBeDefined();
    await project.remember({ key: 'k', expected: undefined, value: 'v', ttlMs: 1000 });
    await project.undo();
    expect(outside.snapshot()).toEqual(before);
    expect(game.read('assets/data/a.json')).toBe('{}');
  });

  test.each(['.gitignore', 'editor.json', 'lock/ticket-3'])(
    'in the place of the file %s does not lead out',
    async (name) => {
      using outside = elsewhere();
      using game = new TestProject({ 'local/mcp-kit/lock': undefined });
      const link = path.join(game.folder, 'local/mcp-kit', name);
      symlinkSync(path.join(outside.folder, 'new.txt'), link);
      const before = outside.snapshot();
      using project = await openProject(game.folder);
      await using _editor = await announceEditor(game.folder);
      expect(await write(project)).toBeDefined();
      expect(outside.snapshot()).toEqual(before);
    },
  );

  test('in the place of what was before does not become an asset', async () => {
    using outside = elsewhere();
    const folder = `${journalFolder}/000001.applying`;
    const gone = { path: 'assets/back.json', before: 'any', after: null };
    using game = new TestProject({ [`${folder}/journal.json`]: record([gone]) });
    symlinkSync(path.join(outside.folder, 'ticket-5'), path.join(game.folder, folder, 'before-0'));
    using project = await openProject(game.folder);
    expect(existsSync(path.join(game.folder, 'assets/back.json'))).toBe(false);
    expect(await write(project)).toBeDefined();
  });

  test('from the assets to another part of the project is not written through', async () => {
    using game = new TestProject({ '.git/config': '[core]' });
    symlinkSync('../.git/config', path.join(game.folder, 'assets/config.json'));
    symlinkSync('../.git', path.join(game.folder, 'assets/git'));
    using project = await openProject(game.folder);
    for (const file of ['assets/config.json', 'assets/git/hooks.json']) {
      await expect(write(project, 'x', file)).rejects.toThrow(code('E_INVALID_ARGUMENT'));
    }
    expect(game.read('.git/config')).toBe('[core]');
    expect(readdirSync(path.join(game.folder, '.git'))).toEqual(['config']);
  });
});

describe('Names that nobody made here', () => {
  test.each([
    'ticket-9007199254740992',
    'ticket-9007199254740993000000',
    'ticket-999999999',
    'ticket-900000000',
    'ticket-007',
    'ticket-x',
  ])('such as %s do not block the project', async (name) => {
    using game = new TestProject({ [`local/mcp-kit/lock/${name}`]: 'released' });
    using project = await openProject(game.folder, { lockWaitMs: 1000 });
    for (const content of ['1', '2', '3']) expect(await write(project, content)).toBeDefined();
    await project.undo();
  });

  test('and folders and pipes in the place of tickets do not either', async () => {
    using game = new TestProject({ 'local/mcp-kit/lock/ticket-4/x': '' });
    execFileSync('/usr/bin/mkfifo', [path.join(game.folder, 'local/mcp-kit/lock/ticket-5')]);
    using project = await openProject(game.folder, { lockWaitMs: 1000 });
    expect(await write(project, '1')).toBeDefined();
    expect(await write(project, '2')).toBeDefined();
  });

  test('and journals that make no sense are passed over', async () => {
    const outOfReach = { path: '../../etc/passwd', before: 'x', after: null };
    const overFile = { createdFolders: [], removedFolders: ['assets/main.scene/x'] };
    using game = new TestProject({
      [`${journalFolder}/9007199254740993.done/journal.json`]: record([]),
      [`${journalFolder}/999999999.applying/journal.json`]: record([]),
      [`${journalFolder}/000001.applying`]: 'a file',
      [`${journalFolder}/000002.applying/journal.json`]: record([outOfReach]),
      [`${journalFolder}/000003.applying/journal.json`]: record([], overFile),
      [`${journalFolder}/000004.applying/journal.json`]: '{',
      [`${journalFolder}/000005.done/journal.json/x`]: '',
      [`${journalFolder}/000006.preparing/x`]: '',
      [`${journalFolder}/000006.discarded/x`]: '',
      [`${journalFolder}/000007.preparing`]: 'a file',
    });
    const before = game.snapshot();
    using project = await openProject(game.folder);
    expect(game.snapshot()).toEqual(before);
    for (const content of ['1', '2']) expect(await write(project, content)).toBeDefined();
    await project.undo();
    expect(game.read('assets/data/a.json')).toBe('1');
  });

  test('and thousands of old transactions are cleared away without being read', async () => {
    using game = new TestProject();
    for (let number = 1; number <= 300; number += 1) {
      const folder = path.join(game.folder, journalFolder, `${number}`.padStart(6, '0'));
      mkdirSync(`${folder}.done`, { recursive: true });
      writeFileSync(path.join(`${folder}.done`, 'journal.json'), record([]));
    }
    using project = await openProject(game.folder);
    await write(project, '1');
    expect(readdirSync(path.join(game.folder, journalFolder)).length).toBeLessThan(150);
    expect((await project.history()).length).toBeLessThanOrEqual(50);
  });

  test('and an announced editor is only one whose process runs', async () => {
    const presence = { pid: 1, host: 'elsewhere', place: 'x', start: 1, url: 'http://x' };
    using game = new TestProject({ 'local/mcp-kit/editor.json': JSON.stringify({ pid: 1 }) });
    using project = await openProject(game.folder);
    expect(project.editor().running).toBe('no');
    game.write({ 'local/mcp-kit/editor.json': JSON.stringify(presence) });
    expect(project.editor()).toMatchObject({ running: 'maybe' });
    await using _editor = await announceEditor(game.folder, 'http://here');
    expect(project.editor()).toMatchObject({ running: 'yes', url: 'http://here' });
  });
});

describe('What is no file', () => {
  test('is not read, whatever its name', async () => {
    using game = new TestProject({ 'assets/pipe.scene.meta': metaFor('pipe', 'scene') });
    game.write({ 'assets/pipe.ts.meta': metaFor('script', 'typescript') });
    for (const name of [
      'assets/pipe.scene',
      'assets/pipe.ts',
      'assets/other.meta',
      'tsconfig.json',
    ]) {
      execFileSync('/usr/bin/mkfifo', [path.join(game.folder, name)]);
    }
    execFileSync('/usr/bin/mkfifo', [path.join(game.folder, 'assets/data/b.json')]);
    await using backend = await openHeadless(game.folder);
    await expect(backend.document('assets/pipe.scene')).rejects.toThrow(code('E_NOT_FOUND'));
    expect(await backend.classes('scripts')).toMatchObject([
      { script: { problem: 'it is no file' } },
    ]);
    await backend.validate('assets/main.scene');
    using project = await openProject(game.folder);
    await expect(write(project, '1', 'assets/data/b.json')).rejects.toThrow(code('E_CONFLICT'));
    expect(lstatSync(path.join(game.folder, 'assets/data/b.json')).isFIFO()).toBe(true);
  });

  test('and a project of which package.json is a pipe is none', async () => {
    using game = new TestProject();
    rmSync(path.join(game.folder, 'package.json'));
    execFileSync('/usr/bin/mkfifo', [path.join(game.folder, 'package.json')]);
    await expect(openProject(game.folder)).rejects.toThrow(code('E_NOT_FOUND'));
  });
});

describe('A file that may not be written', () => {
  test('is left alone', async () => {
    using game = new TestProject();
    const file = path.join(game.folder, 'assets/data/a.json');
    chmodSync(file, 0o444);
    using project = await openProject(game.folder);
    await expect(write(project)).rejects.toThrow(code('E_PRECONDITION_FAILED'));
    expect(game.read('assets/data/a.json')).toBe('{}');
    chmodSync(file, 0o644);
    expect(await write(project)).toBeDefined();
  });
});

describe('A project whose folder is gone', () => {
  test('is unavailable, and is not made anew', async () => {
    const game = new TestProject();
    await using backend = await openHeadless(game.folder);
    const plan = await backend.plan([{ op: 'create_folder', assetPath: 'assets/new' }], {
      newId: (label) => label,
    });
    const moved = `${game.folder}-moved`;
    renameSync(game.folder, moved);
    try {
      await expect(backend.project()).rejects.toThrow(code('E_UNAVAILABLE'));
      await expect(backend.document('assets/main.scene')).rejects.toThrow(code('E_UNAVAILABLE'));
      await expect(plan.commit('late')).rejects.toThrow(code('E_UNAVAILABLE'));
      await expect(backend.undo()).rejects.toThrow(code('E_UNAVAILABLE'));
      expect(existsSync(game.folder)).toBe(false);
      renameSync(moved, game.folder);
      expect((await backend.document('assets/main.scene')).kind).toBe('scene');
    } finally {
      rmSync(moved, { recursive: true, force: true });
      game[Symbol.dispose]();
    }
  });
});

describe("Somebody else's save", () => {
  const saved = '{"saved":"by somebody else"}';
  const inPlace = (file: string): void => writeFileSync(file, saved);
  const byRename = (file: string): void => {
    writeFileSync(`${file}.tmp`, saved);
    renameSync(`${file}.tmp`, file);
  };

  test.each([
    ['in place', 'replace', inPlace],
    ['by rename', 'replace', byRename],
    ['in place', 'remove', inPlace],
    ['by rename', 'remove', byRename],
    ['anew', 'create', inPlace],
  ] as const)('%s just before we %s the file stands', async (_how, what, save) => {
    const name = what === 'create' ? 'assets/new.json' : 'assets/data/a.json';
    using game = new TestProject();
    let isOnce = true;
    const onStep = (step: string): void => {
      if (step !== `${what} ${name}` || !isOnce) return;
      isOnce = false;
      save(path.join(game.folder, name));
    };
    using project = await openProject(game.folder, { onStep });
    const draft = project.draft();
    draft.write('assets/first.json', '1');
    if (what === 'remove') draft.remove(name);
    else draft.write(name, 'ours');
    await expect(project.commit(draft, 'late')).rejects.toThrow(code('E_CONFLICT'));
    expect(game.read(name)).toBe(saved);
    expect(existsSync(path.join(game.folder, 'assets/first.json'))).toBe(false);
    expect(readdirSync(path.join(game.folder, journalFolder))).toEqual([]);
  });

  test('is kept where its place was taken by yet another', async () => {
    const name = 'assets/data/a.json';
    using game = new TestProject();
    const file = path.join(game.folder, name);
    const open = openSync(file, 'r+');
    const onStep = (step: string): void => {
      if (step !== 'replace assets/data/z.json') return;
      // One who opened the file before it was replaced ends writing after; then comes another.
      ftruncateSync(open);
      writeSync(open, saved, 0);
      closeSync(open);
      writeFileSync(file, 'the third');
      game.write({ 'assets/data/z.json': 'also changed' });
    };
    game.write({ 'assets/data/z.json': '1', 'assets/data/z.json.meta': metaFor('z', 'json') });
    using project = await openProject(game.folder, { onStep });
    const draft = project.draft();
    draft.write(name, 'ours');
    draft.write('assets/data/z.json', '2');
    const error = (await project.commit(draft, 'late').catch((thrown: unknown) => thrown)) as {
      code: string;
      details: { kept: string[] };
    };
    expect(error.code).toBe('E_CONFLICT');
    expect(game.read(name)).toBe('the third');
    expect(error.details.kept).toHaveLength(1);
    expect(game.read(error.details.kept[0] ?? '')).toBe(saved);
  });

  test('is never lost to one of ours, however fast it comes', async () => {
    using game = new TestProject({ 'assets/data/a.json': '0' });
    const { lost } = await raceWithSaver(game, 'in place', 25);
    expect(lost).toBe(0);
    expect(game.read('assets/data/a.json')).toMatch(/^\d+ /);
  }, 60_000);
});
