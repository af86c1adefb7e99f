import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { browse } from '../auth/authorization-server.mjs';
import { withServers } from '../auth/fixture.ts';
import { certificate, key } from '../support/certificate.mjs';
import { requireBuild } from '../support/cli.ts';
import { startProxy } from '../support/connect-proxy.ts';
import { otherCertificate } from '../support/other-certificate.ts';
import { Project, type Finished } from '../support/project.ts';

beforeAll(requireBuild);

const config = (entry: object): object => ({
  version: 1,
  servers: { far: { transport: 'streamable_http', ...entry } },
});

interface Place extends AsyncDisposable {
  readonly port: number;
}

/** A server that only says who it is, at a name that leads nowhere but through a proxy. */
async function securePlace(): Promise<Place> {
  const server = createServer({ key, cert: certificate }, (_, response) => {
    response.writeHead(401, { 'content-type': 'text/plain' }).end('who are you?');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const approve = (project: Project): Promise<Finished> =>
  project.run('trust', 'approve', 'far', '--yes');

/** The steps of the doctor, and how each ended. */
async function examined(project: Project): Promise<readonly string[]> {
  const { stdout } = await project.run('doctor', 'far', '--json', '--timeout-ms', '20000');
  const { rungs } = JSON.parse(stdout) as { rungs: { name: string; state: string }[] };
  return rungs.map(({ name, state }) => `${name} ${state}`);
}

describe('the doctor', () => {
  test('goes through the proxy of the environment to a server that is approved, and to no other', async () => {
    await using place = await securePlace();
    await using proxy = await startProxy({ to: place.port });
    const env = { HTTPS_PROXY: `http://me:secret@127.0.0.1:${proxy.port}` };
    const entry = { url: 'https://good.example/mcp', ca_file: 'ca.pem' };
    using project = new Project({ 'mcp.json': config(entry), 'ca.pem': certificate }, env);
    await examined(project);
    expect(proxy.asked).toEqual([]);
    expect((await approve(project)).code).toBe(0);
    expect(await examined(project)).toEqual(
      expect.arrayContaining(['proxy ok', 'tls ok', 'http ok']),
    );
    expect(proxy.asked).toContain('good.example:443');
    const { stdout } = await project.run('doctor', 'far');
    expect(stdout).toContain(`the proxy http://127.0.0.1:${proxy.port} has opened a connection`);
    expect(stdout).not.toContain('secret');
  });

  test('says what a proxy answers instead of opening a connection', async () => {
    await using proxy = await startProxy({ refuse: '403 Forbidden' });
    const entry = { url: 'https://good.example/mcp', proxy: `http://127.0.0.1:${proxy.port}` };
    using project = new Project({ 'mcp.json': config(entry) });
    await approve(project);
    const { code, stdout } = await project.run('doctor', 'far');
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAILED +proxy .*through the proxy .*: HTTP 403 Forbidden/);
    expect(stdout).toMatch(/→ Check the proxy/);
  });

  test('says that certificates cannot be read, or that a proxy is none', async () => {
    const url = 'https://good.example/mcp';
    using project = new Project({ 'mcp.json': config({ url, proxy: 'socks5://127.0.0.1:1' }) });
    await approve(project);
    expect(await examined(project)).toContain('proxy failed');
    project.write('mcp.json', config({ url, ca_file: 'gone.pem' }));
    await approve(project);
    const { stdout } = await project.run('doctor', 'far');
    expect(stdout).toMatch(/FAILED +tls +the certificates in .*gone\.pem cannot be read/);
  });
});

test('a login goes through the proxy of its server, to the issuer as well', () =>
  withServers(async ({ as, server }) => {
    await using proxy = await startProxy();
    const entry = { url: server.url, proxy: `http://127.0.0.1:${proxy.port}` };
    using project = new Project({ 'mcp.json': config(entry) });
    await approve(project);
    await using child = project.start('login', 'far', '--no-browser');
    const page = await child.until(
      () => /^Open this address in a browser: (\S+)$/m.exec(child.stderr)?.[1],
    );
    child.process.stdin.end(`${(await browse(new URL(page))).href}\n`);
    expect((await child.ended).code).toBe(0);
    for (const url of [as.issuer, server.url]) expect(proxy.asked).toContain(new URL(url).host);
    const before = proxy.asked.length;
    expect((await project.run('whoami', 'far')).code).toBe(0);
    expect((await project.run('call', 'far', 'read')).stdout).toContain('read was called');
    expect((await project.run('logout', 'far')).code).toBe(0);
    expect(proxy.asked.slice(before)).toContain(new URL(as.issuer).host);
  }));

test('an approval is of the certificates that an entry names, byte for byte', async () => {
  const entry = { url: 'https://good.example/mcp', ca_file: 'ca.pem' };
  using project = new Project({ 'mcp.json': config(entry), 'ca.pem': certificate });
  const { stderr } = await approve(project);
  expect(stderr).toMatch(/signed by +those in ca\.pem, byte for byte/);
  const approved = await project.run('trust', 'show', 'far');
  expect(approved.stdout).toMatch(/^far: approved/);
  expect(approved.stdout).toMatch(/signed by +sha256:/);
  project.write('ca.pem', otherCertificate);
  const changed = await project.run('trust', 'show', 'far');
  expect(changed.stdout).toMatch(/^far: changed since it was approved/);
  expect(changed.stdout).toContain('/caFile');
  const call = await project.run('call', 'far', 'anything');
  expect([call.code, call.stderr]).toEqual([
    3,
    expect.stringContaining('is not what was approved'),
  ]);
});
