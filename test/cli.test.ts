import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveGroups, serveOptions } from '../packages/mcpctl/src/serve/options.ts';
import { Child, root, shell } from './support/child-process.ts';
import { requireBuild, startHttp } from './support/cli.ts';
import { lastingPort } from './support/lasting-port.ts';
import { startSession } from './support/mcp-http.ts';
import { oneIn } from './support/scale.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'mcpctl-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(requireBuild);

describe('mcpctl', () => {
  oneIn(2)([[[]], [['--help']], [['-h']], [['help']]])(
    'lists its commands for %j',
    async (args) => {
      await using child = Child.mcpctl(...args);
      expect(await child.ended).toMatchObject({ code: 0 });
      expect(child.stdout).toMatch(/^Usage: mcpctl COMMAND/);
      expect(child.stdout).toMatch(/^ {2}serve +\S/m);
      expect(child.stderr).toBe('');
    },
  );

  oneIn(2)([[['--version']], [['-v']]])('tells the version of its package for %j', async (args) => {
    const manifest: unknown = JSON.parse(
      readFileSync(path.join(root, 'packages/mcpctl/package.json'), 'utf8'),
    );
    await using child = Child.mcpctl(...args);
    expect(await child.ended).toMatchObject({ code: 0 });
    expect(manifest).toMatchObject({ version: child.stdout.trim() });
  });

  oneIn(3)([[['help', 'serve']], [['serve', '--help']], [['serve', '--port', '1', '-h']]])(
    'describes every option of serve for %j',
    async (args) => {
      await using child = Child.mcpctl(...args);
      expect(await child.ended).toMatchObject({ code: 0 });
      const described = [...child.stdout.matchAll(/^ +(?:-\w, )?--([\w-]+)/gm)].map(
        ([, name]) => name,
      );
      expect(described).toEqual([...Object.keys(serveOptions), 'help']);
      const groups = [...child.stdout.matchAll(/^(\S.*):$/gm)].map(([, title]) => title);
      expect(groups).toEqual([...Object.keys(serveGroups), 'Help', 'Examples']);
    },
  );
});

