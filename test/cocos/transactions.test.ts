import { chmodSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { entryAt, ownAt, rootOf } from '@mcp-kit/cocos/document';
import { openProject, type Draft } from '@mcp-kit/cocos/project';
import { describe, expect, test } from 'vitest';
import { metaFor, sceneText, TestProject, uuidFor } from '../support/cocos/project.ts';

const code = (expected: string) => expect.objectContaining({ code: expected }) as Error;

/** Renames the scene in a draft. */
function rename(draft: Draft, name: string): void {
  const table = draft.edit('assets/main.scene');
  ownAt(table, rootOf(table))['_name'] = name;
}

describe('A draft', () => {
  test('sees what was written in it, and the disk does not', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    const before = game.snapshot();
    const draft = project.draft();
    draft.write('assets/new/b.json', '{"b":1}');
    draft.write('assets/new/b.json.meta', metaFor('b', 'json'));
    draft.remove('db://assets/data/a.json');
    expect(draft.text('assets/new/b.json')).toBe('{"b":1}');
    expect(draft.exists('assets/data/a.json')).toBe(false);
    expect(draft.list('assets/new')).toEqual(['b.json', 'b.json.meta']);
    expect(draft.list('assets/data')).toEqual(['a.json.meta']);
    expect(draft.asset(uuidFor('b'))?.url).toBe('db://assets/new/b.json');
    expect(draft.changes()).toEqual([
      { path: 'assets/data/a.json', change: 'delete' },
      { path: 'assets/new/b.json', change: 'create' },
      { path: 'assets/new/b.json.meta', change: 'create' },
    ]);
    expect(game.snapshot()).toEqual(before);
    expect(project.asset(uuidFor('b'))).toBeUndefined();
  });

  test('edits its own copy of a scene, and has no change while nothing was edited', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    const draft = project.draft();
    draft.edit('assets/main.scene');
    expect(draft.changes()).toEqual([]);
    rename(draft, 'other');
    expect(draft.changes()).toEqual([{ path: 'assets/main.scene', change: 'update' }]);
    expect(draft.text('assets/main.scene')).toContain('"other"');
    expect(project.draft().text('assets/main.scene')).not.toContain('"other"');
    expect(project.draft().table('assets/main.scene')).not.toBe(draft.table('assets/main.scene'));
  });

  test('moves folders with everything in them, edited or not', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    const draft = project.draft();
    rename(draft, 'moved');
    draft.move('assets/main.scene', 'assets/data/main.scene');
    draft.move('assets/main.scene.meta', 'assets/data/main.scene.meta');
    draft.move('assets/data', 'assets/deep/er');
    draft.move('assets/data.meta', 'assets/deep/er.meta');
    expect(draft.exists('assets/data')).toBe(false);
    expect(draft.text('assets/deep/er/main.scene')).toContain('"moved"');
    expect(draft.asset(uuidFor('a'))?.path).toBe('assets/deep/er/a.json');
    expect(draft.assetAt('assets/data/a.json')).toBeUndefined();
    expect(() => {
      draft.move('assets/deep', 'assets/deep/er/x');
    }).toThrow(code('E_INVALID_ARGUMENT'));
    await project.commit(draft, 'move');
    expect(readdirSync(path.join(game.folder, 'assets'))).toEqual(['deep']);
    expect(project.asset(uuidFor('main'))?.path).toBe('assets/deep/er/main.scene');
    await project.undo();
    expect(project.asset(uuidFor('main'))?.path).toBe('assets/main.scene');
  });

  test('refuses to write over folders, into files, and to move onto something', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    const draft = project.draft();
    expect(() => {
      draft.write('assets/data', '');
    }).toThrow(code('E_CONFLICT'));
    expect(() => {
      draft.write('assets/main.scene/x', '');
    }).toThrow(code('E_CONFLICT'));
    expect(() => {
      draft.move('assets/data/a.json', 'assets/main.scene');
    }).toThrow(code('E_CONFLICT'));
    expect(() => draft.text('assets/nothing.json')).toThrow(code('E_NOT_FOUND'));
    expect(() => {
      draft.remove('assets/nothing.json');
    }).toThrow(code('E_NOT_FOUND'));
    expect(draft.changes()).toEqual([]);
  });
});

