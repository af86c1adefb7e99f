import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { parseMeta, parseTable, printMeta, printTable } from '@mcp-kit/cocos/document';
import { expect, test } from 'vitest';
import { ProjectCopy, sampleFolder } from '../support/cocos/sample-project.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** All files below a folder, by their paths there. */
async function filesIn(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await readFile(path.join(folder, name))] as const),
    ),
  );
}

test('The sample is what its script makes, byte for byte', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'cocos-made-'));
  try {
    await promisify(execFile)(process.execPath, ['scripts/cocos-sample/make.mjs', folder], {
      cwd: root,
    });
    const [made, kept] = await Promise.all([filesIn(folder), filesIn(sampleFolder)]);
    expect([...made.keys()]).toEqual([...kept.keys()]);
    const other = [...made].filter(([name, bytes]) => !kept.get(name)?.equals(bytes));
    expect(other.map(([name]) => name)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('Every scene, prefab and meta of the sample is read and printed byte for byte', async () => {
  const files = [...(await filesIn(sampleFolder))];
  const tables = files.filter(([name]) => /\.(scene|prefab)$/.test(name));
  const metas = files.filter(([name]) => name.endsWith('.meta'));
  expect([tables.length, metas.length]).toEqual([5, 19]);
  for (const [name, bytes] of tables) {
    const table = parseTable(bytes.toString(), name);
    expect(table.arrangement().canonical).toBe(true);
    expect(printTable(table)).toBe(bytes.toString());
  }
  for (const [, bytes] of metas) {
    const meta = parseMeta(bytes.toString());
    expect(meta && printMeta(meta)).toBe(bytes.toString());
  }
});

test('The scripts of the sample are understood', async () => {
  using copy = new ProjectCopy();
  const { scripts } = await copy.open();
  const classes = [...scripts.all()].map(({ className, isComponent, problem }) => ({
    className,
    isComponent,
    problem,
  }));
  const names = ['DialogView', 'HudView', 'ListItem', 'MenuView'];
  expect(classes.sort((a, b) => (a.className < b.className ? -1 : 1))).toEqual(
    names.map((className) => ({ className, isComponent: true, problem: undefined })),
  );
});
