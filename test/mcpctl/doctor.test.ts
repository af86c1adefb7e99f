import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { echo, writePlainServer, writeTools } from '../security/plain-server.ts';
import { serveSamples } from '../support/cli.ts';
import { Project, samples, trusting } from '../support/project.ts';

const served = serveSamples();

interface Rung {
  readonly name: string;
  readonly state: string;
  readonly said: string;
  readonly more?: readonly string[];
  readonly fix?: string;
}

/** Examines, and tells how each rung is. */
async function examine(
  project: Project,
  ...args: readonly string[]
): Promise<{
  readonly code: number | null;
  readonly states: string;
  readonly rung: (name: string) => Rung;
}> {
  const { code, stdout } = await project.run('doctor', '--json', '--quiet', ...args);
  const { rungs } = JSON.parse(stdout) as { readonly rungs: readonly Rung[] };
  return {
    code,
    states: rungs.map(({ name, state }) => `${name} ${state}`).join(', '),
    rung: (name) => {
      const found = rungs.find((one) => one.name === name);
      if (found === undefined) throw new Error(`no rung ${name} in ${stdout}`);
      return found;
    },
  };
}

const ofMcpJson = (servers: Readonly<Record<string, unknown>>): Project =>
  new Project({ '.mcp.json': { mcpServers: servers } });

describe('a program', () => {
  test('that works is followed from its file to its tools', async () => {
    using project = ofMcpJson({ sample: { command: samples[0], args: samples.slice(1) } });
    const { code, states, rung } = await examine(project, 'sample', ...trusting);
    expect(states).toBe('config ok, trust ok, program ok, start ok, version ok, tools ok');
    expect(code).toBe(0);
    expect(rung('version').said).toMatch(/revision 2026-07-28 \(modern\)/);
    expect(rung('tools').said).toBe('5 tools');
  });

  test('may be typed, and a tool with a slip of the pen', async () => {
    using project = new Project();
    const typo = ['--call', 'get_tim_now'];
    const { code, states, rung } = await examine(project, ...typo, '--', ...samples);
    expect(states).toMatch(/^config ok, trust ok, .*tools ok, call failed$/);
    expect(rung('config').said).toBe('named on the command line');
    expect(rung('call').said).toMatch(/has no tool get_tim_now$/);
    expect(rung('call').fix).toMatch(/^Did you mean get_time_now\? See: mcpctl tools -- /);
    expect(code).toBe(1);
  });

  test('that is not there fails at the program, with what to do', async () => {
    using project = ofMcpJson({ gone: { command: 'no-such-program-x' } });
    const { code, states, rung } = await examine(project, 'gone', ...trusting);
    expect(code).toBe(1);
    expect(states).toBe(
      'config ok, trust ok, program failed, start skipped, version skipped, tools skipped',
    );
    expect(rung('program').fix).toMatch(/Install no-such-program-x/);
  });

  test('that ends at once fails at the start, with its last words', async () => {
    using project = ofMcpJson({
      crash: { command: 'sh', args: ['-c', 'echo no key >&2; exit 3'] },
    });
    const { code, states, rung } = await examine(project, 'crash', ...trusting);
    expect(code).toBe(1);
    expect(states).toMatch(/program ok, start failed, version skipped, tools skipped$/);
    expect(rung('start').said).toMatch(/exit code 3/);
    expect(rung('start').more).toContain('no key');
  });

  test('that does not answer fails at the version, and what it said is shown', async () => {
    using project = ofMcpJson({
      mute: { command: 'sh', args: ['-c', 'echo waiting >&2; sleep 60'] },
    });
    const { states, rung } = await examine(project, 'mute', '--timeout-ms', '1500', ...trusting);
    expect(states).toMatch(/start ok, version failed, tools skipped$/);
    expect(rung('start').more).toContain('stderr: waiting');
    expect(rung('version').fix).toMatch(/--timeout-ms/);
  });

  test('that is not approved is not started', async () => {
    using project = ofMcpJson({ sample: { command: samples[0], args: samples.slice(1) } });
    const { code, states, rung } = await examine(project, 'sample');
    expect(code).toBe(1);
    expect(states).toMatch(/^config ok, trust failed, program skipped, start skipped/);
    expect(rung('trust').fix).toMatch(/mcpctl trust approve sample/);
  });

  test('whose tool has changed since it was approved gets a warning', async () => {
    using project = ofMcpJson({ plain: { command: './server' } });
    const tools = path.join(project.folder, 'tools.json');
    writePlainServer(path.join(project.folder, 'server'), tools);
    writeTools(tools, [echo]);
    await project.run('trust', 'approve', 'plain', '--yes');
    const broken = {
      ...echo,
      name: 'broken',
      inputSchema: { type: 'object', properties: { a: 5 } },
    };
    writeTools(tools, [{ ...echo, description: 'Something else.' }, broken]);
    const { code, rung } = await examine(project, 'plain');
    expect(code).toBe(0);
    expect(rung('tools')).toMatchObject({ state: 'warning', said: '1 tool' });
    expect(rung('tools').more?.join('\n')).toMatch(
      /^echo is withheld: .*\nbroken: .*\nnot seen .*broken$/,
    );
    expect(rung('tools').fix).toMatch(/mcpctl trust diff plain/);
  });
});

