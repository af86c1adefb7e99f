import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openProject } from '@mcp-kit/cocos/project';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleProgram } from '../support/bundle-program.ts';
import { TestProject } from '../support/cocos/project.ts';
import { identityOf } from '../support/process-identity.ts';
import { isWhole } from '../support/scale.ts';

let folder: string;
let program: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'cocos-child-'));
  program = path.join(folder, 'child.mjs');
  await bundleProgram(path.join(import.meta.dirname, 'child/commits.ts'), program);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the program; whether it came to its end, and not to its death. */
function run(
  game: TestProject,
  action: string,
  number: number | string,
): Promise<'done' | 'killed'> {
  return launch([process.execPath, program, game.folder, action, String(number)]);
}

function launch([command = '', ...args]: readonly string[]): Promise<'done' | 'killed'> {
  return new Promise((resolve, reject) => {
    execFile(command, args, (error, _out, err) => {
      if (error === null) resolve('done');
      else if (error.signal === 'SIGKILL') resolve('killed');
      else reject(new Error(err || error.message));
    });
  });
}

/** What starts a process where process numbers mean something else, as in a container; undefined where this may not. */
function container(): readonly string[] | undefined {
  const command = ['/usr/bin/unshare', '--pid', '--fork', '--mount-proc'];
  try {
    execFileSync(command[0] ?? '', [...command.slice(1), 'true'], { stdio: 'ignore' });
    return command;
  } catch {
    return undefined;
  }
}

const never = 'never';
/** When all files are in place, and nobody knows yet. */
const lastStep = '.done';

/** Where somebody waits, it is killed before every third change only. */
const stride = isWhole ? 1 : 3;

describe(`A process killed between any two changes to the disk, one in ${stride} of them tried,`, () => {
  test('leaves a project that is the old or the new one, both for a transaction and for undo', async () => {
    using game = new TestProject();
    const before = game.snapshot();
    expect(await run(game, 'commit', never)).toBe('done');
    const after = game.snapshot();
    let wanted = before;
    for (const action of ['undo', 'commit']) {
      const start = game.snapshot();
      wanted = action === 'undo' ? before : after;
      let step = 0;
      const outcomes = new Set<unknown>();
      while ((await run(game, action, step)) === 'killed') {
        step += stride;
        using project = await openProject(game.folder);
        const found = game.snapshot();
        const isNew = Object.keys(found).join() === Object.keys(wanted).join();
        outcomes.add(isNew);
        expect(found).toEqual(isNew ? wanted : start);
        if (!isNew) continue;
        // Back to where this began, for the next kill.
        if (action === 'commit') await project.undo();
        else await run(game, 'commit', never);
        expect(game.snapshot()).toEqual(start);
      }
      expect(game.snapshot()).toEqual(wanted);
      expect(step).toBeGreaterThan(14);
      expect(outcomes).toContain(false);
    }
  }, 240_000);

  test('may be killed again while it takes back what was interrupted', async () => {
    using game = new TestProject();
    const before = game.snapshot();
    let step = 0;
    for (let outcome = 'killed'; outcome === 'killed'; step += stride) {
      expect(await run(game, 'commit', lastStep)).toBe('killed');
      expect(game.snapshot()).not.toEqual(before);
      outcome = await run(game, 'open', step);
      using _project = await openProject(game.folder);
      expect(game.snapshot()).toEqual(before);
    }
    expect(step).toBeGreaterThan(8);
  });

  test('leaves no room for doubt when somebody else changed a file before it was taken back', async () => {
    using game = new TestProject();
    expect(await run(game, 'commit', lastStep)).toBe('killed');
    game.write({ 'assets/main.scene': '[]' });
    using _project = await openProject(game.folder);
    expect(game.read('assets/main.scene')).toBe('[]');
    expect(game.read('assets/data/a.json')).toBe('{}');
    expect(readdirSync(path.join(game.folder, 'local/mcp-kit/transactions'))).toEqual([]);
  });
});

