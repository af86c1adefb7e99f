import {
  appendFileSync,
  chmodSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { ownAt, rootOf } from '@mcp-kit/cocos/document';
import { openProject, type Draft } from '@mcp-kit/cocos/project';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TestProject } from '../support/cocos/project.ts';

const code = (expected: string) => expect.objectContaining({ code: expected }) as Error;

/** Renames the scene in a draft. */
function rename(draft: Draft, name: string): void {
  const table = draft.edit('assets/main.scene');
  ownAt(table, rootOf(table))['_name'] = name;
}

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

  describe('of a file', () => {
    const scene = (game: TestProject): string => path.join(game.folder, 'assets/main.scene');
    const kept = (game: TestProject): string => {
      const journal = path.join(game.folder, 'local/mcp-kit/transactions');
      return path.join(journal, readdirSync(journal).at(-1) ?? '', 'before-0');
    };

    test('gives back the file itself, as if it were written now', async () => {
      using game = new TestProject();
      using project = await openProject(game.folder);
      utimesSync(scene(game), 1000, 1000);
      const before = statSync(scene(game));
      const draft = project.draft();
      rename(draft, 'x');
      await project.commit(draft, 'x');
      chmodSync(scene(game), 0o640);
      const written = statSync(scene(game));
      await project.undo();
      const after = statSync(scene(game));
      expect(after.ino).toBe(before.ino);
      expect(after.nlink).toBe(1);
      expect(after.mtimeMs).toBeGreaterThanOrEqual(Math.floor(written.mtimeMs));
      expect(after.mode & 0o777).toBe(0o640);
    });

    test('copies what was kept where it has other names, too', async () => {
      using game = new TestProject();
      using project = await openProject(game.folder);
      const before = game.read('assets/main.scene');
      const draft = project.draft();
      rename(draft, 'x');
      await project.commit(draft, 'x');
      linkSync(kept(game), path.join(game.folder, 'other'));
      await project.undo();
      expect(game.read('assets/main.scene')).toBe(before);
      expect(statSync(scene(game)).ino).not.toBe(statSync(path.join(game.folder, 'other')).ino);
    });

    test('changes nothing where what was kept is damaged', async () => {
      using game = new TestProject();
      using project = await openProject(game.folder);
      const draft = project.draft();
      rename(draft, 'x');
      await project.commit(draft, 'x');
      const written = game.read('assets/main.scene');
      appendFileSync(kept(game), ' ');
      await expect(project.undo()).rejects.toThrow(code('E_INTERNAL'));
      expect(game.read('assets/main.scene')).toBe(written);
    });
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
      { numRuns: Math.max(10, Math.round(Number(process.env['PROPERTY_RUNS']) / 200)) },
    );
  });
});
