import { afterAll, beforeAll, expect, test } from 'vitest';
import { oldServer, plain } from '../requirements/old-http-server.ts';
import { requireBuild } from '../support/cli.ts';
import { fixture, mcpJson, Project, trusting } from '../support/project.ts';

beforeAll(requireBuild);

const project = new Project({ 'mcp.json': mcpJson({ old: [...fixture('opening'), 'of 2024'] }) });
afterAll(() => project[Symbol.dispose]());

test('what a server of 2024 says as toolResult is shown', async () => {
  const { code, stdout } = await project.run('call', 'old', 'weather', ...trusting);
  expect([code, stdout]).toEqual([0, '{"degrees":21}\n']);
});

test('a notification that an HTTP server does not take is a failure', async () => {
  const method = 'notifications/note';
  await using server = await oldServer(plain(404), { [method]: plain(500, 'not now') });
  const { code, stdout, stderr } = await project.run('notify', method, '--url', server.url);
  expect(code).not.toBe(0);
  expect(stdout).not.toContain('"ok":true');
  expect(stderr).toContain('500');
});

test('a server is not probed again by the next run', async () => {
  await using server = await oldServer(plain(500));
  await using other = await oldServer(plain(404));
  const method = 'notifications/note';
  for (const { url } of [server, other, server, other]) {
    expect(await project.run('notify', method, '--url', url)).toMatchObject({ code: 0 });
  }
  const probes = ({ heard }: typeof server): number =>
    heard.filter((name) => name === 'server/discover').length;
  // What failed may have been unwell, and is asked again; what refused is known.
  expect([probes(server), probes(other)]).toEqual([2, 1]);
});

test('nor by the next bridge', async () => {
  await using server = await oldServer(plain(404));
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const question = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } };
  for (let run = 0; run < 2; run += 1) {
    const args = ['bridge', '--url', server.url];
    const { stdout } = await project.runWith(`${JSON.stringify(question)}\n`, ...args);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { resultType: 'complete' } });
  }
  expect(server.heard.filter((method) => method === 'server/discover')).toHaveLength(1);
});
