import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Tool } from 'mcp-kit/internal';
import { adHocEntry } from '../connect/ad-hoc.ts';
import { createToolCache, toolCachePath } from './cache.ts';

/** A folder for as long as the test. */
async function scratch(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-tools-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const entry = adHocEntry({ command: 'it' });
const tools: readonly Tool[] = [{ name: 'read', inputSchema: { type: 'object' } }];

test('tools are there for the next start, for their user only', async () => {
  const place = await scratch();
  const folder = path.join(place, 'not', 'there');
  await createToolCache(folder).put(entry, tools);
  expect(await createToolCache(folder).get(entry)).toEqual(tools);
  const [file = ''] = await readdir(folder);
  const { mode } = await stat(path.join(folder, file));
  expect(mode & 0o777).toBe(0o600);
});

test('a server that is configured otherwise has none', async () => {
  const place = await scratch();
  const cache = createToolCache(place);
  await cache.put(entry, tools);
  const others = [
    adHocEntry({ command: 'it', args: ['-v'] }),
    adHocEntry({ command: 'it' }, 'other'),
    { ...entry, tools: { deny: ['read'] } },
  ];
  for (const other of others) expect(await cache.get(other)).toBeUndefined();
});

test('the same tools are not written again', async () => {
  const place = await scratch();
  await createToolCache(place).put(entry, tools);
  const [file = ''] = await readdir(place);
  const { ino } = await stat(path.join(place, file));
  const later = createToolCache(place);
  await later.put(entry, tools);
  await later.put(entry, tools);
  expect((await stat(path.join(place, file))).ino).toBe(ino);
  await later.put(entry, []);
  expect(await createToolCache(place).get(entry)).toEqual([]);
});

test.each([
  ['not JSON', '[{"name": "read"'],
  ['no list', '{"name":"read"}'],
  ['no tools', '[{"name":"read"}]'],
  ['two members of one name', '[{"name":"a","name":"b","inputSchema":{}}]'],
])('a file that has %s is as good as none', async (_, text) => {
  const place = await scratch();
  await createToolCache(place).put(entry, tools);
  const [file = ''] = await readdir(place);
  await writeFile(path.join(place, file), text);
  expect(await createToolCache(place).get(entry)).toBeUndefined();
});

test('a link is not followed', async () => {
  const place = await scratch();
  const [real, cached] = [path.join(place, 'real'), path.join(place, 'cached')];
  await createToolCache(real).put(entry, tools);
  const [file = ''] = await readdir(real);
  await mkdir(cached);
  await symlink(path.join(real, file), path.join(cached, file));
  expect(await createToolCache(cached).get(entry)).toBeUndefined();
});

test('a folder that cannot be written is no failure, and what was put is known while it lives', async () => {
  const place = await scratch();
  const file = path.join(place, 'file');
  await writeFile(file, '');
  const cache = createToolCache(path.join(file, 'in', 'it'));
  await cache.put(entry, tools);
  expect(await cache.get(entry)).toEqual(tools);
});

test('without a folder tools are kept for as long as the cache lives', async () => {
  const cache = createToolCache();
  expect(await cache.get(entry)).toBeUndefined();
  await cache.put(entry, tools);
  expect(await cache.get(entry)).toEqual(tools);
});

test('the files of 200 servers are kept, and the oldest of more are dropped', async () => {
  const place = await scratch();
  const cache = createToolCache(place);
  const others = { prompts: [], resources: [], templates: [] };
  const entryAt = (at: number) => adHocEntry({ command: 'it', args: [String(at)] });
  for (let at = 0; at < 205; at += 1) {
    await cache.put(entryAt(at), tools);
    await cache.putOthers(entryAt(at), others);
  }
  expect((await readdir(place)).length).toBe(400);
  expect(await cache.get(entryAt(204))).toEqual(tools);
  expect(await cache.getOthers(entryAt(204))).toEqual(others);
});

test('they are where the system keeps state', () => {
  expect(toolCachePath({ HOME: '/home/a' })).toBe('/home/a/.local/state/mcp-kit/tools');
  expect(toolCachePath({ XDG_STATE_HOME: '/state' })).toBe('/state/mcp-kit/tools');
});
