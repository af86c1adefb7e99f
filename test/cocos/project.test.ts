import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  announceEditor,
  findProject,
  openProject,
  type Project,
  subAssetOf,
} from '@mcp-kit/cocos/project';
import { describe, expect, test } from 'vitest';
import { corpusFolder, hasCorpus, needsCorpus, readCorpus } from '../support/cocos/corpus.ts';
import { metaFor, TestProject, uuidFor } from '../support/cocos/project.ts';
import { cpuMsOf } from '../support/cpu-time.ts';

const code = (expected: string) => expect.objectContaining({ code: expected }) as Error;

describe('Finding a project', () => {
  test('a folder or file in it is enough, and its settings are read', () => {
    using game = new TestProject({
      'settings/v2/packages/project.json':
        '{"general":{"designResolution":{"width":720,"height":1280}}}',
      '.creator/default-meta.json': '{"image":{"type":"sprite-frame"}}',
    });
    const found = findProject(path.join(game.folder, 'assets/data/a.json'));
    expect(found.info).toEqual({
      name: 'game',
      uuid: uuidFor('game'),
      version: '3.8.6',
      designResolution: { width: 720, height: 1280 },
      imageType: 'sprite-frame',
    });
  });

  test('what is not said is as the editor has it', () => {
    using game = new TestProject();
    const { info } = findProject(game.folder);
    expect(info).toMatchObject({
      designResolution: { width: 1280, height: 720 },
      imageType: 'texture',
    });
  });

  test('projects of 2.x are refused, by their own file or by their version', () => {
    using old = new TestProject({
      'package.json': '{}',
      'project.json': '{"engine":"cocos-creator-js","version":"2.4.8"}',
    });
    expect(() => findProject(old.folder)).toThrow(code('E_PRECONDITION_FAILED'));
    expect(() => findProject(old.folder)).toThrow('2.4.8');
    using named = new TestProject({ 'package.json': '{"creator":{"version":"2.4.8"}}' });
    expect(() => findProject(named.folder)).toThrow('2.4.8');
  });

  test('a folder that is no project, or is not there, is not found', () => {
    expect(() => findProject(tmpdir())).toThrow(code('E_NOT_FOUND'));
    expect(() => findProject('/nowhere/at/all')).toThrow(code('E_NOT_FOUND'));
  });

  test('the assets of extensions are found under the name of the extension', () => {
    using game = new TestProject({
      'extensions/one/package.json':
        '{"name":"kit","contributions":{"asset-db":{"mount":{"path":"./res","readonly":true}}}}',
      'extensions/one/res': undefined,
      'extensions/two/package.json':
        '{"contributions":{"asset-db":{"mount":{"path":"../../outside"}}}}',
      'extensions/three/package.json': '{"name":"three"}',
      'extensions/three/assets': undefined,
    });
    expect(findProject(game.folder).mounts).toEqual([
      { name: 'assets', path: 'assets', readonly: false },
      { name: 'kit', path: 'extensions/one/res', readonly: true },
    ]);
  });
});

