import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { silentLogger } from 'mcp-kit/internal';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEarly } from '../../packages/mcpctl/src/early-start.ts';
import { Child } from '../support/child-process.ts';

/** A legacy server that writes its pid to a file when it starts; `probe` says what it does when asked about the modern era. */
const server = (probe: string): string => `
  const { appendFileSync } = require('node:fs');
  appendFileSync(process.argv[1], process.pid + '\\n');
  const answers = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'only', inputSchema: { type: 'object' } }] }),
  };
  const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    if (answers[method]) say({ id, result: answers[method](params) });
    else { ${probe} }
  }).on('close', () => process.exit());
`;
const refuses = `say({ id, error: { code: -32601, message: 'Method not found' } });`;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mcpctl-early-start-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const pidsIn = (file: string): number[] =>
  readFileSync(file, 'utf8').trim().split('\n').map(Number);

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a program that is typed', () => {
  test.each([
    ['once', refuses, 1],
    ['again when it ends at the first question', 'process.exit(1);', 2],
  ])('is started %s', async (name, probe, times) => {
    const file = path.join(folder, `${name}.pids`);
    const command = [process.execPath, '-e', server(probe), file];
    await using child = Child.mcpctl('tools', '--json', '--', ...command);
    expect(await child.ended).toMatchObject({ code: 0 });
    expect(JSON.parse(child.stdout)).toMatchObject({ tools: [{ name: 'only' }] });
    const pids = pidsIn(file);
    expect(pids).toHaveLength(times);
    expect(pids.filter(isRunning)).toEqual([]);
  });

  test('is not started when the rest of the line is wrong', async () => {
    const file = path.join(folder, 'wrong.pids');
    const command = [process.execPath, '-e', server(refuses), file];
    await using child = Child.mcpctl('tools', '--no-such-option', '--', ...command);
    expect(await child.ended).toMatchObject({ code: 2 });
    expect(existsSync(file)).toBe(false);
  });

  test('is ended when nobody speaks with it', async () => {
    const file = path.join(folder, 'dropped.pids');
    appendFileSync(file, '');
    const typed = {
      kind: 'command',
      name: 'old',
      command: process.execPath,
      args: ['-e', server(refuses), file],
      env: {},
      cwd: folder,
    } as const;
    const stop = new AbortController().signal;
    const early = await startEarly(typed, { stop, logger: silentLogger });
    await expect.poll(() => readFileSync(file, 'utf8')).toMatch(/\d\n/);
    await early.drop();
    expect(pidsIn(file).filter(isRunning)).toEqual([]);
  });
});
