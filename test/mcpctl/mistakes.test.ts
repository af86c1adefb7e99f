import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { requireBuild } from '../support/cli.ts';
import { closedPort } from '../support/lasting-port.ts';
import { fixture, mcpJson, Project, samples, trusting } from '../support/project.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

const crashing = [process.execPath, '-e', 'console.error("no such database"); process.exit(3)'];
const project = new Project({
  'mcp.json': mcpJson({
    demo: samples,
    odd: fixture('odd'),
    absent: ['no-such-program-anywhere'],
    crashing,
  }),
  'broken.json': '{ "version": 1, "servers": { ',
  'strange.json': { version: 1, servers: { demo: { transport: 'stdio', argv: 'npx' } } },
  'args.json': '{ text: 1 }',
  'ftp.json': { mcpServers: { odd: { url: 'ftp://files.example/mcp' } } },
});
const empty = new Project();

let guarded: Server | undefined;
let guardedUrl = '';
let closedUrl = '';

beforeAll(async () => {
  guarded = createServer((_request, response) => {
    response.writeHead(401, { 'WWW-Authenticate': 'Bearer realm="mcp"' }).end();
  }).listen(0, '127.0.0.1');
  await once(guarded, 'listening');
  guardedUrl = `http://127.0.0.1:${(guarded.address() as AddressInfo).port}/mcp`;
  closedUrl = `http://127.0.0.1:${closedPort}/mcp`;
});

afterAll(async () => {
  guarded?.closeAllConnections();
  guarded?.close();
  project[Symbol.dispose]();
  empty[Symbol.dispose]();
});

/** A mistake, and what must be said about it: what is wrong, and what to do next. */
interface Mistake {
  readonly what: string;
  readonly typed: () => readonly string[];
  readonly code: number;
  readonly wrong: RegExp;
  readonly next: RegExp;
  readonly where?: Project;
}

const trusted = (...args: readonly string[]) => [...trusting, ...args];

