import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createManager, loadConfig } from '@mcp-kit/host';
import { metaKeys, modernVersion } from 'mcp-kit/protocol';
import { describe, expect, test } from 'vitest';
import { Child, mcpctl, root } from './support/child-process.ts';

const folder = path.join(root, 'examples');

const example = (name: string): Child => new Child(process.execPath, [path.join(folder, name)]);

const modernMeta = {
  [metaKeys.protocolVersion]: modernVersion,
  [metaKeys.clientCapabilities]: {},
};

function handshake(child: Child): void {
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  child.send({ id: 'init', method: 'initialize', params });
  child.send({ method: 'notifications/initialized' });
}

describe('first-tool.mjs', () => {
  test('has at most 20 lines', () => {
    const lines = readFileSync(path.join(folder, 'first-tool.mjs'), 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(20);
  });

  test('is a working server for both eras', async () => {
    await using child = example('first-tool.mjs');
    handshake(child);
    const call = { name: 'get_number_sum', arguments: { a: 2, b: 3 } };
    child.send({ id: 1, method: 'tools/call', params: call });
    child.send({ id: 2, method: 'tools/call', params: { ...call, _meta: modernMeta } });
    const sum = { content: [{ type: 'text', text: '2 + 3 = 5' }] };
    expect(await child.answer(1)).toMatchObject({ result: sum });
    expect(await child.answer(2)).toMatchObject({ result: { ...sum, resultType: 'complete' } });
  });

  test('refuses wrong arguments in words a model can act on', async () => {
    await using child = example('first-tool.mjs');
    const call = { name: 'get_number_sum', arguments: { a: 2 }, _meta: modernMeta };
    child.send({ id: 1, method: 'tools/call', params: call });
    const text = expect.stringMatching(/^E_INVALID_ARGUMENT: .*\bb\b/);
    expect(await child.answer(1)).toMatchObject({ result: { isError: true, content: [{ text }] } });
  });

  test('ends when its input ends', async () => {
    await using child = example('first-tool.mjs');
    child.process.stdin.end();
    expect(await child.ended).toMatchObject({ code: 0 });
  });
});

describe('show-an-app.mjs', () => {
  test('serves a tool, and the page that shows what it answers', async () => {
    await using child = example('show-an-app.mjs');
    const uri = 'ui://dice/die';
    child.send({ id: 1, method: 'tools/list', params: { _meta: modernMeta } });
    child.send({ id: 2, method: 'resources/read', params: { uri, _meta: modernMeta } });
    const tools = [{ name: 'execute_dice_roll', _meta: { ui: { resourceUri: uri } } }];
    expect(await child.answer(1)).toMatchObject({ result: { tools } });
    const contents = [{ uri, mimeType: 'text/html;profile=mcp-app' }];
    expect(await child.answer(2)).toMatchObject({ result: { contents } });
  });
});

describe('both-transports.mjs', () => {
  test('serves the same notes over stdio and HTTP at once', async () => {
    await using child = example('both-transports.mjs');
    const url = await child.until(() => /also at (http:\S+)\n/.exec(child.stderr)?.[1]);
    handshake(child);
    const set = { name: 'set_note_text', arguments: { name: 'milk', text: 'two bottles' } };
    child.send({ id: 1, method: 'tools/call', params: set });
    expect(await child.answer(1)).toMatchObject({
      result: { content: [{ text: 'Kept "milk".' }] },
    });

    const get = async (name: string): Promise<unknown> => {
      const params = { name: 'get_note_text', arguments: { name }, _meta: modernMeta };
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': modernVersion,
          'mcp-method': 'tools/call',
          'mcp-name': params.name,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params }),
      });
      return response.json();
    };
    expect(await get('milk')).toMatchObject({
      result: { structuredContent: { name: 'milk', text: 'two bottles' } },
    });
    expect(await get('bread')).toMatchObject({
      result: { isError: true, content: [{ text: 'E_NOT_FOUND: There is no note "bread".' }] },
    });
    child.process.stdin.end();
    expect(await child.ended).toMatchObject({ code: 0 });
  });
});

