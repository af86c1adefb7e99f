import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { digestOf } from './canonical.ts';
import { goneApprovals } from './gone.ts';
import type { Receipt } from './receipt.ts';
import { withoutReceipt, type Receipts } from './receipts-file.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'mcp-kit-gone-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

const receipt: Receipt = { entryDigest: digestOf(1), entry: {}, approvedAt: 'then', by: 'me' };

/** Receipts of servers in files of the project. */
function receiptsOf(table: Readonly<Record<string, readonly string[]>>): Receipts {
  const files = Object.entries(table).map(([file, names]) => {
    return [path.join(root, file), new Map(names.map((name) => [name, receipt]))] as const;
  });
  return new Map(files);
}

async function goneIn(receipts: Receipts, files?: readonly string[]): Promise<unknown> {
  const config = await loadConfig({ root, files });
  const gone = await goneApprovals(receipts, config);
  return gone.map(({ name, file }) => [name, path.relative(root, file)]);
}

const write = (file: string, text: unknown): Promise<void> =>
  writeFile(path.join(root, file), typeof text === 'string' ? text : JSON.stringify(text));

test('an approval is gone when its server has left its file, or the file is no longer there', async () => {
  await write('.mcp.json', { mcpServers: { here: { command: 'x' } } });
  const receipts = receiptsOf({ '.mcp.json': ['here', 'left'], 'old/mcp.json': ['here'] });
  expect(await goneIn(receipts)).toEqual([
    ['left', '.mcp.json'],
    ['here', path.join('old', 'mcp.json')],
  ]);
});

test('it is not gone while another of its name wins, nor in a file that is broken or was not looked at', async () => {
  const other = path.join('.cursor', 'mcp.json');
  await mkdir(path.join(root, '.cursor'));
  await write('.mcp.json', { mcpServers: { twice: { command: 'x' } } });
  await write(other, { mcpServers: { twice: { command: 'y' } } });
  expect(await goneIn(receiptsOf({ '.mcp.json': ['twice'], [other]: ['twice'] }))).toEqual([]);
  expect(await goneIn(receiptsOf({ [other]: ['left'] }))).toEqual([['left', other]]);
  expect(await goneIn(receiptsOf({ [other]: ['left'] }), ['.mcp.json'])).toEqual([]);
  await write(other, '{');
  expect(await goneIn(receiptsOf({ [other]: ['left'] }))).toEqual([]);
});

test('what is taken back is the approval of one server in one file', () => {
  const receipts = receiptsOf({ 'a.json': ['one', 'two'], 'b.json': ['one'] });
  expect(withoutReceipt(receipts, path.join(root, 'a.json'), 'one')).toEqual(
    receiptsOf({ 'a.json': ['two'], 'b.json': ['one'] }),
  );
  expect(withoutReceipt(receipts, path.join(root, 'b.json'), 'one')).toEqual(
    receiptsOf({ 'a.json': ['one', 'two'] }),
  );
});
