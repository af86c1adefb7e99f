// Command lines: how each lists the tools of a stdio server, as arguments of Node.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installCommandPeers, installPeers, peersFolder } from '../../scripts/peers.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const mcpctl = path.join(root, 'packages/mcpctl/dist/main.js');

/** The file of a peer's program, as its package names it. */
function programOf({ package: name, program, folder }) {
  const place = path.join(folder, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8'));
  return path.join(place, typeof bin === 'string' ? bin : bin[program]);
}

function versionOf({ package: name, folder }) {
  const manifest = path.join(folder, 'node_modules', name, 'package.json');
  return JSON.parse(readFileSync(manifest, 'utf8')).version.split('.').slice(0, 2).join('.');
}

/** A file that names the server, as most hosts write it. */
function writeConfig(server, folder) {
  const file = path.join(folder, 'mcp.json');
  if (!existsSync(file)) writeFileSync(file, JSON.stringify({ mcpServers: { bench: server } }));
  return file;
}

const commandPeers = path.join(peersFolder, 'commands');

/**
 * Each has `steps(server, folder, program)`: what is timed, one after the other; the last prints the tools. `before` and
 * `after` are not timed. The folder is empty at first, and the command's own.
 */
const commands = [
  { name: 'node', label: 'node -e 0', silent: true, steps: () => [['-e', '0']] },
  {
    name: 'floor',
    label: 'floor',
    steps: ({ command, args }) => [[path.join(root, 'bench/commands/floor.mjs'), command, ...args]],
  },
  {
    name: 'ours',
    label: 'ours',
    steps: ({ command, args }) => [[mcpctl, 'tools', '--json', '--', command, ...args]],
  },
  {
    name: 'ours',
    label: 'ours, server from mcp.json',
    steps: (server, folder) => [
      [mcpctl, 'tools', 'bench', '--json', '--quiet', '--trust', '--yes-trust'].concat(
        '--root',
        folder,
        '--config',
        writeConfig(server, folder),
      ),
    ],
  },
  {
    name: 'inspector',
    label: 'inspector',
    package: '@modelcontextprotocol/inspector',
    program: 'mcp-inspector',
    folder: peersFolder,
    steps: ({ command, args }, _, program) => [
      [program, '--cli', command, ...args, '--method', 'tools/list'],
    ],
  },
  {
    name: 'mcporter',
    label: 'mcporter',
    package: 'mcporter',
    program: 'mcporter',
    folder: commandPeers,
    steps: ({ command, args }, _, program) => [
      [program, 'list', '--stdio', command].concat(
        args.flatMap((arg) => ['--stdio-arg', arg]),
        ['--name', 'bench', '--json', '--schema'],
      ),
    ],
  },
  ...['from scratch', 'in an open session'].map((variant) => {
    const connect = (server, folder, program) => [
      [program, 'connect', `${writeConfig(server, folder)}:bench`, '@bench'],
    ];
    const list = (program) => [[program, '@bench', 'tools-list', '--json']];
    return {
      name: 'mcpc',
      label: 'mcpc',
      variant,
      package: '@apify/mcpc',
      program: 'mcpc',
      folder: commandPeers,
      env: (folder) => ({ MCPC_HOME_DIR: path.join(folder, 'home') }),
      ...(variant === 'from scratch'
        ? { steps: (...given) => [...connect(...given), ...list(given[2])] }
        : { before: connect, steps: (_server, _folder, program) => list(program) }),
      after: (_server, _folder, program) => [[program, 'close', '@bench']],
    };
  }),
];

/** The names that `--only` may choose. */
export const commandNames = [...new Set(commands.map(({ name }) => name))];

/** Gives the commands that are wanted, each ready to run; `node` and the floor are always among them. */
export async function loadCommands({ only }) {
  const wanted = only?.split(',') ?? commandNames;
  const always = ['node', 'floor'];
  const chosen = commands.filter(({ name }) => always.includes(name) || wanted.includes(name));
  const folders = chosen.map(({ folder }) => folder);
  if (folders.includes(peersFolder)) await installPeers();
  if (folders.includes(commandPeers)) await installCommandPeers();
  return chosen.map((command) => {
    if (command.package === undefined) return { ...command, peer: false };
    const label = [`${command.label} ${versionOf(command)}`, command.variant];
    return {
      ...command,
      peer: true,
      label: label.filter(Boolean).join(', '),
      path: programOf(command),
    };
  });
}