describe('an example that checks itself', () => {
  test.each([
    [
      'ask-the-user.mjs',
      [
        '2025-11-25 the server asks: Delete notes.md?',
        '2026-07-28 the server asks: Delete notes.md?',
        'Deleted notes.md: outdated',
      ],
    ],
    ['hono-style.mjs', ['200 MCP']],
    [
      'todo-store.mjs --demo',
      [
        'asked twice, done once: true true',
        'without a plan: E_PRECONDITION_FAILED',
        'it would: delete Buy milk',
        'left: 0',
      ],
    ],
    [
      'file-pack.mjs --demo',
      [
        'outside: E_PRECONDITION_FAILED',
        'changed since: E_CONFLICT stale',
        'files: b.txt',
        'text: two',
      ],
    ],
    [
      'http-api-pack.mjs --demo',
      [
        'nobody: E_NOT_FOUND',
        'after 2 attempts: 15',
        'in one trace: true',
        'steps: validate, idempotency, plan, GET /users/ada, apply, PUT /users/ada/credit, record',
      ],
    ],
    [
      'governed-question.mjs',
      ['legacy true true 1 question main', 'modern true true 1 question main'],
    ],
    [
      'keys-that-last.mjs',
      ['first server: letter 1', 'second server: letter 1, as before', 'letters sent: 1'],
    ],
    [
      'long-work.mjs',
      [
        'The site is built. Publish it?',
        'Published.',
        'Was told how far it was: true',
        'Begun: string',
        'It is working.',
        'The site is built. Publish it?',
        'Published.',
      ],
    ],
    ['tasks-that-last.mjs', ['Counted by the second server.']],
    ['sessions-that-last.mjs', ['The first server greets Ann.', 'The second server greets Ann.']],
    [
      'workflow-with-undo.mjs',
      [
        'it would: reserve update, charge create, send create',
        'done: reserve, charge, send - stock 3, charges 1, parcels 1',
        'failed: E_UNAVAILABLE at send - reserve undone, charge undone, send failed - stock 3, charges 1, parcels 1',
        'undone: stock 5, charges 0, parcels 1 - left: send',
      ],
    ],
    [
      'workflow-that-asks.mjs',
      [
        'legacy, decline: E_PRECONDITION_FAILED at release trial v1, live v1, 1 trial',
        'legacy, accept: released trial v2, live v2, 1 trial',
        'modern, decline: E_PRECONDITION_FAILED at release trial v1, live v1, 1 trial',
        'modern, accept: released trial v2, live v2, 1 trial',
      ],
    ],
    [
      'batch-write.mjs',
      [
        'go on: succeeded a,c, failed x (E_NOT_FOUND), skipped -, 2 changed',
        'stop: succeeded a, failed x (E_NOT_FOUND), skipped c, 1 changed',
      ],
    ],
    [
      'who-may-what.mjs',
      [
        'owner sees 2 tools: margins E_PRECONDITION_FAILED',
        'guest sees 1 tool: -32602 prices',
        'guest is slowed down: E_UNAVAILABLE',
        'audited: owner get_shop_margins, owner get_shop_prices, guest get_shop_prices',
      ],
    ],
    [
      'keep-the-contract.mjs',
      [
        'linter: 0 findings',
        'linter on a bad tool: name-format, name-verb, parameter-case, parameter-described, description-there',
        'contract: 5 promises kept',
        'next version: breaking input.value: maximum 100 → 50',
      ],
    ],
  ])('%s prints what it promises and succeeds', async (command, lines) => {
    const [name = '', ...args] = command.split(' ');
    await using child = new Child(process.execPath, [path.join(folder, name), ...args]);
    expect(await child.ended).toMatchObject({ code: 0 });
    expect(child.stdout.trimEnd().split('\n')).toEqual(lines);
    expect(child.stderr).toBe('');
  });
});