describe('the configuration', () => {
  test('is shown with the entry that cannot be used', async () => {
    using project = ofMcpJson({ bad: { type: 'http' } });
    const { code, states, rung } = await examine(project, 'bad');
    expect(code).toBe(1);
    expect(states).toBe('config failed');
    expect(rung('config').said).toMatch(/\.mcp\.json#\/mcpServers\/bad/);
    expect(rung('config').fix).toMatch(/mcpctl config lint/);
  });

  test('fails where a variable is missing, and names it', async () => {
    using project = ofMcpJson({ needs: { command: 'node', env: { KEY: '${NOT_SET_HERE}' } } });
    const { states, rung } = await examine(project, 'needs', ...trusting);
    expect(states).toMatch(/^config failed, trust skipped/);
    expect(rung('config').fix).toMatch(/Set NOT_SET_HERE/);
  });

  test('fails where a variable makes something else of a URL, and does not tell its value', async () => {
    const far = { type: 'http', url: '${PLACE}/mcp' };
    using project = new Project({ '.mcp.json': { mcpServers: { far } } }, { PLACE: 'canary-4c1e' });
    const { code, states, rung } = await examine(project, 'far', ...trusting);
    expect(code).toBe(1);
    expect(states).toMatch(/^config failed/);
    expect(JSON.stringify(rung('config'))).toMatch(/not the URL of an HTTP server/);
    expect(JSON.stringify(rung('config'))).not.toContain('canary-4c1e');
  });

  test('fails for a server that is switched off', async () => {
    using project = new Project({
      '.roo/mcp.json': { mcpServers: { off: { command: 'node', disabled: true } } },
    });
    expect((await examine(project, 'off')).rung('config').fix).toMatch(/switched off/);
  });

  test('is part of the check of all servers, where an entry cannot be used', async () => {
    using project = ofMcpJson({ bad: {}, gone: { command: 'no-such-program-anywhere' } });
    const { code, stdout } = await project.run('servers', '--check', '--json', ...trusting);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      servers: [{ server: 'gone', state: 'failed' }],
      errors: [
        {
          code: 'invalid_config',
          message: expect.stringMatching(/bad: needs a command or a URL$/),
        },
      ],
    });
  });

  test('a name that is nowhere is a mistake', async () => {
    using project = ofMcpJson({ sample: { command: 'node' } });
    const { code, stderr } = await project.run('doctor', 'sampel');
    expect(code).toBe(2);
    expect(stderr).toMatch(/Did you mean sample\?/);
  });
});

async function listen(
  handle: RequestListener,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a URL', () => {
  test('that works is followed from its name to its tools', async () => {
    using project = new Project();
    const { code, states, rung } = await examine(project, '--url', served());
    expect(states).toBe(
      'config ok, trust ok, dns ok, tcp ok, http ok, auth ok, version ok, tools ok',
    );
    expect(code).toBe(0);
    expect(rung('version').said).toMatch(/2026-07-28/);
    const old = await examine(project, '--url', served(), '--era', 'legacy');
    expect(old.rung('version').said).toMatch(/2025-11-25 \(legacy\)/);
  });

  test('that wants credentials and does not say which fails there: no issuer is made up', async () => {
    await using server = await listen((_, response) => {
      response.writeHead(401, { 'www-authenticate': 'Bearer realm="x"' }).end();
    });
    using project = new Project();
    const { code, states, rung } = await examine(project, '--url', server.url);
    expect(code).toBe(1);
    expect(states).toMatch(
      /http ok, auth ok, resource ok, issuer failed, version skipped, tools skipped$/,
    );
    expect(rung('issuer').fix).toMatch(/--header 'Authorization: .*mcpctl login --url http/);
  });

  test('gets the headers that were typed, and they are not printed', async () => {
    const seen: (string | undefined)[] = [];
    await using server = await listen((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(403).end();
    });
    using project = new Project();
    const typed = ['--url', server.url, '--header', 'Authorization: Bearer canary-77'];
    const { stdout, stderr } = await project.run('doctor', ...typed);
    expect(seen[0]).toBe('Bearer canary-77');
    expect(stdout + stderr).not.toContain('canary-77');
    expect(stdout).toMatch(/FAILED +auth +these credentials do not suffice/);
  });

  test('of a file that is not approved is not connected to where the policy forbids it', async () => {
    let connections = 0;
    const canary = net.createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    canary.listen(0, '127.0.0.1');
    await once(canary, 'listening');
    const { port } = canary.address() as AddressInfo;
    try {
      using project = ofMcpJson({ here: { type: 'http', url: `https://localhost:${port}/mcp` } });
      const { code, states } = await examine(project, 'here');
      expect(code).toBe(1);
      expect(states).toMatch(/^config ok, trust failed, dns skipped/);
      expect(connections).toBe(0);
      const allowed = await examine(project, 'here', '--allow-localhost');
      expect(allowed.states).toMatch(/trust ok, dns ok, tcp ok, tls failed/);
      expect(connections).toBeGreaterThan(0);
    } finally {
      await new Promise((resolve) => canary.close(resolve));
    }
  });
});

test('for people each rung is a line, with the fix below', async () => {
  using project = ofMcpJson({ gone: { command: 'no-such-program-x' } });
  const { stdout, stderr } = await project.run('doctor', 'gone', ...trusting);
  expect(stdout).toMatch(/^ok +config +\S+\.mcp\.json#\/mcpServers\/gone/m);
  expect(stdout).toMatch(/^FAILED +program +no-such-program-x is not on the PATH\n +→ Install/m);
  expect(stdout).toMatch(/^skipped +tools +program failed$/m);
  expect(stderr).toMatch(/it does not work · \d+ ms/);
});