describe('Several writers', () => {
  test('never meet: no change is lost', async () => {
    using game = new TestProject({ 'assets/data/a.json': '0' });
    const each = 15;
    await Promise.all([1, 2, 3].map(() => run(game, 'count', each)));
    expect(game.read('assets/data/a.json')).toBe(String(3 * each));
    expect(game.read('assets/data/b.json')).toBe(String(3 * each));
  });

  test('do not meet in two containers either (needs the right to make them)', async ({ skip }) => {
    const inside = container();
    if (inside === undefined) return skip();
    using game = new TestProject({ 'assets/data/a.json': '0' });
    const each = 15;
    const count = [process.execPath, program, game.folder, 'count', String(each)];
    await Promise.all([
      launch(count),
      launch([...inside, ...count]),
      launch([...inside, ...count]),
    ]);
    expect(game.read('assets/data/a.json')).toBe(String(3 * each));
    expect(game.read('assets/data/b.json')).toBe(String(3 * each));
  }, 120_000);

  const write = async (game: TestProject) => {
    using project = await openProject(game.folder, { lockWaitMs: 300 });
    const draft = project.draft();
    draft.write('assets/data/a.json', String(Math.random()));
    return project.commit(draft, 'x');
  };
  const ticket = 'local/mcp-kit/lock/ticket-7';

  test('wait for one that is alive, and pass one that died', async () => {
    using game = new TestProject();
    const other = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log(1)'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    try {
      await once(other.stdout, 'data');
      game.write({ [ticket]: JSON.stringify(identityOf(other.pid ?? 0)) });
      await expect(write(game)).rejects.toThrow(`process ${String(other.pid)}`);
    } finally {
      other.kill('SIGKILL');
      await once(other, 'close');
    }
    expect(await write(game)).toBeDefined();
    expect(readdirSync(path.join(game.folder, path.dirname(ticket)))).toEqual(['ticket-8']);
    expect(game.read('local/mcp-kit/lock/ticket-8')).toBe('released');
  });

  test.runIf(process.platform === 'linux')(
    'do not take a later process of the same number for the one that died',
    async () => {
      using game = new TestProject();
      game.write({ [ticket]: JSON.stringify({ ...identityOf(process.pid), start: 1 }) });
      expect(await write(game)).toBeDefined();
    },
  );

  test('give one that is just writing its ticket its time', async () => {
    using game = new TestProject();
    game.write({ [ticket]: '' });
    await expect(write(game)).rejects.toThrow(expect.objectContaining({ code: 'E_UNAVAILABLE' }));
  });
});

/** A disk of half a megabyte, where this may make one. */
function smallDisk(): (Disposable & { readonly folder: string }) | undefined {
  const place = mkdtempSync(path.join(tmpdir(), 'cocos-disk-'));
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=512k', 'none', place], {
      stdio: 'ignore',
    });
  } catch {
    rmSync(place, { recursive: true });
    return undefined;
  }
  return {
    folder: place,
    [Symbol.dispose]: () => {
      execFileSync('/bin/umount', [place]);
      rmSync(place, { recursive: true });
    },
  };
}

describe('A full disk', () => {
  test('changes nothing, and says what to do (needs the right to mount)', async ({ skip }) => {
    using disk = smallDisk();
    if (disk === undefined) return skip();
    using game = new TestProject({}, disk.folder);
    const before = game.snapshot();
    using project = await openProject(game.folder);
    const change = () => {
      const draft = project.draft();
      draft.remove('assets/data/a.json');
      draft.write('assets/one.json', 'x'.repeat(100_000));
      draft.write('assets/two.json', 'x'.repeat(100_000));
      return draft;
    };
    const filler = path.join(disk.folder, 'filler');
    for (const size of [420_000, 350_000, 300_000]) {
      writeFileSync(filler, Buffer.alloc(size));
      await expect(project.commit(change(), 'large')).rejects.toThrow(
        expect.objectContaining({
          code: 'E_UNAVAILABLE',
          suggestion: 'Free some space on the disk.',
        }),
      );
      expect(game.snapshot()).toEqual(before);
    }
    rmSync(filler);
    expect(await project.commit(change(), 'large')).toBeDefined();
    await project.undo();
    expect(game.snapshot()).toEqual(before);
  });

  test.skipIf(process.platform === 'win32')(
    'is the same where files may not be so large',
    async () => {
      using game = new TestProject();
      const before = game.snapshot();
      const shell = `ulimit -f 1000; trap '' XFSZ; exec "$@"`;
      const command = [process.execPath, program, game.folder, 'large', '4000000'];
      expect(await launch(['bash', '-c', shell, 'bash', ...command])).toBe('done');
      expect(game.snapshot()).toEqual(before);
    },
  );
});