describe('A transaction', () => {
  test('writes all files, is in the history, and the project knows at once', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    const draft = project.draft();
    rename(draft, 'second');
    draft.write('assets/new/b.json', '{}');
    draft.write('assets/new/b.json.meta', metaFor('b', 'json'));
    const done = await project.commit(draft, 'two things');
    expect(done?.files.map((file) => file.change)).toEqual(['update', 'create', 'create']);
    expect(game.read('assets/main.scene')).toContain('"second"');
    expect(project.asset(uuidFor('b'))).toBeDefined();
    expect(await project.history()).toEqual([done]);
  });

  test('with nothing to change writes nothing', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    const draft = project.draft();
    draft.write('assets/data/a.json', '{}');
    draft.write('assets/x.json', '');
    draft.remove('assets/x.json');
    expect(await project.commit(draft, 'nothing')).toBeUndefined();
    expect(readdirSync(game.folder)).not.toContain('local');
  });

  test.each(['written', 'only read', 'created', 'removed'])(
    'is refused when a file that was %s changed meanwhile',
    async (how) => {
      using game = new TestProject();
      using project = await openProject(game.folder);
      const draft = project.draft();
      rename(draft, 'mine');
      let other = 'assets/main.scene';
      if (how === 'only read') draft.text((other = 'assets/data/a.json'));
      if (how === 'created') draft.write((other = 'assets/b.json'), '{}');
      if (how === 'removed') draft.remove((other = 'assets/data/a.json'));
      game.write({ [other]: '[1]' });
      const before = game.snapshot();
      await expect(project.commit(draft, 'late')).rejects.toThrow(code('E_CONFLICT'));
      expect(game.snapshot()).toEqual(before);
    },
  );

  test('is refused when it would damage a file', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    const before = game.snapshot();
    for (const [file, content] of [
      ['assets/main.scene', '[{"__type__":"cc.SceneAsset","scene":{"__id__":9}}]'],
      ['assets/main.scene', '{'],
      ['assets/main.scene.meta', '{}'],
    ] as const) {
      const draft = project.draft();
      draft.write(file, content);
      draft.write('assets/data/a.json', '[]');
      await expect(project.commit(draft, 'damage')).rejects.toThrow(code('E_INTERNAL'));
    }
    expect(game.snapshot()).toEqual(before);
  });

  test('leaves everything as it was when it fails at any step, and the next one works', async () => {
    let failing = -1;
    let count = 0;
    const onStep = () => {
      if (count++ === failing) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    };
    using game = new TestProject();
    using project = await openProject(game.folder, { onStep });
    const before = game.snapshot();
    const plan = () => {
      const draft = project.draft();
      rename(draft, 'new');
      draft.write('assets/deep/er/b.json', '{}');
      draft.remove('assets/data');
      draft.remove('assets/data.meta');
      count = 0;
      return draft;
    };
    let failures = 0;
    for (failing = 0; ; failing += 1) {
      const outcome = await project
        .commit(plan(), 'all or nothing')
        .catch((error: unknown) => error);
      if (!(outcome instanceof Error)) break;
      expect(outcome).toMatchObject({
        code: 'E_UNAVAILABLE',
        suggestion: 'Free some space on the disk.',
      });
      expect(game.snapshot()).toEqual(before);
      failures += 1;
    }
    expect(failures).toBeGreaterThan(12);
    failing = -1;
    await project.undo();
    expect(game.snapshot()).toEqual(before);
  });

  test('runs after the one before it, also in one process, and drafts of the same moment exclude each other', async () => {
    using game = new TestProject();
    using one = await openProject(game.folder);
    using two = await openProject(game.folder);
    const drafts = [one, two, one, two].map((project, index) => {
      const draft = project.draft();
      rename(draft, `name ${index}`);
      draft.write(`assets/own-${index}.json`, '');
      return project.commit(draft, `name ${index}`);
    });
    const outcomes = await Promise.allSettled(drafts);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map(({ reason }) => (reason as { code: string }).code)).toEqual(
      Array.from({ length: 3 }, () => 'E_CONFLICT'),
    );
    const winner = outcomes.findIndex((outcome) => outcome.status === 'fulfilled');
    expect(game.read('assets/main.scene')).toContain(`"name ${winner}"`);
    expect(
      readdirSync(path.join(game.folder, 'assets')).filter((name) => name.startsWith('own-')),
    ).toEqual([`own-${winner}.json`]);
  });

  test('keeps a written scene parsed, and sees when somebody else writes it', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    const draft = project.draft();
    rename(draft, 'second');
    await project.commit(draft, 'x');
    const table = project.draft().table('assets/main.scene');
    expect(entryAt(table, rootOf(table))['_name']).toBe('second');
    expect(project.draft().table('assets/main.scene')).toBe(table);
    game.write({ 'assets/main.scene': sceneText });
    const other = project.draft().table('assets/main.scene');
    expect(entryAt(other, rootOf(other))['_name']).not.toBe('second');
  });

  test('keeps who may read a file', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    const file = path.join(game.folder, 'assets/data/a.json');
    chmodSync(file, 0o640);
    const draft = project.draft();
    draft.write('assets/data/a.json', '[]');
    await project.commit(draft, 'x');
    expect(statSync(file).mode & 0o777).toBe(0o640);
    await project.undo();
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });
});
