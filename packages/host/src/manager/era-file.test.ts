import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEraFile, erasPath } from './era-file.ts';

/** A file that is not there yet, in a folder that goes with the test. */
async function scratch(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-eras-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return path.join(folder, 'not', 'there', 'eras.json');
}

const key = 'https://example.test/mcp?token=s3cret';

test('an era is there for the next process, for its user only, and names nobody', async () => {
  const file = await scratch();
  await createEraFile(file).set(key, 'legacy');
  const next = createEraFile(file);
  expect([await next.get(key), await next.get('another')]).toEqual(['legacy', undefined]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, 'utf8')).not.toMatch(/example|s3cret/);
});

test('an era holds for a day, and nothing holds that is dated in the future', async () => {
  const file = await scratch();
  await createEraFile(file).set(key, 'legacy');
  expect(await createEraFile(file, { ttlMs: 0 }).get(key)).toBeUndefined();
  const text = await readFile(file, 'utf8');
  const at = (ms: number): Promise<void> => writeFile(file, text.replace(/"at":\d+/, `"at":${ms}`));
  await at(Date.now() + 60_000);
  expect(await createEraFile(file).get(key)).toBeUndefined();
  await at(Date.now() - 25 * 60 * 60_000);
  expect(await createEraFile(file).get(key)).toBeUndefined();
  await at(Date.now() - 23 * 60 * 60_000);
  expect(await createEraFile(file).get(key)).toBe('legacy');
});

test.each([
  '',
  '{',
  '[]',
  'null',
  '{"a":1}',
  '\u0000',
  JSON.stringify({ a: { era: 'both', at: 1 } }),
])('a file with %j is none, and is replaced', async (text) => {
  const file = await scratch();
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  const eras = createEraFile(file);
  expect(await eras.get(key)).toBeUndefined();
  await eras.set(key, 'modern');
  expect(await createEraFile(file).get(key)).toBe('modern');
});

test('a link is not followed, and what it points to stays', async () => {
  const file = await scratch();
  const other = path.join(path.dirname(file), 'other.json');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(other, '{}');
  await symlink(other, file);
  await createEraFile(file).set(key, 'modern');
  expect(await readFile(other, 'utf8')).toBe('{}');
});

test('where nothing can be written it is remembered for the process', async () => {
  const file = await scratch();
  await mkdir(path.dirname(path.dirname(file)), { recursive: true });
  await writeFile(path.dirname(file), 'a file, and no folder');
  const eras = createEraFile(file);
  await eras.set(key, 'legacy');
  expect(await eras.get(key)).toBe('legacy');
});

test('the oldest of too many are forgotten, and many at once leave a whole file', async () => {
  const file = await scratch();
  const eras = createEraFile(file, { maxEntries: 3 });
  for (const name of ['a', 'b', 'c', 'd']) await eras.set(name, 'modern');
  const next = createEraFile(file, { maxEntries: 3 });
  expect(await Promise.all(['a', 'b', 'c', 'd'].map(async (name) => next.get(name)))).toEqual([
    undefined,
    'modern',
    'modern',
    'modern',
  ]);
  const names = Array.from({ length: 20 }, (_, n) => `server ${n}`);
  await Promise.all(names.map(async (name) => createEraFile(file).set(name, 'legacy')));
  expect(Object.keys(JSON.parse(await readFile(file, 'utf8')) as object).length).toBeGreaterThan(0);
  expect(await readdir(path.dirname(file))).toEqual(['eras.json']);
});

test('it is in the state folder of the user', () => {
  expect(erasPath({ HOME: '/home/ada' })).toBe('/home/ada/.local/state/mcp-kit/eras.json');
  expect(erasPath({ HOME: '/home/ada', XDG_STATE_HOME: '/s' })).toBe('/s/mcp-kit/eras.json');
});
