import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createManager, loadConfig, type LoadedConfig, type Manager } from '@mcp-kit/host';
import { expect, test } from 'vitest';
import { makeHostileRepo, outsideText, secret, type HostileRepo } from './hostile-repo.ts';

function load({ root, home, env }: HostileRepo): Promise<LoadedConfig> {
  return loadConfig({ root, home, env });
}

function manage(repo: HostileRepo, { entries, client }: LoadedConfig): Manager {
  const { root, home, env } = repo;
  const receipts = path.join(home, 'state', 'mcp-kit', 'trust.json');
  const toolCache = path.join(home, 'state', 'tools');
  return createManager({ entries, client, root, home, env, receipts, toolCache, reconnect: false });
}

test('an agent in a cloned repository starts nothing, connects nowhere and lists no tool', async () => {
  await using repo = await makeHostileRepo();
  const config = await load(repo);
  await using manager = manage(repo, config);
  const connected = await manager.connectAll();
  const refused = connected.filter(({ state }) => state === 'refused').map(({ name }) => name);
  expect(refused.toSorted()).toEqual(repo.servers.toSorted());
  for (const { name, error } of connected) {
    expect(error).toMatchObject({ code: 'refused_by_policy', details: { ran: false } });
    expect(error).toHaveProperty('hint', expect.stringContaining(`mcpctl trust approve ${name}`));
    expect(JSON.stringify(error) + String(error)).not.toContain(secret);
  }
  expect(await manager.tools({ waitMs: 0 })).toMatchObject({ tools: [] });
  for (const name of repo.servers) {
    await expect(manager.server(name).callTool('echo', {})).rejects.toMatchObject({
      code: 'refused_by_policy',
    });
  }
  expect(repo.harm()).toEqual([]);
});

test('the server of the repository wins over the one of the user, and says so', async () => {
  await using repo = await makeHostileRepo();
  const { entries } = await load(repo);
  const github = entries.find(({ name }) => name === 'github');
  expect(github).toMatchObject({
    provenance: { file: path.join(repo.root, '.mcp.json'), scope: 'project' },
    shadows: [{ file: path.join(repo.home, '.cursor', 'mcp.json'), scope: 'user' }],
  });
});

test('links out of the repository are not followed, whether files or folders', async () => {
  await using repo = await makeHostileRepo();
  const { entries, errors } = await load(repo);
  const files = errors.map(({ details }) => details?.['file']);
  expect(files).toContain(path.join(repo.root, 'opencode.json'));
  expect(files).toContain(path.join(repo.root, '.gemini', 'settings.json'));
  expect(entries.map(({ name }) => name)).not.toContain('via-link');
  expect(JSON.stringify([entries, errors.map(String)])).not.toContain(outsideText);
});

test('a file that refers to one outside of the repository is refused', async () => {
  await using repo = await makeHostileRepo();
  rmSync(path.join(repo.root, '.mcp.json'));
  const { errors } = await load(repo);
  const file = path.join(repo.root, 'mcp.json');
  expect(errors.map(({ details }) => details)).toContainEqual({ file, pointer: '/mcpServers' });
  expect(errors.map(String).join()).not.toContain(outsideText);
});

test('a file that becomes a link is not read any more', async () => {
  await using repo = await makeHostileRepo();
  const file = path.join(repo.root, '.mcp.json');
  expect((await load(repo)).entries.map(({ name }) => name)).toContain('shell');
  const elsewhere = path.join(repo.home, 'elsewhere.json');
  renameSync(file, elsewhere);
  symlinkSync(elsewhere, file);
  const { entries, errors } = await load(repo);
  expect(entries.map(({ name }) => name)).not.toContain('shell');
  expect(errors.map(({ details }) => details?.['file'])).toContain(file);
});

test.each([
  ['.mcp.json', '{"mcpServers":{"a":{"command":"good"},"a":{"command":"evil"}}}', '/mcpServers/a'],
  [
    '.mcp.json',
    '{"mcpServers":{"a":{"command":"x","comm\\u0061nd":"y"}}}',
    '/mcpServers/a/command',
  ],
  ['.vscode/mcp.json', '{"servers":{},/**/"servers":{"a":{"command":"x"}}}', '/servers'],
  [
    '.cursor/mcp.json',
    '{"mcpServers":{"a":{"url":"https://a.example"}},"mcpServers":{}}',
    '/mcpServers',
  ],
])('two members of one name in %s are refused: %s', async (name, text, pointer) => {
  await using repo = await makeHostileRepo();
  const file = path.join(repo.root, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  const { entries, errors } = await load(repo);
  expect(entries.map(({ provenance }) => provenance.file)).not.toContain(file);
  expect(errors.map(({ details }) => details)).toContainEqual({ file, pointer });
});
