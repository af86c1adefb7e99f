import {
  chmodSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { entryAt, rootOf } from '@mcp-kit/cocos/document';
import { openProject, type Draft } from '@mcp-kit/cocos/project';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { metaFor, sceneText, TestProject, uuidFor } from '../support/cocos-project.ts';

const code = (expected: string) => expect.objectContaining({ code: expected }) as Error;

/** Renames the scene in a draft. */
function rename(draft: Draft, name: string): void {
  const table = draft.edit('assets/main.scene');
  entryAt(table, rootOf(table))['_name'] = name;
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

describe('Undo', () => {
  test('takes transactions back, the last first, until nothing is left', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    const states = [game.snapshot()];
    for (const name of ['one', 'two', 'three']) {
      const draft = project.draft();
      rename(draft, name);
      draft.write(`assets/${name}/x.json`, name);
      await project.commit(draft, name);
      states.push(game.snapshot());
    }
    for (const name of ['three', 'two', 'one']) {
      expect(game.snapshot()).toEqual(states.pop());
      expect((await project.undo()).label).toBe(`undo ${name}`);
    }
    expect(game.snapshot()).toEqual(states.pop());
    await expect(project.undo()).rejects.toThrow(code('E_PRECONDITION_FAILED'));
  });

  test('works after the project was opened anew', async () => {
    using game = new TestProject();
    const before = game.snapshot();
    {
      using project = await openProject(game.folder);
      const draft = project.draft();
      rename(draft, 'x');
      await project.commit(draft, 'x');
    }
    using again = await openProject(game.folder);
    await again.undo();
    expect(game.snapshot()).toEqual(before);
  });

  test('is refused when a file changed since, and for another than the last transaction', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    const draft = project.draft();
    rename(draft, 'x');
    const done = await project.commit(draft, 'x');
    await expect(project.undo('another')).rejects.toThrow(code('E_PRECONDITION_FAILED'));
    const text = game.read('assets/main.scene');
    writeFileSync(path.join(game.folder, 'assets/main.scene'), `${text} `);
    await expect(project.undo()).rejects.toThrow(code('E_CONFLICT'));
    expect(game.read('assets/main.scene')).toBe(`${text} `);
    writeFileSync(path.join(game.folder, 'assets/main.scene'), text);
    await project.undo(done?.id);
  });

  test('reaches as far back as was asked for', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder, { maxUndo: 2 });
    for (const name of ['one', 'two', 'three']) {
      const draft = project.draft();
      rename(draft, name);
      await project.commit(draft, name);
    }
    expect((await project.history()).map(({ label }) => label)).toEqual(['three', 'two']);
    expect(readdirSync(path.join(game.folder, 'local/mcp-kit/transactions'))).toHaveLength(2);
  });

  test('does not stumble over a damaged journal', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder);
    const draft = project.draft();
    rename(draft, 'one');
    await project.commit(draft, 'one');
    const journal = path.join(game.folder, 'local/mcp-kit/transactions');
    const [name = ''] = readdirSync(journal);
    expect(readFileSync(path.join(journal, name, 'journal.json'), 'utf8')).toContain('main.scene');
    rmSync(path.join(journal, name, 'journal.json'));
    const next = project.draft();
    rename(next, 'two');
    await project.commit(next, 'two');
    expect((await project.history()).map(({ label }) => label)).toEqual(['two']);
  });
});