const mistakes: readonly Mistake[] = [
  {
    what: 'a command that is misspelt',
    typed: () => ['tolls'],
    code: 2,
    wrong: /unknown command "tolls"/,
    next: /Did you mean tools\?/,
  },
  {
    what: 'a command that is unheard of',
    typed: () => ['dance'],
    code: 2,
    wrong: /unknown command "dance"/,
    next: /mcpctl --help/,
  },
  {
    what: 'an option that is misspelt',
    typed: () => ['tools', 'demo', '--jsno'],
    code: 2,
    wrong: /unknown option --jsno/,
    next: /Did you mean --json\?/,
  },
  {
    what: 'a server that is misspelt',
    typed: () => trusted('tools', 'dmeo'),
    code: 2,
    wrong: /dmeo/,
    next: /Did you mean demo\?.*odd/,
  },
  {
    what: 'a server that is left out',
    typed: () => ['call'],
    code: 2,
    wrong: /SERVER is missing/,
    next: /mcpctl call SERVER \[TOOL\][^]*mcpctl servers/,
  },
  {
    what: 'a tool that is misspelt',
    typed: () => trusted('call', 'odd', 'ecko', 'text=x'),
    code: 2,
    wrong: /ecko/,
    next: /Did you mean echo\?/,
  },
  {
    what: 'an argument that is misspelt',
    typed: () => trusted('call', 'demo', 'find_text_matches', 'text=x', 'phrase=x', 'limmit=1'),
    code: 2,
    wrong: /limmit/,
    next: /limit\?: integer/,
  },
  {
    what: 'an argument of the wrong type',
    typed: () => trusted('call', 'odd', 'echo', 'text=x', 'times=many'),
    code: 2,
    wrong: /times/,
    next: /times\?: integer/,
  },
  {
    what: 'an argument that is missing',
    typed: () => trusted('call', 'odd', 'echo'),
    code: 2,
    wrong: /text/,
    next: /echo\(text: string, times\?: integer\)/,
  },
  {
    what: 'an argument without a name',
    typed: () => trusted('call', 'odd', 'echo', 'hello'),
    code: 2,
    wrong: /hello/,
    next: /NAME=VALUE|text=/i,
  },
  {
    what: 'a call with a bracket that is not closed',
    typed: () => trusted('call', 'odd.echo(text: "a"'),
    code: 2,
    wrong: /has no \) at its end/,
    next: /single quotes/,
  },
  {
    what: 'a call of a server where there are none',
    typed: () => ['call', 'odd.echo'],
    where: empty,
    code: 2,
    wrong: /no servers/,
    next: /mcpctl add/,
  },
  {
    what: 'an option without its value',
    typed: () => ['call', 'odd', 'echo', '--args'],
    code: 2,
    wrong: /--args needs a value/,
    next: /Write it as --args JSON/,
  },
  {
    what: 'JSON that is none, typed',
    typed: () => trusted('call', 'odd', 'echo', '--args', '{text: 1}'),
    code: 2,
    wrong: /--args/,
    next: /JSON/,
  },
  {
    what: 'JSON that is none, in a file',
    typed: () => trusted('call', 'odd', 'echo', '--args-file', 'args.json'),
    code: 2,
    wrong: /args\.json/,
    next: /JSON/,
  },
  {
    what: 'a server that is not trusted',
    typed: () => ['tools', 'demo'],
    code: 3,
    wrong: /untrusted.*demo/,
    next: /mcpctl trust approve demo/,
  },
  {
    what: '--trust alone',
    typed: () => ['tools', 'demo', '--trust'],
    code: 2,
    wrong: /--yes-trust/,
    next: /mcpctl trust approve/,
  },
  {
    what: 'a program that is not there',
    typed: () => trusted('tools', 'absent'),
    code: 4,
    wrong: /no-such-program-anywhere/,
    next: /install|PATH|path/,
  },
  {
    what: 'a program that crashes at its start',
    typed: () => trusted('tools', 'crashing'),
    code: 4,
    wrong: /no such database/,
    next: /run the command in a terminal/i,
  },
  {
    what: 'a port where nobody listens',
    typed: () => ['tools', '--url', closedUrl],
    code: 4,
    wrong: /127\.0\.0\.1/,
    next: /running|address|listen/,
  },
  {
    what: 'a server that wants credentials',
    typed: () => ['tools', '--url', guardedUrl],
    code: 3,
    wrong: /401|credentials|authori[sz]/i,
    next: /--header|Authorization/,
  },
  {
    what: 'a URL that is none',
    typed: () => ['tools', '--url', 'example.com/mcp'],
    code: 2,
    wrong: /--url/,
    next: /https:\/\/example\.com/,
  },
  {
    what: 'a URL in a file that no HTTP server is at',
    typed: () => ['tools', 'odd', '--config', 'ftp.json'],
    code: 2,
    wrong: /mcp server odd: url is not an http or https URL\n/,
    next: /Write it as https:/,
  },
  {
    what: 'a file that is no JSON',
    typed: () => ['servers', '--config', 'broken.json'],
    code: 1,
    wrong: /broken\.json/,
    next: /config lint|Correct|line \d|Check/,
  },
  {
    what: 'a file with a wrong field',
    typed: () => ['servers', '--config', 'strange.json'],
    code: 1,
    wrong: /strange\.json#\/servers\/demo\/argv/,
    next: /array|list|config lint|Correct/,
  },
  {
    what: 'a file that is not there',
    typed: () => ['servers', '--config', 'missing.json'],
    code: 1,
    wrong: /missing\.json/,
    next: /Check its name/,
  },
  {
    what: 'no file at all',
    typed: () => ['tools'],
    where: empty,
    code: 2,
    wrong: /no servers/,
    next: /Looked for \.mcp\.json, mcp\.json[^]*mcpctl add[^]*--url/,
  },
];

describe('says what is wrong and what to do next, without a stack:', () => {
  oneIn(3)(mistakes)('$what', async ({ typed, code, wrong, next, where = project }) => {
    const result = await where.run(...typed());
    const said = result.stderr.replaceAll(/^(WARNING|NOTE|  [A-Z]).*\n/gm, '');
    expect(said).toMatch(wrong);
    expect(said).toMatch(next);
    expect(said).not.toMatch(/^\s+at .*\d+:\d+\)?$/m);
    expect(said).not.toMatch(/This is a bug|undefined|\[object/);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
  });
});