describe('wrong input', () => {
  oneIn(5)([
    [['serv'], /unknown command "serv"/, /Did you mean serve\?/],
    [['--port', '1'], /unknown option --port/, /after a command/],
    [['help', 'nothing'], /unknown command "nothing"/, /mcpctl --help/],
    [['serve', '--prot', '1'], /unknown option --prot/, /Did you mean --port\?/],
    [['serve', 'extra'], /unexpected argument "extra"/, /help serve/],
    [['serve', '--port'], /--port needs a value/, /help serve/],
    [['serve', '--port', '--quiet'], /--port needs a value/, /help serve/],
    [['serve', '--port', '-5'], /--port cannot be "-5"/, /0 to 65535/],
    [['serve', '--session-ttl-ms', '-5'], /--session-ttl-ms cannot be "-5"/, /from 0 to/],
    [['serve', '-5'], /unexpected value -5/, /--option=-5/],
    [['explain'], /unknown command "explain"/, /Did you mean config explain\?/],
    [['config', 'lint', 'a.json'], /unexpected argument/, /Name a file with --config a\.json/],
    [['serve', '--port', '1', '--port', '2'], /--port is given twice/, /help serve/],
    [['serve', '--quiet=yes'], /--quiet takes no value/, /help serve/],
    [['serve', '--port', 'http'], /--port cannot be "http"/, /0 to 65535/],
    [['serve', '--port', '65536'], /--port cannot be "65536"/, /0 to 65535/],
    [['serve', '--port=-1'], /--port cannot be "-1"/, /0 to 65535/],
    [['serve', '--host', 'localhost:80'], /--host cannot be/, /without a port/],
    [['serve', '--allowed-host', 'a.example:80'], /--allowed-host cannot be/, /without a port/],
    [['serve', '--path', 'mcp'], /--path cannot be "mcp"/, /Start it with "\/"/],
    [['serve', '--allowed-origin', 'example.com'], /--allowed-origin cannot be/, /https:\/\/host/],
    [['serve', '--profile', 'v3'], /--profile cannot be "v3"/, /spec, v2, 2025-06-18/],
    [['serve', '--log-level', 'all'], /--log-level cannot be "all"/, /debug, info/],
    [['serve', '--stdio', '--port', '1'], /--stdio and --port exclude each other/, /Leave out/],
    [['serve', '--stdio', '--json'], /--stdio and --json exclude each other/, /Leave out/],
    [['serve', '--stdio', '--unix', 'x'], /--stdio and --unix exclude each other/, /Leave out/],
    [['serve', '--unix', 'x', '--host', 'y'], /--unix and --host exclude each other/, /Leave out/],
    [['serve', '--quiet', '--json'], /--quiet and --json exclude each other/, /Leave out/],
    [['serve', '--host', '0.0.0.0'], /0\.0\.0\.0 can be reached from other machines/, /insecure/],
    [['serve', '--host', '::'], /:: can be reached from other machines/, /insecure/],
  ])('%j is refused as a usage error that says what to do', async (args, what, next) => {
    await using child = Child.mcpctl(...args);
    expect(await child.ended).toMatchObject({ code: 2 });
    // Standard output is for a client with --stdio, and for scripts that want a document.
    const isWanted = args.includes('--json') && !args.includes('--stdio');
    expect(child.stdout).toMatch(isWanted ? /^\{"error":.*\}\n$/ : /^$/);
    const [message = '', hint = '', ...more] = child.stderr.split('\n');
    expect(message).toMatch(/^mcpctl: /);
    expect(message).toMatch(what);
    expect(hint).toMatch(next);
    expect(more).toEqual(['']);
  });

  test('a port that is taken fails with one message and exit code 1', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    try {
      await once(taken, 'listening');
      const { port } = taken.address() as AddressInfo;
      await using child = Child.mcpctl('serve', '--port', String(port));
      expect(await child.ended).toMatchObject({ code: 1 });
      expect(child.stdout).toBe('');
      expect(child.stderr).toMatch(
        new RegExp(`^mcpctl: .*127\\.0\\.0\\.1:${port}.*\n.*another port.*\n$`),
      );
    } finally {
      taken.close();
    }
  });

  test.each(['no-such-host.invalid', '192.0.2.1'])(
    'a host that is not here, %s, is not said to be taken',
    async (host) => {
      await using child = Child.mcpctl('serve', '--host', host, '--insecure', '--port', '0');
      expect((await child.ended).code).toBeGreaterThan(0);
      expect(child.stderr).toMatch(/^mcpctl: cannot listen on /);
      expect(child.stderr).not.toMatch(/process that has it/);
      expect(child.stderr).not.toMatch(/^ +at /m);
    },
  );

  test.each([
    ['a file that is not a socket', () => path.join(folder, 'file'), /not a socket/],
    ['a folder that does not exist', () => path.join(folder, 'missing/x.sock'), /missing/],
    ['a path too long for a socket', () => path.join(folder, 'x'.repeat(200)), /long/],
  ])('--unix with %s fails with one message', async (_what, place, message) => {
    writeFileSync(path.join(folder, 'file'), 'precious');
    await using child = Child.mcpctl('serve', '--unix', place());
    expect((await child.ended).code).toBeGreaterThan(0);
    expect(child.stderr).toMatch(/^mcpctl: /);
    expect(child.stderr).toMatch(message);
    expect(child.stderr).not.toMatch(/^ +at |bug/m);
    expect(readFileSync(path.join(folder, 'file'), 'utf8')).toBe('precious');
  });

  test('a stack is shown to those who ask for it', async () => {
    await using child = Child.mcpctl('serve', '--host', '0.0.0.0', '--log-level', 'debug');
    expect(await child.ended).toMatchObject({ code: 2 });
    expect(child.stderr).toMatch(/^ +at /m);
  });
});

