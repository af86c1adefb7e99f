import { createManager, loadConfig } from '@mcp-kit/host';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { problemsOf, temporaryFolder } from './config-fixture.ts';

const servers = { docs: { argv: ['docs'] }, github: { url: 'https://x.example.com/mcp' } };
const reading = { servers: ['docs', 'github'], tools: ['*__get_*'] };

describe('gateway in mcp.json', () => {
  test('is read, with or without a version, and without servers of its own', async () => {
    for (const content of [
      { version: 1, servers, gateway: { groups: { reading } } },
      { servers, gateway: { groups: { reading } } },
    ]) {
      await using folder = await temporaryFolder();
      await folder.write('mcp.json', content);
      const { errors, warnings, gateway } = await loadConfig({ root: folder.path });
      expect([errors, warnings]).toEqual([[], []]);
      expect(gateway).toEqual({ groups: { reading } });
    }
    await using folder = await temporaryFolder();
    await folder.write('mcp.json', { gateway: { groups: { all: {} } } });
    const loaded = await loadConfig({ root: folder.path });
    expect(loaded).toMatchObject({ entries: [], errors: [], gateway: { groups: { all: {} } } });
  });

  test('is nothing where no file has it', async () => {
    await using folder = await temporaryFolder();
    expect(await loadConfig({ root: folder.path })).toMatchObject({ gateway: {} });
  });

  test.each<readonly [unknown, string, string]>([
    [[], '#/gateway: must be an object, not a list', ''],
    [{ group: {} }, '#/gateway/group: unknown field `group`', 'Did you mean groups?'],
    [{ groups: [] }, '#/gateway/groups: must be an object, not a list', ''],
    [{ groups: { a: { server: [] } } }, '#/gateway/groups/a/server: unknown field', 'servers'],
    [{ groups: { a: { servers: 'docs' } } }, '#/gateway/groups/a/servers: must be a list', ''],
    [{ groups: { a: { tools: [{}] } } }, '#/gateway/groups/a/tools/0: must be a text', ''],
    [{ groups: { 'a/b': {} } }, '#/gateway/groups/a~1b: invalid group name: a/b', 'letters'],
    [{ groups: { docs: {} } }, '#/gateway/groups/docs: a server is called docs', 'another name'],
    [{ servers: { docs: { tool: {} } } }, '#/gateway/servers/docs/tool: unknown field', 'tools?'],
    [{ servers: { docs: { hidden: 1 } } }, '#/gateway/servers/docs/hidden: must be true', ''],
    [
      { servers: { docs: { tools: { a: { name: 'a b' } } } } },
      '#/gateway/servers/docs/tools/a/name: is no name',
      '48 letters',
    ],
    [
      { servers: { docs: { tools: { 'a*': { name: 'b' } } } } },
      '#/gateway/servers/docs/tools/a*: a glob can only hide',
      'Name each',
    ],
    [
      { servers: { docs: { prompts: { a: { name: 'c' }, b: { name: 'c' } } } } },
      '#/gateway/servers/docs/prompts/b/name: a is called c, too',
      'another name',
    ],
    [
      { servers: { docs: { resources: { 'a:b': { name: 'c' } } } } },
      '#/gateway/servers/docs/resources/a:b/name: unknown field',
      'hidden',
    ],
  ])('%j is an error that says where', async (gateway, message, hint) => {
    await using folder = await temporaryFolder();
    const file = await folder.write('mcp.json', { version: 1, servers, gateway });
    const { errors } = await loadConfig({ root: folder.path, files: [file] });
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toContain(`${file}${message}`);
    expect(errors[0]?.hint ?? '').toContain(hint);
    expect(await problemsOf({ version: 1, servers, gateway })).toHaveLength(1);
  });

  test('of a project does not replace what its user says, and adds to it', async () => {
    await using folder = await temporaryFolder();
    const home = path.join(folder.path, 'home');
    const root = path.join(folder.path, 'project');
    const own = { groups: { safe: { servers: ['docs'] } } };
    const others = { groups: { safe: {}, more: { servers: ['github'] } } };
    await folder.write('home/.config/mcp-kit/mcp.json', { servers, gateway: own });
    await folder.write('project/mcp.json', { gateway: others });
    const { gateway, errors } = await loadConfig({ root, home });
    expect(errors).toEqual([]);
    expect(gateway.groups).toEqual({
      safe: { servers: ['docs'] },
      more: { servers: ['github'] },
    });
  });

  test('of a project hides things, and gives nothing a name or a description', async () => {
    await using folder = await temporaryFolder();
    const shown = { tools: { a: { name: 'b' }, 'c*': { hidden: true } } };
    await folder.write('mcp.json', { servers, gateway: { servers: { docs: shown } } });
    const { gateway, errors } = await loadConfig({ root: folder.path });
    expect(gateway.servers?.['docs']?.tools).toEqual({ 'c*': { hidden: true } });
    expect(errors).toMatchObject([{ details: { pointer: '/gateway/servers/docs/tools/a' } }]);
    expect(errors[0]?.hint).toContain('--config');
    const files = ['mcp.json'];
    const named = await loadConfig({ root: folder.path, files });
    expect(named).toMatchObject({ errors: [], gateway: { servers: { docs: shown } } });
  });

  test('of a project shows nothing that its user hides', async () => {
    await using folder = await temporaryFolder();
    const home = path.join(folder.path, 'home');
    const root = path.join(folder.path, 'project');
    const hiding = { hidden: true, tools: { 'delete_*': { hidden: true } } };
    const showing = { hidden: false, tools: { delete_all: { hidden: false }, delete_one: {} } };
    await folder.write('home/.config/mcp-kit/mcp.json', {
      servers,
      gateway: { servers: { docs: hiding } },
    });
    await folder.write('project/mcp.json', { gateway: { servers: { docs: showing } } });
    const { gateway, errors } = await loadConfig({ root, home });
    expect(errors).toEqual([]);
    const { hidden, tools } = gateway.servers?.['docs'] ?? {};
    expect({ hidden, tools }).toEqual(hiding);
  });

  test('names a server that is not there: a remark that says where', async () => {
    await using folder = await temporaryFolder();
    const gateway = { groups: { a: { servers: ['docs', 'dogs'] } } };
    await folder.write('mcp.json', { version: 1, servers, gateway });
    const { warnings } = await loadConfig({ root: folder.path });
    expect(warnings).toMatchObject([{ pointer: '/gateway/groups/a/servers' }]);
    expect(warnings[0]?.message).toContain('dogs');
  });

  test.each(['policy', 'limits'])('says which rule of its %s names no server', async (member) => {
    await using folder = await temporaryFolder();
    const rest = member === 'policy' ? { decision: 'deny' } : { timeoutMs: 1 };
    const rules = [['docs', 'DOCS', 'git*'], ['dogs']].map((named) => ({
      ...rest,
      servers: named,
    }));
    await folder.write('mcp.json', { version: 1, servers, gateway: { [member]: rules } });
    const { warnings, errors } = await loadConfig({ root: folder.path });
    expect(errors).toEqual([]);
    expect(warnings).toMatchObject([{ pointer: `/gateway/${member}/1/servers` }]);
    expect(warnings[0]?.message).toContain('there is no server dogs');
  });

  test('counts beside servers in the form that most programs share, and not in the files of a host', async () => {
    await using folder = await temporaryFolder();
    const mcpServers = { docs: { command: 'docs' } };
    await folder.write('.mcp.json', { mcpServers, gateway: { groups: { a: {} } } });
    await folder.write('.cursor/mcp.json', { mcpServers: {}, gateway: { groups: { b: {} } } });
    const { gateway, errors, entries } = await loadConfig({ root: folder.path });
    expect({ errors, servers: entries.length }).toEqual({ errors: [], servers: 1 });
    expect(Object.keys(gateway.groups ?? {})).toEqual(['a']);
    await folder.write('.mcp.json', { mcpServers, gateway: { group: {} } });
    const wrong = await loadConfig({ root: folder.path });
    expect(wrong.errors).toMatchObject([{ details: { pointer: '/gateway/group' } }]);
    expect(wrong.entries).toHaveLength(1);
  });

  test('is what a manager tells, also after a reload, which disturbs no server', async () => {
    await using folder = await temporaryFolder();
    await folder.write('mcp.json', { version: 1, servers, gateway: { groups: { reading } } });
    const load = () => loadConfig({ root: folder.path });
    await using manager = createManager({ ...(await load()), receipts: false, toolCache: false });
    expect(manager.gatewaySettings).toEqual({ groups: { reading } });
    const told: unknown[] = [];
    manager.watch({ reloaded: ({ kept, changed }) => told.push({ kept, changed }) });
    await folder.write('mcp.json', { version: 1, servers, gateway: { groups: { a: {} } } });
    await manager.reload(await load());
    expect(manager.gatewaySettings).toEqual({ groups: { a: {} } });
    expect(told).toEqual([{ kept: ['docs', 'github'], changed: [] }]);
  });
});