describe('watch-calls.mjs', () => {
  test('draws where the time went, and shows nothing secret', async () => {
    await using child = example('watch-calls.mjs');
    expect(await child.ended).toMatchObject({ code: 0 });
    expect(child.stdout).toMatch(/\n    search +\d+ ms +█+\n      index/);
    expect(child.stdout).toContain('"apiToken":"[redacted]"');
  });
});

describe('todo-store.mjs', () => {
  test('is a server of governed tools over stdio, a message per line', async () => {
    await using child = example('todo-store.mjs');
    handshake(child);
    const call = { name: 'create_todo_item', arguments: { text: 'Buy milk', dryRun: true } };
    child.send({ id: 1, method: 'tools/call', params: call });
    expect(await child.answer(1)).toMatchObject({
      result: { structuredContent: { success: true, data: { dryRun: true } } },
    });
    child.process.stdin.end();
    expect(await child.ended).toMatchObject({ code: 0 });
  });
});

describe('use-a-server.mjs', () => {
  const runOn = async (args: readonly string[]): Promise<Child> => {
    const child = new Child(process.execPath, [path.join(folder, 'use-a-server.mjs'), ...args]);
    await child.ended;
    return child;
  };

  test('starts a server, lists its tools and ends it', async () => {
    await using child = await runOn([]);
    expect(child.stdout).toContain('first-tool speaks 2026-07-28\n  get_number_sum: Adds');
    expect(await child.ended).toMatchObject({ code: 0 });
  });

  test('calls a tool that needs no arguments', async () => {
    const [command, ...args] = [process.execPath, mcpctl, 'serve', '--stdio'];
    await using child = await runOn([command, ...args]);
    expect(child.stdout).toContain('get_time_now → {');
  });

  test('says what to do when there is no such program', async () => {
    await using child = await runOn(['no-such-program']);
    expect(child.stderr).toMatch(/cannot start no-such-program.*Install no-such-program/);
    expect(await child.ended).toMatchObject({ code: 1 });
  });
});

describe('manage-servers.mjs', () => {
  test('shows what is refused and how to approve it, and once it is approved its tools', async () => {
    const project = mkdtempSync(path.join(tmpdir(), 'mcp-kit-example-'));
    try {
      const numbers = { command: process.execPath, args: [path.join(folder, 'first-tool.mjs')] };
      const config = path.join(project, '.mcp.json');
      writeFileSync(config, JSON.stringify({ mcpServers: { numbers } }));
      const env = { ...process.env, XDG_STATE_HOME: path.join(project, 'state') };
      const run = async (): Promise<string> => {
        const args = [path.join(folder, 'manage-servers.mjs'), project];
        await using child = new Child(process.execPath, args, { env });
        expect(await child.ended).toMatchObject({ code: 0 });
        return child.stdout;
      };
      expect(await run()).toMatch(/^numbers is refused: refusing .*\n.*trust approve numbers/);
      const { entries } = await loadConfig({ root: project });
      await using manager = createManager({ entries, root: project, env });
      await manager.approve('numbers', { by: 'test' });
      expect(await run()).toMatch(/^numbers is ready\n {2}get_number_sum: Adds/);
    } finally {
      rmSync(project, { recursive: true });
    }
  });
});

test('every example is tried here', () => {
  const tried = [
    'ask-the-user.mjs',
    'batch-write.mjs',
    'both-transports.mjs',
    'file-pack.mjs',
    'first-tool.mjs',
    'governed-question.mjs',
    'hono-style.mjs',
    'http-api-pack.mjs',
    'keep-the-contract.mjs',
    'keys-that-last.mjs',
    'long-work.mjs',
    'manage-servers.mjs',
    'sessions-that-last.mjs',
    'show-an-app.mjs',
    'tasks-that-last.mjs',
    'todo-store.mjs',
    'use-a-server.mjs',
    'watch-calls.mjs',
    'who-may-what.mjs',
    'workflow-that-asks.mjs',
    'workflow-with-undo.mjs',
  ];
  // Those of the Cocos pack are tried in test/cocos/chains.test.ts.
  const here = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
  expect(here).toEqual(tried);
});
