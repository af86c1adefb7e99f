import { Buffer } from 'node:buffer';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StdoutLog, type StdoutLogOptions } from './stdout-log.ts';

/** A folder that is gone when its scope ends. */
async function scratch(): Promise<AsyncDisposable & { readonly root: string }> {
  const root = await mkdtemp(path.join(tmpdir(), 'mcp-kit-log-'));
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

/** Logs these pieces, and tells what went wrong. */
async function logAll(
  options: StdoutLogOptions,
  pieces: readonly (string | Buffer)[],
): Promise<readonly string[]> {
  const errors: string[] = [];
  const log = new StdoutLog(options, (error) => errors.push(error.message));
  for (const piece of pieces) log.write(Buffer.from(piece));
  await log.close();
  return errors;
}

const read = (root: string, name: string): Promise<string> =>
  readFile(path.join(root, name), 'utf8');

describe('the log of standard output', () => {
  test('has every line that is not blank, and completes the last', async () => {
    await using folder = await scratch();
    const { root } = folder;
    const pieces = ['{"a":1}\n\n  \r\n{"b"', ':2}\r\nnoise', '\n', '\n', 'last'];
    expect(await logAll({ path: 'x.log', root }, pieces)).toEqual([]);
    expect(await read(root, 'x.log')).toBe('{"a":1}\n{"b":2}\r\nnoise\nlast\n');
  });

  test('goes on where an earlier one ended', async () => {
    await using folder = await scratch();
    const { root } = folder;
    await logAll({ path: 'x.log', root }, ['one\n']);
    await logAll({ path: 'x.log', root }, ['two\n']);
    expect(await read(root, 'x.log')).toBe('one\ntwo\n');
  });

  test('is the same however the bytes are split', async () => {
    await using folder = await scratch();
    const { root } = folder;
    const text = fc.array(fc.constantFrom('a', 'ü', '€', '😀', ' ', '\r', '\n', '{}'));
    const cuts = fc.array(fc.nat(100), { maxLength: 10 });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(text, cuts, async (parts, at) => {
        const bytes = Buffer.from(parts.join(''));
        const ends = [...at.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
          (a, b) => a - b,
        );
        const pieces = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        const name = `${run++}.log`;
        expect(await logAll({ path: name, root }, pieces)).toEqual([]);
        const lines = parts.join('').split('\n');
        const expected = lines.filter((line) => line.trim() !== '').map((line) => `${line}\n`);
        const found = await read(root, name).catch(() => '');
        expect(found).toBe(expected.join(''));
      }),
      { numRuns: 300 },
    );
  });

  test('holds a line of many megabytes whole', async () => {
    await using folder = await scratch();
    const { root } = folder;
    const piece = Buffer.alloc(256 * 1024, 'x');
    const pieces = [...Array.from({ length: 20 }, () => piece), '\nnext\n'];
    expect(await logAll({ path: 'x.log', root, maxBytesPerPart: 1000 }, pieces)).toEqual([]);
    const part = await read(root, 'x.segment-0001.log');
    expect(part.length).toBe(20 * piece.length + 1);
    expect(await read(root, 'x.log')).toBe('next\n');
  });
});