describe('mcpctl serve over HTTP', () => {
  test('prints the address, a configuration that names it, and a curl line that works as pasted', async () => {
    await using child = Child.mcpctl('serve', '--port', '0');
    await child.until(() => (child.stdout.includes('Ctrl-C') ? true : undefined));
    const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(child.stdout)?.[0];
    const config = /^\{\n[^]*?^\}$/m.exec(child.stdout)?.[0] ?? '';
    expect(JSON.parse(config)).toEqual({ mcpServers: { demo: { type: 'http', url } } });
    const curl = /^curl .*$/m.exec(child.stdout)?.[0] ?? '';
    const { code, stdout } = await shell(curl);
    expect(code).toBe(0);
    const answer: unknown = JSON.parse(stdout);
    expect(answer).toMatchObject({
      id: 1,
      result: { resultType: 'complete', structuredContent: { timeZone: 'UTC' } },
    });
    expect(child.stderr).toBe('');
  });

  test('says the same as one line of JSON', async () => {
    const { child, announced } = await startHttp('--path', '/tools/mcp');
    await using _ = child;
    expect(child.stdout.trim().split('\n')).toHaveLength(1);
    expect(announced).toMatchObject({
      transport: 'http',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[1-9]\d*\/tools\/mcp$/),
      config: { mcpServers: { demo: { type: 'http', url: announced.url } } },
    });
    const { stdout } = await shell(announced.try);
    expect(JSON.parse(stdout)).toMatchObject({
      result: { structuredContent: { timeZone: 'UTC' } },
    });
  });

  test('says nothing when asked to be quiet', async () => {
    const port = await lastingPort();
    await using child = Child.mcpctl('serve', '--quiet', '--port', String(port));
    const url = `http://127.0.0.1:${port}/mcp`;
    const answers = (): Promise<boolean> =>
      fetch(url).then(
        () => true,
        () => false,
      );
    // There is no sign of its start to wait for.
    for (let tries = 0; tries < 100 && !(await answers()); tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await startSession(url);
    expect(await child.stop('SIGTERM')).toMatchObject({ code: 0 });
    expect(child.stdout + child.stderr).toBe('');
  });

  test('warns when other machines can reach it, and prints an address to connect to', async () => {
    const { child, announced } = await startHttp('--host', '0.0.0.0', '--insecure');
    await using _ = child;
    expect(child.stderr).toMatch(/^mcpctl: warning: .*0\.0\.0\.0/);
    expect(announced.try).toMatch(/http:\/\/127\.0\.0\.1:/);
    const { stdout } = await shell(announced.try);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1 });
  });

  test('can be called at the address it was told to serve', async () => {
    const { child, announced } = await startHttp('--host', '127.0.0.5');
    await using _ = child;
    expect(announced.url).toMatch(/^http:\/\/127\.0\.0\.5:/);
    const { stdout } = await shell(announced.try);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: {} });
  });

  test('refuses foreign host names and origins unless they are allowed', async () => {
    const allowed = ['--allowed-host', 'tools.example', '--allowed-origin', 'https://app.example'];
    const { child, announced } = await startHttp(...allowed);
    await using _ = child;
    const status = async (header: string): Promise<string> => {
      const line = announced.try.replace(
        'curl -sS',
        `curl -sS -o /dev/null -w '%{http_code}' -H '${header}'`,
      );
      return (await shell(line)).stdout;
    };
    expect(await status('Host: tools.example')).toBe('200');
    expect(await status('Host: evil.example')).toBe('403');
    expect(await status('Origin: https://app.example')).toBe('200');
    expect(await status('Origin: https://evil.example')).toBe('403');
  });

  test('serves in the profile that was chosen: v2 answers with envelopes and describes itself', async () => {
    const { child, announced } = await startHttp('--profile', 'v2');
    await using _ = child;
    const described = await fetch(announced.url);
    expect(described.status).toBe(200);
    expect(await described.json()).toMatchObject({ name: 'mcpctl-samples' });
    const { stdout } = await shell(announced.try);
    expect(JSON.parse(stdout)).toMatchObject({
      result: {
        structuredContent: {
          success: true,
          data: { timeZone: 'UTC' },
          error: null,
          meta: { tool: 'get_time_now', traceId: expect.stringMatching(/^trc_/) },
        },
      },
    });
  });

  test('goes on serving when whoever read what it says has gone', async () => {
    await using child = Child.mcpctl('serve', '--port', '0');
    const url = await child.until(() => /http:\S+\/mcp(?=[\s\S]*Ctrl-C)/.exec(child.stdout)?.[0]);
    child.process.stdout.destroy();
    child.process.stderr.destroy();
    await startSession(url);
    expect(await child.stop('SIGTERM')).toMatchObject({ code: 0 });
  });
});
