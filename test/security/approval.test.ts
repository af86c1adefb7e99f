import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createManager, loadConfig, type Manager } from '@mcp-kit/host';
import { lockPath, pinOf, readReceipts, updateLock, receiptFor } from '@mcp-kit/host/internal';
import { expect, test } from 'vitest';
import { echo, writePlainServer, writeTools } from './plain-server.ts';

/** A project with one server that its user has approved, tools and all. */
interface Project extends AsyncDisposable {
  readonly config: string;
  readonly program: string;
  readonly tools: string;
  readonly receipts: string;
  /** Reads the files again, as the next start of an agent would. */
  open(): Promise<Manager>;
}

const entry = { command: './server', args: ['--quiet'], env: { MODE: 'test', LEVEL: 'low' } };

async function approvedProject(): Promise<Project> {
  const root = mkdtempSync(path.join(os.tmpdir(), 'mcp-approval-'));
  const project = {
    config: path.join(root, '.mcp.json'),
    program: path.join(root, 'server'),
    tools: path.join(root, 'tools.json'),
    receipts: path.join(root, 'state', 'trust.json'),
    open: async () => {
      const { entries } = await loadConfig({ root });
      const { receipts } = project;
      return createManager({ entries, root, receipts, toolCache: false, reconnect: false });
    },
    [Symbol.asyncDispose]: () => {
      rmSync(root, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
  writeFileSync(project.config, JSON.stringify({ mcpServers: { plain: entry } }));
  writePlainServer(project.program, project.tools);
  writeTools(project.tools, [echo, { ...echo, name: 'other' }]);
  await using manager = await project.open();
  await manager.approve('plain', { by: 'test' });
  return project;
}

/** What somebody who opens the project now gets. */
async function visit(project: Project): Promise<unknown> {
  await using manager = await project.open();
  try {
    const result = await manager.server('plain').callTool('echo', { text: 'hi' });
    return result.content;
  } catch (error) {
    return error;
  }
}

const answer = [{ type: 'text', text: 'hi' }];
const refused = { code: 'refused_by_policy', details: { ran: false } };

test('a server that was approved is used without another question', async () => {
  await using project = await approvedProject();
  expect(await visit(project)).toEqual(answer);
});

test('the order of members does not matter', async () => {
  await using project = await approvedProject();
  const { command, args, env } = entry;
  const reordered = { env: { LEVEL: env.LEVEL, MODE: env.MODE }, args, command };
  writeFileSync(project.config, JSON.stringify({ mcpServers: { plain: reordered } }, null, 4));
  const { inputSchema, description, name } = echo;
  const turned = Object.fromEntries(Object.entries(inputSchema).toReversed());
  writeTools(project.tools, [{ inputSchema: turned, name, description }]);
  expect(await visit(project)).toEqual(answer);
});

test.each([
  ['an argument', { ...entry, args: ['--quiet', ''] }],
  ['the value of a variable', { ...entry, env: { ...entry.env, MODE: 'tesT' } }],
  ['one more variable', { ...entry, env: { ...entry.env, NODE_OPTIONS: '--no-warnings' } }],
  ['the folder', { ...entry, cwd: '.' }],
  ['the spelling of the program', { ...entry, command: './/server' }],
  ['something that only the host knows', { ...entry, alwaysLoad: true }],
])('a changed entry is not used until it is approved again: %s', async (_, changed) => {
  await using project = await approvedProject();
  writeFileSync(project.config, JSON.stringify({ mcpServers: { plain: changed } }));
  const error = await visit(project);
  expect(error).toMatchObject(refused);
  expect(error).toHaveProperty('hint', expect.stringContaining('mcpctl trust diff plain'));
  await using manager = await project.open();
  expect(await manager.trustOf('plain')).toMatchObject({
    verdict: 'changed',
    changes: [{ pointer: expect.stringMatching(/^\/entry/) as unknown }],
  });
  await manager.approve('plain', { by: 'test' });
  expect(await visit(project)).toEqual(answer);
});

test('one more byte in the program asks again, and shows what changed', async () => {
  await using project = await approvedProject();
  appendFileSync(project.program, ' ');
  expect(await visit(project)).toMatchObject(refused);
  await using manager = await project.open();
  const { verdict, changes } = await manager.trustOf('plain');
  expect(verdict).toBe('changed');
  expect(changes.map(({ pointer }) => pointer)).toContain('/executable/sha256');
});

test('a program of the same size and time is not taken for the same', async () => {
  await using project = await approvedProject();
  const text = readFileSync(project.program, 'utf8').replace(
    'Method not found',
    'Method NOT found',
  );
  rmSync(project.program);
  writeFileSync(project.program, text);
  chmodSync(project.program, 0o755);
  expect(await visit(project)).toMatchObject(refused);
});

test('a program that becomes a link to another is not taken for the same', async () => {
  await using project = await approvedProject();
  const other = `${project.program}-2`;
  renameSync(project.program, other);
  symlinkSync(other, project.program);
  expect(await visit(project)).toMatchObject(refused);
});

test('a program of the same name that is found first is not taken for the same', async () => {
  await using project = await approvedProject();
  const root = path.dirname(project.config);
  const [first, second] = ['first', 'second'].map((name) => path.join(root, name));
  if (first === undefined || second === undefined) return;
  mkdirSync(first);
  mkdirSync(second);
  writePlainServer(path.join(second, 'plain-server'), project.tools);
  const env = { PATH: [first, second, process.env['PATH']].join(path.delimiter) };
  const named = { mcpServers: { plain: { command: 'plain-server', env } } };
  writeFileSync(project.config, JSON.stringify(named));
  await using manager = await project.open();
  await manager.approve('plain', { by: 'test' });
  expect(await visit(project)).toEqual(answer);
  writePlainServer(path.join(first, 'plain-server'), project.tools);
  expect(await visit(project)).toMatchObject(refused);
});

test('another variable in the file that an entry names asks again', async () => {
  await using project = await approvedProject();
  const root = path.dirname(project.config);
  const variables = path.join(root, '.env');
  writeFileSync(variables, 'LEVEL=1\n');
  rmSync(project.config);
  mkdirSync(path.join(root, '.cursor'));
  const config = { mcpServers: { plain: { command: './server', envFile: '.env' } } };
  writeFileSync(path.join(root, '.cursor', 'mcp.json'), JSON.stringify(config));
  await using manager = await project.open();
  await manager.approve('plain', { by: 'test' });
  expect(await visit(project)).toEqual(answer);
  appendFileSync(variables, 'NODE_OPTIONS=--require=./evil.cjs\n');
  expect(await visit(project)).toMatchObject(refused);
  const { changes } = await manager.trustOf('plain');
  expect(changes.map(({ pointer }) => pointer)).toEqual(['/envFile']);
});

test('a changed tool is withheld, and the others are not', async () => {
  await using project = await approvedProject();
  const inputSchema = {
    ...echo.inputSchema,
    properties: { text: { type: 'string' }, how: { enum: ['loud', 'soft '] } },
  };
  writeTools(project.tools, [
    { ...echo, inputSchema },
    { ...echo, name: 'other' },
  ]);
  expect(await visit(project)).toMatchObject(refused);
  await using manager = await project.open();
  const { tools, withheld } = await manager.server('plain').listTools();
  expect(tools.map(({ name }) => name)).toEqual(['other']);
  expect(withheld).toMatchObject([
    {
      name: 'echo',
      reason: 'changed',
      changes: [{ pointer: '/inputSchema/properties/how/enum/1' }],
    },
  ]);
  const catalog = await manager.tools({ waitMs: 10_000 });
  expect(catalog.tools.map(({ tool }) => tool.name)).toEqual(['other']);
});

test('a tool that is listed twice in two versions is withheld', async () => {
  await using project = await approvedProject();
  writeTools(project.tools, [echo, { ...echo, description: 'Something else.' }]);
  expect(await visit(project)).toMatchObject(refused);
});

test('an approval is for one file: the same entry elsewhere is another matter', async () => {
  await using project = await approvedProject();
  const { config, program, tools, receipts } = project;
  const elsewhere = path.join(path.dirname(config), 'elsewhere');
  mkdirSync(elsewhere);
  copyFileSync(config, path.join(elsewhere, '.mcp.json'));
  writePlainServer(path.join(elsewhere, path.basename(program)), tools);
  const { entries } = await loadConfig({ root: elsewhere });
  await using manager = createManager({
    entries,
    root: elsewhere,
    receipts,
    toolCache: false,
    reconnect: false,
  });
  expect(await manager.trustOf('plain')).toMatchObject({ verdict: 'untrusted' });
  await expect(manager.server('plain').connect()).rejects.toMatchObject(refused);
});

test('the word of a repository cannot grant trust, and can take it away', async () => {
  await using project = await approvedProject();
  const { entries } = await loadConfig({ root: path.dirname(project.config) });
  const [server] = entries;
  if (server === undefined) throw new Error('the server is not there');
  const receipt = receiptFor(await readReceipts(project.receipts), server);
  if (receipt === undefined) throw new Error('the receipt is not there');
  const lock = lockPath(project.config);
  await updateLock(lock, () => new Map([['plain', pinOf(receipt)]]));
  expect(await visit(project)).toEqual(answer);
  const foreign = { ...pinOf(receipt), entryDigest: `sha256:${'0'.repeat(64)}` };
  await updateLock(lock, () => new Map([['plain', foreign]]));
  expect(await visit(project)).toMatchObject(refused);
  rmSync(project.receipts);
  await updateLock(lock, () => new Map([['plain', pinOf(receipt)]]));
  expect(await visit(project)).toMatchObject(refused);
});

test.each([
  ['cut short', (text: string) => text.slice(0, -20)],
  ['emptied', () => ''],
  ['of another version', (text: string) => text.replace('"version": 1', '"version": 2')],
  ['with a member twice', (text: string) => text.replace('{', '{"version": 1,')],
  ['with a fingerprint that is none', (text: string) => text.replace('sha256:', 'sha1:')],
  ['with a definition changed', (text: string) => text.replace('Says it again.', 'Says it.')],
])('receipts that are %s approve nothing', async (_, damage) => {
  await using project = await approvedProject();
  writeFileSync(project.receipts, damage(readFileSync(project.receipts, 'utf8')));
  const error = await visit(project);
  expect(error).toMatchObject({ code: 'invalid_config', details: { file: project.receipts } });
});

test('receipts that others can write to approve nothing', async () => {
  await using project = await approvedProject();
  chmodSync(project.receipts, 0o666);
  const error = await visit(project);
  expect(error).toMatchObject({ code: 'invalid_config' });
  expect(error).toHaveProperty('hint', expect.stringContaining('chmod 600'));
});

test('a lock that cannot be read stops the server, approved or not', async () => {
  await using project = await approvedProject();
  writeFileSync(lockPath(project.config), '{"version":1,"servers":{"plain":{}}}');
  expect(await visit(project)).toMatchObject({ code: 'invalid_config' });
});

test('an approval that is withdrawn counts no more', async () => {
  await using project = await approvedProject();
  await using manager = await project.open();
  await manager.revoke('plain');
  expect(await visit(project)).toMatchObject(refused);
});