describe('The assets of a project', () => {
  test('are found by uuid, path and address, with their parts', async () => {
    const meta = JSON.parse(metaFor('pic', 'image')) as { subMetas: object };
    meta.subMetas = {
      f9941: { importer: 'sprite-frame', uuid: `${uuidFor('pic')}@f9941`, name: 'spriteFrame' },
    };
    using game = new TestProject({
      'assets/pic.png': '',
      'assets/pic.png.meta': JSON.stringify(meta),
    });
    using project = await openProject(game.folder);
    const asset = project.asset(`${uuidFor('pic')}@f9941`);
    expect(asset).toMatchObject({
      path: 'assets/pic.png',
      url: 'db://assets/pic.png',
      name: 'pic',
      exists: true,
    });
    expect(asset && subAssetOf(asset, `${uuidFor('pic')}@f9941`)?.url).toBe(
      'db://assets/pic.png/spriteFrame',
    );
    expect(project.asset(`${uuidFor('pic')}@00000`)).toBeUndefined();
    expect(project.assetAt('db://assets/pic.png')).toBe(asset);
    expect(project.assetAt(path.join(game.folder, 'assets/pic.png'))).toBe(asset);
  });

  test('opening writes nothing', async () => {
    using game = new TestProject();
    const before = game.snapshot();
    using _project = await openProject(game.folder);
    expect(game.snapshot()).toEqual(before);
    expect(Object.keys(before)).not.toContain('local/');
  });

  test('files that only end in .meta, damaged ones and double uuids do not stop it', async () => {
    using game = new TestProject({
      'assets/view.meta': '{"template":1}',
      'assets/bad.png.meta': '{',
      'assets/twin.json': '{}',
      'assets/twin.json.meta': metaFor('a', 'json'),
    });
    using project = await openProject(game.folder);
    const problems = [...project.problems()].map((problem) => problem.path).sort();
    expect(problems[0]).toBe('assets/bad.png.meta');
    expect(problems).toHaveLength(2);
    expect([...project.assets()].map((asset) => asset.path)).not.toContain('assets/view');
  });

  test('looking again reports exactly what was added, changed and removed', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    expect(await project.refresh()).toEqual([]);
    game.write({
      'assets/b.json': '{}',
      'assets/b.json.meta': metaFor('b', 'json'),
      'assets/main.scene.meta': metaFor('main', 'scene', { changed: true }),
    });
    rmSync(path.join(game.folder, 'assets/data/a.json.meta'));
    const changes = await project.refresh();
    expect(changes.map(({ change, asset }) => `${change} ${asset.path}`).sort()).toEqual([
      'create assets/b.json',
      'delete assets/data/a.json',
      'update assets/main.scene',
    ]);
    expect(project.asset(uuidFor('a'))).toBeUndefined();
    expect(project.asset(uuidFor('b'))).toBeDefined();
  });

  test('changes on the disk are noticed while it is watched, also in new folders', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    const seen = new Set<string>();
    let heard = () => {};
    using _watch = project.watch((changes) => {
      for (const { asset } of changes) seen.add(asset.path);
      heard();
    });
    const until = async (name: string) => {
      while (!seen.has(name)) await new Promise<void>((resolve) => (heard = resolve));
    };
    await project.refresh();
    game.write({ 'assets/new.meta': metaFor('new', 'directory'), 'assets/new': undefined });
    await until('assets/new');
    game.write({ 'assets/new/c.json': '{}', 'assets/new/c.json.meta': metaFor('c', 'json') });
    await until('assets/new/c.json');
    expect(project.asset(uuidFor('c'))?.path).toBe('assets/new/c.json');
  });

  test('5,000 are indexed in less than two seconds of work, and looked at again in much less', async () => {
    using game = new TestProject();
    for (let number = 0; number < 5000; number += 1) {
      const folder = path.join(game.folder, `assets/f${Math.floor(number / 100)}`);
      if (number % 100 === 0) mkdirSync(folder);
      writeFileSync(path.join(folder, `a${number}.json.meta`), metaFor(`a${number}`, 'json'));
    }
    let opened = Infinity;
    let again = Infinity;
    for (let round = 0; round < 2; round += 1) {
      const start = process.cpuUsage();
      using project = await openProject(game.folder);
      opened = Math.min(opened, process.cpuUsage(start).user / 1000);
      again = Math.min(again, await cpuMsOf(() => project.refresh()));
      expect([...project.assets()].length).toBeGreaterThanOrEqual(5000);
    }
    expect(opened).toBeLessThan(2000);
    expect(again).toBeLessThan(1000);
  });

  test.skipIf(process.platform === 'win32')(
    'a script is read anew when it changes, also behind a link, and only then',
    async () => {
      const classes = async (project: Project): Promise<string[]> =>
        [...(await project.scripts()).all()].map(({ className }) => className).sort();
      const source = (name: string): string =>
        `@ccclass('${name}') class ${name} extends Component {}`;
      using game = new TestProject({
        'assets/one.ts': source('One'),
        'assets/one.ts.meta': metaFor('one', 'typescript'),
        'lib/two.ts': source('Two'),
        'assets/two.ts.meta': metaFor('two', 'typescript'),
      });
      symlinkSync('../lib/two.ts', path.join(game.folder, 'assets/two.ts'));
      using project = await openProject(game.folder, { follow: true });
      expect(await classes(project)).toEqual(['One', 'Two']);
      const known = await project.scripts();
      await project.current();
      expect(await project.scripts()).toBe(known);
      game.write({ 'lib/two.ts': source('Second') });
      await project.current();
      expect(await classes(project)).toEqual(['One', 'Second']);
      game.write({ 'assets/one.ts': source('First') });
      await project.current();
      expect(await classes(project)).toEqual(['First', 'Second']);
    },
  );

  test('whoever uses an asset is known, by part and by script, also in a draft', async () => {
    const [pic, script] = [uuidFor('pic'), 'fc991dd7-0033-4b80-9d41-c8a86a702e59'];
    using game = new TestProject({
      'assets/one.prefab': `[{"__uuid__":"${pic}@f9941"}]`,
      'assets/one.prefab.meta': metaFor('one', 'prefab'),
      'assets/two.prefab': `[{"__uuid__":"${pic}@6c48a"},{"__type__":"fc9913XADNLgJ1ByKhqcC5Z"}]`,
      'assets/two.prefab.meta': metaFor('two', 'prefab'),
    });
    using project = await openProject(game.folder);
    const pathsOf = async (uuid: string) =>
      (await project.usersOf(uuid)).map((use) => use.path).sort();
    expect(await pathsOf(pic)).toEqual(['assets/one.prefab', 'assets/two.prefab']);
    expect(await pathsOf(`${pic}@f9941`)).toEqual(['assets/one.prefab']);
    expect(await pathsOf(script)).toEqual(['assets/two.prefab']);
    const one = { uuid: uuidFor('one'), path: 'assets/one.prefab' };
    expect(await project.referencesOf(one)).toEqual({ usedBy: [], uses: [`${pic}@f9941`] });
    const draft = project.draft();
    draft.remove('assets/one.prefab');
    draft.write('assets/data/a.json', `{"x":"${pic}"}`);
    const users = await project.usersOf(pic, draft);
    expect(users.map((use) => use.path).sort()).toEqual([
      'assets/data/a.json',
      'assets/two.prefab',
    ]);
    game.write({ 'assets/two.prefab': '[]' });
    expect(await pathsOf(script)).toEqual([]);
  });

  test('scripts are read once, and again when they change', async () => {
    const source = (name: string) =>
      `import { _decorator, Component } from 'cc'; const { ccclass, property } = _decorator;
       @ccclass('Hero') export class Hero extends Component { @property ${name} = 1; }`;
    using game = new TestProject({
      'assets/Hero.ts': source('speed'),
      'assets/Hero.ts.meta': metaFor('Hero', 'typescript'),
    });
    using project = await openProject(game.folder);
    const first = await project.scripts();
    expect(first.byClass('Hero')?.properties.map((property) => property.name)).toEqual(['speed']);
    expect(await project.scripts()).toBe(first);
    game.write({ 'assets/Hero.ts': source('strength') });
    const second = await project.scripts();
    expect(second.byUuid(uuidFor('Hero'))?.properties.map((property) => property.name)).toEqual([
      'strength',
    ]);
  });
});