describe('A journal that came with the project from somebody else', () => {
  const journal = (file: string, folder = 'local/mcp-kit/transactions/000001.applying') => ({
    [`${folder}/before-0`]: 'bad',
    [`${folder}/journal.json`]: JSON.stringify({
      id: 'x',
      label: 'x',
      at: '2020-01-01T00:00:00Z',
      files: [{ path: file, before: 'any', after: null }],
      createdFolders: [],
      removedFolders: [],
    }),
  });

  test.each([
    'package.json.new',
    '.git/hooks/post-checkout',
    '../outside.txt',
    'extensions/x/main.js',
  ])('does not write %s', async (file) => {
    using game = new TestProject(journal(file));
    const before = game.snapshot();
    using _project = await openProject(game.folder);
    expect(game.snapshot()).toEqual(before);
  });

  test('puts back only what could be an edit', async () => {
    using game = new TestProject(journal('assets/back.json'));
    using _project = await openProject(game.folder);
    expect(game.read('assets/back.json')).toBe('bad');
  });

  test('is not undone where what was kept is not what was there', async () => {
    const done = journal('assets/back.json', 'local/mcp-kit/transactions/000001.done');
    using game = new TestProject(done);
    using project = await openProject(game.folder);
    await expect(project.undo()).rejects.toThrow(code('E_INTERNAL'));
  });

  test('does not lead out by a link in place of its folder', async () => {
    using outside = new TestProject();
    using game = new TestProject();
    symlinkSync(outside.folder, path.join(game.folder, 'local'));
    using project = await openProject(game.folder);
    const before = outside.snapshot();
    const draft = project.draft();
    rename(draft, 'x');
    await expect(project.commit(draft, 'x')).rejects.toThrow(code('E_INVALID_ARGUMENT'));
    expect(outside.snapshot()).toEqual(before);
  });
});

describe('Any sequence of edits', () => {
  const names = ['a', 'b', 'c/a', 'c/b', 'c/d/a'].map((name) => `assets/x/${name}`);
  const place = fc.constantFrom(...names, 'assets/x/c', 'assets/x/c/d', 'assets/x');
  type Edit =
    | { kind: 'write'; from: string; text: string }
    | { kind: 'remove' | 'folder'; from: string }
    | { kind: 'move'; from: string; to: string };
  const edit: fc.Arbitrary<Edit> = fc.oneof(
    fc.record({
      kind: fc.constant('write' as const),
      from: fc.constantFrom(...names),
      text: fc.string(),
    }),
    fc.record({ kind: fc.constant('remove' as const), from: place }),
    fc.record({ kind: fc.constant('move' as const), from: place, to: place }),
    fc.record({ kind: fc.constant('folder' as const), from: place }),
  );

  /** Does an edit if it can be done. */
  function attempt(draft: Draft, action: Edit): void {
    try {
      if (action.kind === 'write') draft.write(action.from, action.text);
      else if (action.kind === 'remove') draft.remove(action.from);
      else if (action.kind === 'move') draft.move(action.from, action.to);
      else draft.createFolder(action.from);
    } catch (error) {
      if ((error as { code?: unknown }).code === 'E_INTERNAL') throw error;
    }
  }

  /** What a draft says is below a folder. */
  function listing(draft: Draft, folder: string): Record<string, string> {
    const found: Record<string, string> = {};
    for (const name of draft.list(folder)) {
      const inner = `${folder}/${name}`;
      if (draft.isFolder(inner)) Object.assign(found, { [`${inner}/`]: '' }, listing(draft, inner));
      else found[inner] = Buffer.from(draft.read(inner) ?? '').toString('base64');
    }
    return found;
  }

  test('ends on the disk as the draft said, and undo returns every byte', async () => {
    using game = new TestProject();
    using project = await openProject(game.folder, { maxUndo: 1000 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(edit, { maxLength: 12 }), { maxLength: 4 }),
        async (drafts) => {
          const states = [game.snapshot()];
          for (const actions of drafts) {
            const draft = project.draft();
            for (const action of actions) attempt(draft, action);
            const planned = listing(draft, 'assets');
            if ((await project.commit(draft, 'edits')) === undefined) continue;
            const written = Object.entries(game.snapshot()).filter(
              ([name]) => name.startsWith('assets/') && name !== 'assets/',
            );
            expect(Object.fromEntries(written)).toEqual(planned);
            states.push(game.snapshot());
          }
          while (states.length > 1) {
            expect(game.snapshot()).toEqual(states.pop());
            await project.undo();
          }
          expect(game.snapshot()).toEqual(states.pop());
        },
      ),
      { numRuns: Math.min(100, Number(process.env['PROPERTY_RUNS'])) },
    );
  });
});
