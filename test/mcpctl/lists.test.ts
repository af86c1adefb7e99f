import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';
import { fixture, mcpJson, Project, trusting } from '../support/project.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

const project = new Project({ 'mcp.json': mcpJson({ odd: fixture('odd') }) });
afterAll(() => project[Symbol.dispose]());

describe('mcpctl servers', () => {
  test('succeeds without any configuration', async () => {
    using empty = new Project();
    const { code, stdout } = await empty.run('servers', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      config_path: null,
      client: { protocol_version: null, capabilities: null },
      servers: [],
    });
  });

  test('prints names of variables and headers, never values, whatever the transport', async () => {
    using other = new Project({
      '.mcp.json': {
        version: 1,
        client: { protocol_version: '2025-06-18', capabilities: {} },
        servers: {
          web: {
            transport: 'streamable_http',
            url: 'https://user:hunter2@example.com/mcp?key=hunter2#hunter2',
            http_headers: { 'X-Client': 'hunter2' },
            bearer_token_env_var: 'TOKEN',
            env_http_headers: { 'X-Api-Key': 'API_KEY' },
          },
          split: {
            transport: 'streamable_http',
            sse_url: 'https://a.example/sse?hunter2',
            http_url: 'https://a.example/post?hunter2',
          },
          sock: { transport: 'unix', unix_path: '/tmp/mcp.sock' },
          local: {
            transport: 'stdio',
            argv: ['bin', '--stdio'],
            inherit_env: true,
            env: { KEY: 'hunter2' },
            stdout_log: { path: './x.log', max_bytes_per_part: 10, max_parts: 2 },
          },
        },
      },
    });
    const { code, stdout, stderr } = await other.run('list-servers', '--json');
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain('hunter2');
    const file = path.join(other.folder, '.mcp.json');
    const common = {
      argv_program: null,
      argv_argc: 0,
      inherit_env: false,
      unix_path: null,
      url: null,
      sse_url: null,
      http_url: null,
      bearer_token_env_var: null,
      env_keys: [],
      http_header_keys: [],
      env_http_header_keys: [],
      stdout_log: null,
      state: 'idle',
      trust: 'untrusted',
      enabled: true,
      shadows: [],
    };
    const from = (name: string): object => ({
      provenance: { file, pointer: `/servers/${name}`, dialect: 'mcp-kit', scope: 'project' },
    });
    expect(JSON.parse(stdout)).toEqual({
      config_path: file,
      client: { protocol_version: '2025-06-18', capabilities: {} },
      servers: [
        {
          ...common,
          ...from('local'),
          name: 'local',
          transport: 'stdio',
          target: 'bin',
          argv_program: 'bin',
          argv_argc: 2,
          inherit_env: true,
          env_keys: ['KEY'],
          stdout_log: { path: './x.log', max_bytes_per_part: 10, max_parts: 2 },
        },
        {
          ...common,
          ...from('sock'),
          name: 'sock',
          transport: 'unix',
          target: '/tmp/mcp.sock',
          unix_path: '/tmp/mcp.sock',
        },
        {
          ...common,
          ...from('split'),
          name: 'split',
          transport: 'streamable_http',
          target: 'https://a.example/post',
          sse_url: 'https://a.example/sse',
          http_url: 'https://a.example/post',
        },
        {
          ...common,
          ...from('web'),
          name: 'web',
          transport: 'streamable_http',
          target: 'https://example.com/mcp',
          url: 'https://example.com/mcp',
          bearer_token_env_var: 'TOKEN',
          http_header_keys: ['X-Client'],
          env_http_header_keys: ['X-Api-Key'],
        },
      ],
    });
    const shown = await other.run('servers');
    expect(shown.stdout).toMatch(
      /^web +http +untrusted +https:\/\/example\.com\/mcp +\.mcp\.json$/m,
    );
    expect(shown.stderr).toMatch(/mcpctl trust approve NAME/);
    expect(shown.stderr).toMatch(/^4 servers · \d+ ms$/m);
    expect(shown.stdout + shown.stderr).not.toContain('hunter2');
  });

  test('shows servers that are switched off, and what shadows what', async () => {
    using other = new Project({
      'mcp.json': mcpJson({ a: ['x'] }),
      '.cursor/mcp.json': { mcpServers: { a: { command: 'y' } } },
      '.vscode/mcp.json': { servers: { off: { type: 'stdio', command: 'z', disabled: true } } },
    });
    const { stdout } = await other.run('servers', '--json');
    const { servers } = JSON.parse(stdout) as { servers: readonly Record<string, unknown>[] };
    expect(servers.find(({ name }) => name === 'a')).toMatchObject({
      argv_program: 'x',
      shadows: [{ file: path.join(other.folder, '.cursor/mcp.json'), pointer: '/mcpServers/a' }],
    });
  });

  test('says what is wrong with a file, and ends with exit code 1', async () => {
    using other = new Project({ 'mcp.json': '{ "version": 1, "servers": { "a": { "bad": 1 } } }' });
    const { code, stderr } = await other.run('servers');
    expect(code).toBe(1);
    expect(stderr).toMatch(/mcp\.json#\/servers\/a/);
    const named = await other.run('servers', '--config', 'mcp.json', '--json');
    expect(named.code).toBe(1);
    expect(JSON.parse(named.stdout)).toMatchObject({ error: { code: 'invalid_config' } });
  });
});