describe('a log in parts', () => {
  test('begins a new part where the old one is full, and never within a line', async () => {
    await using folder = await scratch();
    const { root } = folder;
    const lines = ['123456789\n', '123456789\n', 'abc\n', 'a line longer than a part\n', 'z\n'];
    await logAll({ path: 'logs/x.log', root, maxBytesPerPart: 20 }, lines);
    expect((await readdir(path.join(root, 'logs'))).sort()).toEqual([
      'x.log',
      'x.segment-0001.log',
      'x.segment-0002.log',
      'x.segment-0003.log',
    ]);
    expect(await read(root, 'logs/x.segment-0001.log')).toBe('123456789\n123456789\n');
    expect(await read(root, 'logs/x.segment-0002.log')).toBe('abc\n');
    expect(await read(root, 'logs/x.segment-0003.log')).toBe('a line longer than a part\n');
    expect(await read(root, 'logs/x.log')).toBe('z\n');
  });

  test('numbers on from the highest part there is', async () => {
    await using folder = await scratch();
    const { root } = folder;
    for (const name of ['x.segment-0007.log', 'x.segment-12345.log', 'y.segment-99999.log']) {
      await writeFile(path.join(root, name), 'old\n');
    }
    await logAll({ path: 'x.log', root, maxBytesPerPart: 4, maxParts: 0 }, ['one\n', 'two\n']);
    expect(await read(root, 'x.segment-12346.log')).toBe('one\n');
    expect(await readdir(root)).toHaveLength(5);
  });

  test('keeps only the newest parts', async () => {
    await using folder = await scratch();
    const { root } = folder;
    const lines = Array.from({ length: 10 }, (_, at) => `${at}\n`);
    await logAll({ path: 'x.log', root, maxBytesPerPart: 2, maxParts: 3 }, lines);
    expect((await readdir(root)).sort()).toEqual([
      'x.log',
      'x.segment-0007.log',
      'x.segment-0008.log',
      'x.segment-0009.log',
    ]);
    expect(await read(root, 'x.segment-0009.log')).toBe('8\n');
    expect(await read(root, 'x.log')).toBe('9\n');
  });

  test('is for this user only, also where the file was for all', async () => {
    await using folder = await scratch();
    const { root } = folder;
    await writeFile(path.join(root, 'old.log'), '', { mode: 0o644 });
    await logAll({ path: 'old.log', root }, ['a\n']);
    await logAll({ path: 'deep/new.log', root }, ['a\n']);
    const modeOf = async (name: string) => (await stat(path.join(root, name))).mode & 0o777;
    expect(await modeOf('old.log')).toBe(0o600);
    expect(await modeOf('deep')).toBe(0o700);
    expect(await modeOf('deep/new.log')).toBe(0o600);
  });
});

describe('a log that cannot be', () => {
  test.each(['../x.log', '/etc/x.log', 'a/../../x.log', '.', '..', ''])(
    'outside its root is refused: %j',
    async (name) => {
      await using folder = await scratch();
      const { root } = folder;
      const make = () => new StdoutLog({ path: name, root }, () => {});
      expect(make).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    },
  );

  test('a link as the file, or as a folder on the way, is not followed', async () => {
    await using folder = await scratch();
    const { root } = folder;
    await mkdir(path.join(root, 'elsewhere'));
    await writeFile(path.join(root, 'target'), '');
    await symlink(path.join(root, 'target'), path.join(root, 'x.log'));
    await symlink(path.join(root, 'elsewhere'), path.join(root, 'logs'));
    expect(await logAll({ path: 'x.log', root }, ['a\n', 'b\n'])).toHaveLength(1);
    expect(await logAll({ path: 'logs/deep/x.log', root }, ['a\n', 'b\n'])).toHaveLength(1);
    expect(await read(root, 'target')).toBe('');
    expect(await readdir(path.join(root, 'elsewhere'))).toEqual([]);
  });

  test('a root that is a link is the folder it leads to', async () => {
    await using folder = await scratch();
    const { root } = folder;
    await mkdir(path.join(root, 'real'));
    await symlink(path.join(root, 'real'), path.join(root, 'link'));
    expect(await logAll({ path: 'x.log', root: path.join(root, 'link') }, ['a\n'])).toEqual([]);
    expect(await read(root, 'real/x.log')).toBe('a\n');
  });

  test.skipIf(process.platform !== 'linux')(
    'a full disk ends it, and is reported once',
    async () => {
      const errors: string[] = [];
      const log = new StdoutLog({ path: '/dev/full', root: '/dev' }, ({ message }) =>
        errors.push(message),
      );
      for (let at = 0; at < 100; at++) {
        log.write(Buffer.from('line\n'));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await log.close();
      expect(errors).toEqual([expect.stringContaining('ENOSPC')]);
    },
  );
});
