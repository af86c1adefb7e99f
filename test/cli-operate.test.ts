import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audience, bearer, startIssuer, steadyCalls } from './operate/fixture.ts';
import { certificate, key } from './support/certificate.mjs';
import { Child } from './support/child-process.ts';
import { requireBuild, startHttp } from './support/cli.ts';
import { send } from './support/http-client.ts';
import { modern } from './support/mcp-http.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'mcpctl-operate-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(requireBuild);

const file = (name: string): string => path.join(folder, name);
const tool = (headers: Record<string, string> = {}) =>
  modern('tools/call', { name: 'get_time_now', arguments: {} }, { headers });

/** Runs to the end. */
async function run(...args: readonly string[]) {
  await using child = Child.mcpctl('serve', ...args);
  const { code } = await child.ended;
  return { code, out: child.stdout, err: child.stderr };
}

describe('mcpctl serve', () => {
  test('makes API keys, shows them once, and serves their owners; SIGHUP reads the file again', async () => {
    const keys = file('keys.json');
    const made = await run('--api-keys', keys, '--new-api-key', 'ci', '--scope', 'mcp');
    expect(made.code).toBe(0);
    const secret = made.out.trim();
    expect(readFileSync(keys, 'utf8')).not.toContain(secret);
    expect(statSync(keys).mode & 0o777).toBe(0o600);
    expect(await run('--api-keys', keys, '--new-api-key', 'ci')).toMatchObject({ code: 1 });
    const { child, announced } = await startHttp('--api-keys', keys, '--scope', 'mcp');
    await using _ = child;
    expect((await send(announced.url, tool())).status).toBe(401);
    expect((await send(announced.url, tool(bearer(secret)))).status).toBe(200);
    const second = (await run('--api-keys', keys, '--new-api-key', 'next', '--scope', 'mcp')).out;
    expect((await send(announced.url, tool(bearer(second.trim())))).status).toBe(401);
    child.process.kill('SIGHUP');
    await child.until(() => (child.stderr.includes('again') ? true : undefined));
    expect((await send(announced.url, tool(bearer(second.trim())))).status).toBe(200);
    expect(await child.stop('SIGTERM')).toMatchObject({ code: 0 });
  });

  test('ten keys that are made at once are all in the file', async () => {
    const keys = file('many.json');
    const names = Array.from({ length: 10 }, (_, index) => `key-${index}`);
    const made = await Promise.all(
      names.map((name) => run('--api-keys', keys, '--new-api-key', name)),
    );
    expect(made.map(({ code }) => code)).toEqual(names.map(() => 0));
    const written = JSON.parse(readFileSync(keys, 'utf8')) as { keys: { id: string }[] };
    expect(written.keys.map(({ id }) => id).toSorted()).toEqual(names);
  });

  test('takes settings from a file, and options before them', async () => {
    await using issuer = await startIssuer();
    writeFileSync(file('cert.pem'), certificate);
    writeFileSync(file('key.pem'), key);
    const server = {
      port: 0,
      publicUrl: audience,
      auth: { jwt: { issuer: issuer.url }, scopes: ['mcp'] },
      limits: { principal: '2/h' },
      metrics: { port: 0 },
    };
    writeFileSync(file('mcp.json'), JSON.stringify({ server }));
    const { child, announced } = await startHttp(
      '--config',
      file('mcp.json'),
      '--limit-principal',
      '1/h',
    );
    await using _ = child;
    const headers = bearer(await issuer.token({ scope: 'mcp' }));
    expect((await send(announced.url, tool(headers))).status).toBe(200);
    expect((await send(announced.url, tool(headers))).status).toBe(429);
    const { metrics } = announced as unknown as { metrics: string };
    const numbers = await (await fetch(metrics)).text();
    expect(numbers).toContain('mcp_rejections_total{cause="rate_principal"} 1');
    expect(await child.stop('SIGTERM')).toMatchObject({ code: 0 });
  });

  test.each([
    [['--auth-issuer', 'https://a.example'], 'whom tokens are for'],
    [['--limit-address', 'often'], 'limits.address'],
    [['--tls-cert', 'a.pem'], 'belong together'],
    [['--tls-cert', 'a.pem', '--tls-key', 'b.pem'], 'cannot be read'],
    [['--tool-scope', 'x'], 'TOOL=SCOPE'],
    [['--metrics-port', 'x'], 'cannot be "x"'],
    [['--scope', 'mcp'], 'nothing says how callers prove'],
    [['--trusted-proxy', 'everybody'], 'not an address or network'],
    [['--new-api-key', 'x'], 'needs --api-keys'],
    [['--config', 'no-such-file.json'], 'cannot be read'],
    [['--stdio', '--limit-address', '1/s'], 'exclude each other'],
    [['--auth-introspection-client', 'x'], 'needs --auth-issuer'],
  ])('says what is wrong with %j', async (args, message) => {
    const { code, err } = await run('--port', '0', ...args);
    expect(code).toBeGreaterThan(0);
    expect(err).toContain(message);
    expect(err.trim().split('\n')).toHaveLength(2);
  });

  test('waits for calls under way when it gets SIGTERM, as long as it was told', async () => {
    const { child, announced } = await startHttp('--drain-ms', '5000');
    await using _ = child;
    const countdown = { name: 'execute_timer_countdown', arguments: { from: 15, stepMs: 100 } };
    const slow = send(announced.url, modern('tools/call', countdown));
    // It is under way when a later call has been answered.
    await send(announced.url, tool());
    const stopped = child.stop('SIGTERM');
    const answer = await slow;
    expect(answer.status).toBe(200);
    expect(answer.message.result).toMatchObject({ content: [{}] });
    expect(await stopped).toMatchObject({ code: 0 });
  });

  test('loses no call at 200 a second when it gets SIGTERM', async () => {
    const { child, announced } = await startHttp('--drain-ms', '5000');
    await using _ = child;
    const stop = (): void => void child.process.kill('SIGTERM');
    const outcomes = await steadyCalls(announced.url, () => tool(), stop);
    expect(outcomes.filter((outcome) => outcome !== 200 && outcome !== 'not taken')).toEqual([]);
    expect(await child.ended).toMatchObject({ code: 0 });
  });

  test('logs calls as lines of JSON', async () => {
    const { child, announced } = await startHttp('--log-format', 'json', '--log-level', 'info');
    await using _ = child;
    await send(announced.url, tool());
    const line = await child.until(() => /^\{.*"message":"call".*(?=\n)/m.exec(child.stderr)?.[0]);
    expect(JSON.parse(line)).toMatchObject({ level: 'info', tool: 'get_time_now', outcome: 'ok' });
  });
});
