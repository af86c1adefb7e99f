import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../support/child-process.ts';
import { expectUsageError, requireBuild } from '../support/cli.ts';
import { FreshUser, isInstalled } from '../support/fresh-user.ts';
import { Project } from '../support/project.ts';
import { oneIn } from '../support/scale.ts';

const entry = (name: string): string =>
  readFileSync(path.join(root, 'test/fixtures/registry', `${name}.json`), 'utf8');

/** What a copy of the registry answers, by path. */
const answers: Readonly<Record<string, string>> = {
  '/v0.1/servers/io.github.someone%2Fweather/versions/latest': entry('local'),
  '/v0.1/servers/com.example%2Ftickets/versions/latest': entry('remote'),
  '/v0.1/servers/com.example%2Ftickets/versions/2.0.0': entry('remote'),
  '/v0.1/servers/com.example%2Fpage/versions/latest': '<html>Not here</html>',
  '/v0.1/servers/com.example%2Fhuge/versions/latest': `{"server": "${'x'.repeat(2 ** 21)}"}`,
};

let server: Server;
let registry: string;
beforeAll(async () => {
  requireBuild();
  server = createServer((request, response) => {
    const body = answers[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(body ?? '{"title":"Not Found"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const written = (project: Project): unknown => JSON.parse(project.read('mcp.json').toString());

describe('a name of the registry', () => {
  test('of a package is the command that runs it, with what it needs', async () => {
    using project = new Project();
    const { code, stdout, stderr } = await project.run(
      'add',
      'io.github.someone/weather',
      '--registry',
      registry,
      '--yes',
      '--set',
      'WEATHER_KEY=canary-key-1',
      '--set',
      'city=Oslo',
      '--env',
      'REGION=north',
    );
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain('canary-key-1');
    expect(stderr).toMatch(/Tells the weather/);
    expect(stderr).toMatch(/not needed: LOG_LEVEL/);
    expect(written(project)).toEqual({
      mcpServers: {
        weather: {
          type: 'stdio',
          command: 'npx',
          args: ['-y', '@someone/weather@1.4.0', 'serve', '--units', 'metric', 'Oslo'],
          env: { REGION: 'north', WEATHER_KEY: 'canary-key-1' },
        },
      },
    });
  });

  test('of a server at a URL is the URL, with blanks filled in', async () => {
    using project = new Project();
    const { code } = await project.run(
      'add',
      'tk',
      'com.example/tickets',
      '--registry',
      registry,
      '--yes',
      '--quiet',
      '--set',
      'tenant=blue',
      '--set',
      'token=${TOKEN}',
      '--server-version',
      '2.0.0',
    );
    expect(code).toBe(0);
    expect(written(project)).toEqual({
      mcpServers: {
        tk: {
          type: 'http',
          url: 'https://blue.tickets.example/mcp',
          bearer_token_env_var: 'TOKEN',
        },
      },
    });
  });

  test('is run here where that is wanted', async () => {
    using project = new Project();
    const { code } = await project.run(
      'add',
      'com.example/tickets',
      '--registry',
      registry,
      '--yes',
      '--quiet',
      '--from',
      'package',
      '--env',
      'TICKETS_URL=https://x',
    );
    expect(code).toBe(0);
    expect(written(project)).toMatchObject({
      mcpServers: {
        tickets: {
          command: 'docker',
          args: ['run', '-i', '--rm', '-e', 'TICKETS_URL', 'docker.io/example/tickets:2.0.0'],
          env: { TICKETS_URL: 'https://x' },
        },
      },
    });
  });

  const add = (project: Project, ...args: readonly string[]) =>
    project.run('add', ...args, '--registry', registry, '--yes', '--quiet');

  test('says what is missing, and what to type', async () => {
    using project = new Project();
    const missing = await add(project, 'io.github.someone/weather');
    expect(missing.code).toBe(2);
    expect(missing.stderr).toMatch(/needs city, WEATHER_KEY|needs WEATHER_KEY, city/);
    expect(missing.stderr).toMatch(/--set WEATHER_KEY=VALUE +The key of your account/);
    const gone = await project.run('add', 'a.b/c', '--registry', 'http://127.0.0.1:1', '--yes');
    expect(gone).toMatchObject({ code: 4 });
    expect(gone.stderr).toMatch(/cannot be reached\n.*--registry URL/);
    expect(project.has('mcp.json')).toBe(false);
  });

  const wrongUnits = ['--set', 'units=nautical', '--set', 'city=x', '--set', 'WEATHER_KEY=x'];
  oneIn(2)<[readonly string[], RegExp, RegExp]>([
    [['io.github.someone/nothing'], /the registry has no io\.github/, /search=/],
    [['io.github.someone/weather', '--set', 'x=1'], /asks for no such thing/, /It asks for/],
    [['io.github.someone/weather', ...wrongUnits], /units cannot be that/, /metric, imperial/],
    [['io.github.someone/weather', '--from', 'remote'], /in no way that is known/, /npm/],
    [['io.github.someone/weather', '--header', 'A: b'], /is not for a package/, /--env, --cwd/],
  ])('%j is a usage error that says what to type', async (args, what, next) => {
    using project = new Project();
    expectUsageError(await add(project, ...args), what, next);
    expect(project.has('mcp.json')).toBe(false);
  });

  oneIn(2)([
    ['com.example/page', /something that is not JSON/],
    ['com.example/huge', /more than 1048576 bytes/],
  ])('an answer about %s that is none is not used', async (name, message) => {
    using project = new Project();
    expect((await add(project, name)).stderr).toMatch(message);
    expect(project.has('mcp.json')).toBe(false);
  });

  test.skipIf(!isInstalled('script'))('asks on a terminal, and does not show secrets', async () => {
    using user = new FreshUser();
    await using child = user.terminal(
      `mcpctl add io.github.someone/weather --registry ${registry}`,
    );
    const typed = 'canary-typed-9';
    for (const [question, keys] of [
      ['WEATHER_KEY', `${typed}\r`],
      ['city', 'Oslo\r'],
      ['Write this? [y/N]', 'y\r'],
      ['Approve it? [y/N]', 'n\r'],
    ] as const) {
      await child.until(() => (child.stdout.includes(question) ? true : undefined));
      child.process.stdin.write(keys);
    }
    expect(await child.ended).toMatchObject({ code: 0 });
    expect(child.stdout).not.toContain(typed);
    expect(user.project.read('mcp.json').toString()).toContain(typed);
  });
});
