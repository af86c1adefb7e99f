// Bridges: how each is told to serve a stdio server over HTTP, or a server at a URL over stdio, as arguments of Node.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installCommandPeers, installPeers, peersFolder } from '../../scripts/peers.mjs';
import { sessionEra, statelessEra } from './messages.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const floor = path.join(root, 'bench/bridges/floor.mjs');
/** The program as users run it. */
export const mcpctl = path.join(root, 'packages/mcpctl/dist/main.js');
/** The folder of programs that only benchmarks need. */
export const commandPeers = path.join(peersFolder, 'commands');
// Some would listen on every address of the machine.
const onLoopback = ['--import', path.join(root, 'test/interop/client-loopback.mjs')];
const shellWord = (word) => `'${word.replaceAll("'", `'\\''`)}'`;

/** What it costs to forward, and nothing else. */
export const floorBridge = {
  name: 'floor',
  label: 'floor bridge',
  eras: [sessionEra, statelessEra],
  http: ({ command, args }, port) => [floor, 'http', port, command, ...args],
  stdio: (url, _, era) => [floor, 'stdio', url, era],
};

/**
 * Each has `http(server, port, program)`, for HTTP in front, or `stdio(url, program, era)`, or both. A session is what all of
 * them can keep; those that know the modern era say so.
 */
const bridges = [
  floorBridge,
  {
    name: 'ours',
    label: 'ours',
    eras: [sessionEra, statelessEra],
    http: ({ command, args }, port) =>
      [mcpctl, 'bridge', '--quiet', '--http', `127.0.0.1:${port}`, '--', command].concat(args),
    stdio: (url) => [mcpctl, 'bridge', '--quiet', url],
  },
  {
    name: 'mcp-proxy',
    label: 'mcp-proxy',
    folder: peersFolder,
    http: ({ command, args }, port, program) =>
      [program, '--host', '127.0.0.1', '--port', port, '--server', 'stream', '--', command].concat(
        args,
      ),
  },
  {
    name: 'supergateway',
    label: 'supergateway',
    folder: peersFolder,
    http: ({ command, args }, port, program) =>
      [...onLoopback, program, '--stdio', [command, ...args].map(shellWord).join(' ')].concat(
        ['--outputTransport', 'streamableHttp', '--stateful'],
        ['--port', port, '--logLevel', 'none'],
      ),
    stdio: (url, program) => [program, '--streamableHttp', url, '--logLevel', 'none'],
  },
  {
    name: 'mcp-remote',
    label: 'mcp-remote',
    folder: commandPeers,
    env: (folder) => ({ MCP_REMOTE_CONFIG_DIR: folder }),
    stdio: (url, program) => [
      ...onLoopback,
      program,
      url,
      '--allow-http',
      '--transport',
      'http-only',
      '--silent',
    ],
  },
];

/** The names that `--only` may choose. */
export const bridgeNames = bridges.map(({ name }) => name);

function manifestOf({ name, folder }) {
  const place = path.join(folder, 'node_modules', name);
  const { bin, version } = JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8'));
  const program = path.join(place, typeof bin === 'string' ? bin : bin[name]);
  return { program, version: version.split('.').slice(0, 2).join('.') };
}

/** Gives the bridges that are wanted, each ready to run; the floor is always among them, and first. */
export const loadBridges = (options) => loadFronts(bridges, options);

/** The same for others that have HTTP or stdio in front. */
export async function loadFronts(all, { only }) {
  const wanted = only?.split(',') ?? all.map(({ name }) => name);
  const chosen = all.filter(({ name }) => name === 'floor' || wanted.includes(name));
  const folders = chosen.map(({ folder }) => folder);
  if (folders.includes(peersFolder)) await installPeers();
  if (folders.includes(commandPeers)) await installCommandPeers();
  return chosen.map((front) => {
    if (front.folder === undefined) return { ...front, peer: false };
    const { program, version } = manifestOf(front);
    const label = `${front.label} ${version}`;
    return { eras: [sessionEra], ...front, peer: true, label, program };
  });
}