describe('mcpctl tools', () => {
  test('shows names, what they take, and the first line about them, sorted, of all pages', async () => {
    const { code, stdout, stderr } = await project.run('tools', 'odd', ...trusting);
    expect(code).toBe(0);
    expect(stdout).toContain(
      'echo(text: string, times?: integer)\n    Says it again.\nenvironment()\n',
    );
    expect(stdout).not.toContain('second line');
    expect(stdout).toContain('counts?: array');
    expect(stdout).toContain('nothing?: string | null');
    expect(stderr).toMatch(/^11 tools · \d+ ms$/m);
    const titles = stdout.split('\n').filter((line) => /^\w+\(/.test(line));
    expect(titles).toHaveLength(11);
    expect(titles).toEqual(titles.toSorted());
  });

  test('lets no server drive the terminal', async () => {
    const { stdout } = await project.run('tools', 'odd', ...trusting);
    expect(stdout).toContain('\\u001b[2J');
    for (const driving of ['\u0007', '\u001B', '\u202E']) expect(stdout).not.toContain(driving);
  });

  test('is also called list-tools, and prints the tools as the server gives them with --json', async () => {
    const { stdout } = await project.run('list-tools', 'odd', '--json', ...trusting);
    const listed = JSON.parse(stdout) as { tools: readonly { name: string }[] };
    expect(listed).toMatchObject({ server: 'odd', withheld: [], denied: [], fresh: [] });
    expect(listed.tools.find(({ name }) => name === 'echo')).toMatchObject({
      description: 'Says it again.\nAnd has a second line.',
      inputSchema: { required: ['text'] },
    });
  });

  test('shows the schema of one tool, or of all with --verbose', async () => {
    const one = await project.run('tools', 'odd', 'echo', ...trusting);
    expect(one.stdout).toMatch(/^echo\(text: string, times\?: integer\)\n/);
    expect(one.stdout).toContain('And has a second line.');
    expect(one.stdout).toContain('"minimum": 1');
    expect(one.stdout).not.toContain('show_arguments');
    const all = await project.run('tools', 'odd', '--verbose', ...trusting);
    expect(all.stdout).toContain('"minimum": 1');
    expect(all.stdout).toContain('show_arguments(');
    const none = await project.run('tools', 'odd', 'ech', ...trusting, '--quiet');
    expect(none).toMatchObject({ code: 2, stderr: expect.stringMatching(/Did you mean echo\?/) });
  });

  test('without a server asks all at once, and is a success if one has answered', async () => {
    using other = new Project({
      'mcp.json': mcpJson({
        good: fixture('odd'),
        missing: ['/no/such/program'],
        broken: [process.execPath, '-e', 'console.error("cannot start"); process.exit(3)'],
      }),
    });
    const { code, stdout, stderr } = await other.run('tools', ...trusting);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^good:\n/m);
    expect(stderr).toMatch(/^mcpctl: broken: .*exit code 3[\s\S]*cannot start/m);
    expect(stderr).toMatch(/^mcpctl: missing: .*ENOENT/m);
    expect(stderr).toMatch(/^11 tools of 1 server, 2 failed · \d+ ms$/m);
    const json = await other.run('tools', '--json', '--quiet', ...trusting);
    expect(JSON.parse(json.stdout)).toMatchObject({
      servers: [
        { server: 'broken', error: { code: 'process_failed' } },
        { server: 'good', tools: expect.any(Array) },
        { server: 'missing', error: { code: 'process_failed' } },
      ],
    });
  });

  test('without a server fails if none has answered', async () => {
    using other = new Project({ 'mcp.json': mcpJson({ a: ['/no/such/program'] }) });
    expect(await other.run('tools', ...trusting)).toMatchObject({ code: 4 });
    expect(await other.run('tools')).toMatchObject({ code: 3 });
  });

  test('leaves out what the configuration denies, and says so', async () => {
    using other = new Project({
      '.gemini/settings.json': {
        mcpServers: {
          odd: {
            command: process.execPath,
            args: fixture('odd').slice(1),
            excludeTools: ['crash', 'hang'],
          },
        },
      },
    });
    const { stdout, stderr } = await other.run('tools', 'odd', ...trusting);
    expect(stdout).not.toMatch(/^crash\(/m);
    expect(stderr).toMatch(/odd: kept out by the configuration: hang, crash/);
    const called = await other.run('call', 'odd', 'crash', ...trusting);
    expect(called).toMatchObject({ code: 3, stderr: expect.stringMatching(/keeps crash out/) });
  });

  const everything = path.join(
    root,
    'peers/node_modules/@modelcontextprotocol/server-everything/dist/index.js',
  );
  test.skipIf(!existsSync(everything))('works with server-everything', async () => {
    using other = new Project();
    const command = ['--', process.execPath, everything];
    const { code, stdout } = await other.run('tools', '--json', ...command);
    expect(code).toBe(0);
    expect(stdout).toContain('"echo"');
    const echoed = await other.run('call', 'echo', 'message=hello', ...command);
    expect(echoed).toMatchObject({ code: 0, stdout: expect.stringMatching(/hello/) });
  });
});

describe('resources and prompts', () => {
  test('mcpctl resources lists them, also from a server that knows no templates', async () => {
    const { code, stdout, stderr } = await project.run('resources', 'odd', ...trusting);
    expect(code).toBe(0);
    expect(stdout).toContain('odd://text\n    text (text/plain, 5 bytes)\n');
    expect(stderr).toMatch(/^2 resources, 0 templates · /m);
    const json = await project.run('list-resources', 'odd', '--json', ...trusting);
    expect(JSON.parse(json.stdout)).toMatchObject({
      resources: [{ uri: 'odd://text' }, { uri: 'odd://bytes' }],
      resourceTemplates: [],
    });
  });

  test('mcpctl read prints text as it is', async () => {
    const { code, stdout } = await project.run('read', 'odd', 'odd://text', ...trusting);
    expect(code).toBe(0);
    expect(stdout).toBe('hello');
  });

  test('mcpctl read writes bytes to a file, into a folder or into a pipe', async () => {
    const bytes = Buffer.from([0, 1, 255]);
    await project.run('read', 'odd', 'odd://bytes', '--output', 'b.bin', ...trusting);
    expect(project.read('b.bin')).toEqual(bytes);
    project.write('folder/other', '');
    await project.run('read', 'odd', 'odd://bytes', '--output', 'folder', ...trusting);
    expect(project.read('folder/bytes.bin')).toEqual(bytes);
    await using child = project.start('read', 'odd', 'odd://bytes', ...trusting);
    child.process.stdout.setEncoding('latin1');
    await child.ended;
    expect(Buffer.from(child.stdout, 'latin1')).toEqual(bytes);
    const json = await project.run('read', 'odd', 'odd://bytes', '--json', ...trusting);
    expect(JSON.parse(json.stdout)).toMatchObject({ contents: [{ blob: 'AAH/' }] });
  });

  test('mcpctl prompts lists them, and mcpctl prompt fills one in', async () => {
    const list = await project.run('prompts', 'odd', ...trusting);
    expect(list.stdout).toBe('ask(topic, tone?)\n    Asks.\n');
    const json = await project.run('list-prompts', 'odd', '--json', ...trusting);
    expect(JSON.parse(json.stdout)).toMatchObject({ prompts: [{ name: 'ask' }] });
    const filled = await project.run('prompt', 'odd', 'ask', 'topic=cats', ...trusting);
    expect(filled.stdout).toBe('user:\nAbout cats\n');
    const raw = await project.run('prompt', 'odd', 'ask', 'topic=cats', '--json', ...trusting);
    expect(JSON.parse(raw.stdout)).toMatchObject({ messages: [{ role: 'user' }] });
  });

  oneIn(4)([
    [['ask'], /ask: topic is missing/],
    [['ask', 'topik=x'], /no argument topik; did you mean topic\?/],
    [['ask', 'cats'], /"cats" is not an argument/],
    [['asc'], /has no prompt asc\nDid you mean ask\?/],
  ])('mcpctl prompt with %j is a usage error', async (args, message) => {
    const { code, stderr } = await project.run('prompt', 'odd', ...args, '--quiet', ...trusting);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe('request, notify and ping', () => {
  test('request sends any method, and prints the result', async () => {
    const params = ['--params', '{"uri":"odd://text"}'];
    const { code, stdout } = await project.run(
      'request',
      'odd',
      'resources/read',
      ...params,
      '--json',
      ...trusting,
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ contents: [{ uri: 'odd://text', text: 'hello' }] });
    const old = await project.run(
      'request',
      'odd',
      'resources/read',
      '--params-json',
      '{"uri":"x"}',
      ...trusting,
    );
    expect(old.stdout).toMatch(/^\{\n {2}"contents"/);
    const piped = await project.runWith(
      '{"uri":"odd://text"}',
      'request',
      'odd',
      'resources/read',
      '--params',
      '-',
      '--json',
      ...trusting,
    );
    expect(piped.stdout).toBe(stdout);
  });

  test('request shows what the server refused, with exit code 1', async () => {
    const { code, stderr, stdout } = await project.run(
      'request',
      'odd',
      'no/such',
      '--json',
      ...trusting,
      '--quiet',
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/the server refused: Method not found: no\/such \(-32601\)\n.*--trace/);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: -32601 } });
  });

  test('notify says that it is sent', async () => {
    const { code, stdout } = await project.run(
      'notify',
      'odd',
      'notifications/x',
      '--params-json',
      '{"a":1}',
      ...trusting,
    );
    expect(code).toBe(0);
    expect(stdout).toBe('{"ok":true}\n');
  });

  test('ping tells how long it takes to connect and to answer', async () => {
    const { code, stdout } = await project.run('ping', 'odd', '--count', '2', ...trusting);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^odd \(odd 1\.2\.3\): connected in \d+ ms, speaks 2025-06-18\n(answered in [\d.]+ ms\n){2}$/,
    );
    const json = await project.run('ping', 'odd', '--count', '3', '--json', ...trusting);
    const told = JSON.parse(json.stdout) as { pingMs: readonly number[] };
    expect(told).toMatchObject({ ok: true, serverInfo: { name: 'odd' } });
    expect(told.pingMs).toHaveLength(3);
    expect(await project.run('ping', 'odd', '--count', '0')).toMatchObject({ code: 2 });
  });
});