describe('Paths', () => {
  test('db addresses, relative and absolute paths lead to one place, and back', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    for (const input of [
      'db://assets/data/a.json',
      'assets/data/a.json',
      './assets//data/./a.json',
      path.join(project.root, 'assets/data/a.json'),
    ]) {
      expect(project.resolve(input)).toBe('assets/data/a.json');
    }
    expect(project.url('assets/data/a.json')).toBe('db://assets/data/a.json');
    expect(project.url('package.json')).toBeUndefined();
    expect(() => project.resolve('db://internal/default.prefab')).toThrow(code('E_NOT_FOUND'));
  });

  test('nothing outside is reached, by whatever path', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    const inputs = [
      '..',
      '../x',
      'assets/../../x',
      'db://assets/../package.json',
      'db://assets/../../x',
      '/etc/passwd',
      'assets/\0',
      '..\\x',
      'C:\\x',
    ];
    for (const input of inputs) {
      expect(() => project.resolve(input)).toThrow(code('E_INVALID_ARGUMENT'));
    }
  });

  test('links that lead out are refused for reading, writing and indexing', async () => {
    using outside = new TestProject();
    using game = new TestProject();
    symlinkSync(path.join(outside.folder, 'assets'), path.join(game.folder, 'assets/link'));
    symlinkSync(
      path.join(outside.folder, 'assets/main.scene.meta'),
      path.join(game.folder, 'assets/x.scene.meta'),
    );
    using project = await openProject(game.folder);
    expect([...project.assets()].map((asset) => asset.path).sort()).toEqual([
      'assets/data',
      'assets/data/a.json',
      'assets/main.scene',
    ]);
    const draft = project.draft();
    expect(() => draft.read('assets/link/main.scene')).toThrow(code('E_INVALID_ARGUMENT'));
    expect(() => {
      draft.write('assets/link/new.json', '{}');
    }).toThrow(code('E_INVALID_ARGUMENT'));
  });

  test('a link made after the draft does not lead a transaction out', async () => {
    using outside = new TestProject();
    using game = new TestProject();
    using project = await openProject(game.folder);
    const draft = project.draft();
    draft.write('assets/sub/new.json', '{}');
    symlinkSync(path.join(outside.folder, 'assets'), path.join(game.folder, 'assets/sub'));
    const before = outside.snapshot();
    await expect(project.commit(draft, 'x')).rejects.toThrow(code('E_INVALID_ARGUMENT'));
    expect(outside.snapshot()).toEqual(before);
  });

  test('only assets and settings are written', async () => {
    using game = new TestProject({ 'extensions/kit/assets': undefined, 'library/x': '' });
    using project = await openProject(game.folder);
    const draft = project.draft();
    for (const file of [
      'package.json',
      'library/x',
      'temp/x',
      'extensions/kit/main.js',
      'extensions/kit/assets/a.json',
      'assets',
      '.git/config',
    ]) {
      expect(() => {
        draft.write(file, '');
      }).toThrow(code('E_INVALID_ARGUMENT'));
    }
    draft.write('settings/v2/packages/project.json', '{}');
    expect(draft.changes()).toEqual([
      { path: 'settings/v2/packages/project.json', change: 'create' },
    ]);
  });
});

