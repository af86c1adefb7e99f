import path from 'node:path';
import { listenSocket } from 'mcp-kit/transport';
import { describe, expect, test } from 'vitest';
import { serving } from '../support/mcp-http.ts';
import { temporaryFolder } from './config-fixture.ts';
import { echoService, manageV1, nodeServer } from './manager-fixture.ts';

const refusing = (what: string): object => ({
  code: 'refused_by_policy',
  message: expect.stringContaining(`refusing to ${what} in untrusted mode: it`),
  details: { ran: false },
});

describe('a manager that was told nothing trusts nobody', () => {
  test('it starts no program', async () => {
    await using folder = await temporaryFolder();
    await using manager = await manageV1(folder, { servers: { it: nodeServer } });
    await expect(manager.server('it').connect()).rejects.toMatchObject(
      refusing('spawn mcp server'),
    );
    expect(manager.status('it')).toMatchObject({
      state: 'refused',
      trust: 'untrusted',
      starts: 0,
      error: { hint: expect.stringContaining('mcpctl trust approve it') },
    });
  });

  test('it connects to no unix socket', async () => {
    await using folder = await temporaryFolder();
    const socket = path.join(folder.path, 'run.sock');
    const listening = await listenSocket(echoService(), socket);
    try {
      const servers = { it: { transport: 'unix', unix_path: socket } };
      await using manager = await manageV1(folder, { servers });
      const refused = refusing('connect unix mcp server');
      await expect(manager.server('it').connect()).rejects.toMatchObject(refused);
    } finally {
      await listening.close();
    }
  });

  test('it connects to no server that is not public, or not over https', async () => {
    await using folder = await temporaryFolder();
    await using http = await serving(echoService());
    const connect = async (url: string): Promise<unknown> => {
      const servers = { it: { transport: 'streamable_http', url } };
      await using manager = await manageV1(folder, { servers });
      return await manager
        .server('it')
        .connect()
        .catch((error: unknown) => error);
    };
    expect(await connect(http.url)).toMatchObject(
      refusing('connect non-https streamable http url'),
    );
    expect(await connect('https://localhost/mcp')).toMatchObject(
      refusing('connect localhost/local/single-label domain'),
    );
    expect(await connect('https://10.0.0.1/mcp')).toMatchObject(refusing('connect non-global ip'));
  });

  test('it sends no credentials, and reads none from the environment', async () => {
    await using folder = await temporaryFolder();
    const connect = async (more: object): Promise<unknown> => {
      const remote = { transport: 'streamable_http', url: 'https://mcp.example.com/', ...more };
      await using manager = await manageV1(folder, { servers: { it: remote } });
      return await manager
        .server('it')
        .connect()
        .catch((error: unknown) => error);
    };
    for (const header of ['Authorization', 'Cookie']) {
      expect(await connect({ http_headers: { [header]: 'x' } })).toMatchObject(
        refusing('send sensitive http header'),
      );
    }
    expect(await connect({ bearer_token_env_var: 'PATH' })).toMatchObject(
      refusing('read bearer token env var'),
    );
    expect(await connect({ env_http_headers: { 'X-Key': 'PATH' } })).toMatchObject(
      refusing('read http header env vars'),
    );
  });

  test('it lets the caller loosen one thing at a time', async () => {
    await using folder = await temporaryFolder();
    await using http = await serving(echoService());
    const servers = { it: { transport: 'streamable_http', url: http.url } };
    const connect = async (policy: object): Promise<unknown> => {
      await using manager = await manageV1(folder, { servers }, { policy });
      return await manager
        .server('it')
        .connect()
        .then(
          () => 'connected',
          (error: unknown) => error,
        );
    };
    expect(await connect({ requireHttps: false })).toMatchObject({ code: 'refused_by_policy' });
    expect(await connect({ allowLocalhost: true })).toMatchObject({ code: 'refused_by_policy' });
    const allowed = { requireHttps: false, allowLocalhost: true, allowPrivateIps: true };
    expect(await connect(allowed)).toBe('connected');
    const elsewhere = { ...allowed, allowedHosts: ['example.com'] };
    expect(await connect(elsewhere)).toMatchObject(
      refusing('connect streamable http host not in allowlist'),
    );
  });
});

test('a manager that trusts uses what the configuration says, secrets and all', async () => {
  await using folder = await temporaryFolder();
  const servers = { it: { ...nodeServer, env: { GREETING: '${WHOM}' } } };
  const options = { trust: 'trusted', env: { ...process.env, WHOM: 'world' } } as const;
  await using manager = await manageV1(folder, { servers }, options);
  const result = await manager.server('it').callTool('environment', { name: 'GREETING' });
  expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(['world', folder.path]) }]);
  expect(await manager.trustOf('it')).toEqual({ verdict: 'trusted', changes: [] });
});
