import { openSession } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { certificate, key as privateKey } from '../support/certificate.mjs';
import type { Child } from '../support/child-process.ts';
import { announcementOf, requireBuild } from '../support/cli.ts';
import { send } from '../support/http-client.ts';
import { modern } from '../support/mcp-http.ts';
import { Project, samples, trusting } from '../support/project.ts';

beforeAll(requireBuild);

const codex = ([command, ...args]: readonly string[]): string =>
  [
    '[mcp_servers.demo]',
    `command = ${JSON.stringify(command)}`,
    `args = ${JSON.stringify(args)}`,
    'disabled_tools = ["create_*"]',
  ].join('\n');

const project = (): Project => new Project({ '.codex/config.toml': codex(samples) });

/** What a bridge prints with --json when it listens. */
const announced = (child: Child) => announcementOf<Record<string, string>>(child);

describe('mcpctl bridge to a server of a configuration file', () => {
  test.each(['legacy', 'modern'] as const)(
    'lets no client of the %s era see or call what the configuration keeps out',
    async (era) => {
      using place = project();
      await using bridge = place.start('bridge', 'demo', '--json', '--http', ':0', ...trusting);
      const { url = '', server } = await announced(bridge);
      expect(server).toContain('node');
      await using session = await openSession(httpTarget(url), { era });
      const names: string[] = [];
      for await (const { name } of session.tools()) names.push(name);
      expect(names).toContain('find_text_matches');
      expect(names).not.toContain('create_text_greeting');
      const args = { text: 'abc', phrase: 'b' };
      expect(await session.callTool('find_text_matches', args)).not.toHaveProperty('isError', true);
      await expect(session.callTool('create_text_greeting', { name: 'x' })).rejects.toMatchObject({
        code: -32_600,
        message: expect.stringContaining('the configuration keeps create_text_greeting out'),
        data: { code: 'refused_by_policy', retryable: false, mayHaveRun: false },
      });
    },
  );

  test('starts nothing that was not approved', async () => {
    using place = project();
    const { code, stderr } = await place.run('bridge', 'demo', '--http', ':0');
    expect(code).toBe(3);
    expect(stderr).toContain('mcpctl trust approve demo');
  });

  test('says which servers there are when it does not know one', async () => {
    using place = project();
    const { code, stderr } = await place.run('bridge', 'nobody', '--http', ':0');
    expect(code).toBe(2);
    expect(stderr).toContain('nobody');
    expect(stderr).toContain('demo');
  });
});

describe('mcpctl bridge over HTTP', () => {
  const call = modern('tools/call', {
    name: 'find_text_matches',
    arguments: { text: 'abc', phrase: 'b' },
  });

  test('lets in whom mcpctl serve would, and as often', async () => {
    using place = new Project();
    const keys = ['--api-keys', 'keys.json'];
    const made = await place.run('serve', ...keys, '--new-api-key', 'ci', '--scope', 'mcp');
    const limited = ['--scope', 'mcp', '--limit-principal', '1/min burst 2', '--json'];
    await using bridge = place.start(
      'bridge',
      '--http',
      ':0',
      ...keys,
      ...limited,
      '--',
      ...samples,
    );
    const { url = '', health = '' } = await announced(bridge);
    expect((await send(url, call)).status).toBe(401);
    const authorization = `Bearer ${made.stdout.trim()}`;
    const known = { ...call, headers: { ...call.headers, authorization } };
    const answers = [await send(url, known), await send(url, known), await send(url, known)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[0]?.message.result).toHaveProperty('content');
    // Whoever looks after it need not be let in.
    expect(await send(health, { method: 'GET' })).toMatchObject({ status: 200 });
    expect((await send(new URL('/readyz', url).href, { method: 'GET' })).status).toBe(200);
  });

  test('speaks https with the certificate it is given', async () => {
    using place = new Project({ 'cert.pem': certificate, 'key.pem': privateKey });
    const tls = ['--tls-cert', 'cert.pem', '--tls-key', 'key.pem'];
    await using bridge = place.start('bridge', '--json', '--http', ':0', ...tls, '--', ...samples);
    expect((await announced(bridge))['url']).toMatch(/^https:/);
  });

  test('takes its settings from a file, as mcpctl serve does', async () => {
    using place = new Project({
      'server.json': { server: { path: '/here', limits: { calls: 5 } } },
    });
    const settings = ['--settings', 'server.json', '--json'];
    await using bridge = place.start('bridge', '--http', ':0', ...settings, '--', ...samples);
    const { url = '' } = await announced(bridge);
    expect(new URL(url).pathname).toBe('/here');
    expect((await send(url, call)).status).toBe(200);
  });
});