describe('A running editor', () => {
  test('is known for sure while its extension says so', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    expect(project.editor()).toEqual({ running: 'no' });
    {
      await using _editor = await announceEditor(project.root, 'http://127.0.0.1:1/mcp');
      expect(project.editor()).toMatchObject({
        running: 'yes',
        pid: process.pid,
        url: 'http://127.0.0.1:1/mcp',
      });
    }
    expect(project.editor()).toEqual({ running: 'no' });
  });

  test('that died without a word is not taken for one that runs', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    const pid = Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));
    game.write({ 'local/mcp-kit/editor.json': JSON.stringify({ pid }) });
    expect(project.editor()).toEqual({ running: 'no' });
  });

  test('is suspected by its fresh files, and not by old ones', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    const log = path.join(game.folder, 'temp/logs/project.log');
    mkdirSync(path.dirname(log), { recursive: true });
    writeFileSync(log, '');
    expect(project.editor()).toMatchObject({
      running: 'maybe',
      evidence: expect.stringContaining('project.log') as string,
    });
    utimesSync(log, 1, 1);
    expect(project.editor()).toEqual({ running: 'no' });
  });
});

describe.skipIf(!hasCorpus)(`Real projects ${needsCorpus}`, () => {
  test.each([
    ['xforge-3.8.3', '3.8.3', 29],
    ['customsnake-3.8.6', '3.8.6', 14],
    ['airplane-3.3', '3.3.2', 11],
  ] as const)('%s is opened with all its scripts', async (name, version, count) => {
    using project = await openProject(corpusFolder(name));
    expect(project.info.version).toBe(version);
    expect([...project.problems()]).toEqual([]);
    const scripts = JSON.parse(readCorpus(`${name}/scripts.json`)) as Record<string, string>[];
    const catalog = await project.scripts();
    expect(scripts).toHaveLength(count);
    for (const { path: file, uuid = '', type = '' } of scripts) {
      expect(project.asset(uuid)?.path).toBe(file);
      expect(catalog.byType(type)?.uuid).toBe(uuid);
    }
  });
});
