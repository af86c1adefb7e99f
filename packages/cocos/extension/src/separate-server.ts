import { type ChildProcess, execFile, spawn } from 'node:child_process';
import type { BridgeNews, BridgeRequest } from './bridge.ts';
import type { RunningServer } from './server.ts';

/** How long the process of the server may take to end by itself. */
const patienceMs = 3000;
const startMs = 30000;

/** The oldest Node that the server runs on. */
const oldestNode: readonly [number, number] = [20, 19];

/** Tells whether a version of Node, `v20.19.0`, is new enough for the server. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
}

/** Starts the server in a process of its own, with the Node that is installed on this machine. */
export async function startSeparately(file: string, project: string): Promise<RunningServer> {
  const node = await findNode();
  const child = spawn(node, [file, project], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const close = (): Promise<void> => end(child, ended);
  try {
    return { url: await urlOf(child, ended), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Where Node is installed by default: editors that are started with a click do not know the paths of a shell. */
const places = [
  'node',
  '/usr/local/bin/node',
  '/opt/homebrew/bin/node',
  '/usr/bin/node',
  'C:\\Program Files\\nodejs\\node.exe',
];

/** A Node of this machine that is new enough. */
async function findNode(): Promise<string> {
  const chosen = process.env['MCP_KIT_NODE'];
  const seen: string[] = [];
  for (const node of chosen ? [chosen] : places) {
    const version = await versionOf(node);
    if (isNewEnough(version)) return node;
    seen.push(`${node} is ${version || 'not there'}`);
  }
  throw new Error(
    `The server needs Node ${oldestNode.join('.')} or newer: ${seen.join(', ')}. ` +
      'Install Node from nodejs.org, or set MCP_KIT_NODE to its program, and start the editor again.',
  );
}

function versionOf(node: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(node, ['--version'], (error, output) => resolve(error ? '' : output.trim()));
  });
}

/** Answers what the server asks of the editor, from now on; gives its address once it has one. */
function urlOf(child: ChildProcess, ended: Promise<void>): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('The server did not start in time.')), startMs);
    const settle = (): void => clearTimeout(late);
    ended.then(
      () => {
        settle();
        reject(new Error('The server ended.'));
      },
      () => undefined,
    );
    child.on('message', (message: BridgeRequest | BridgeNews) => {
      if ('channel' in message) {
        answer(child, message);
        return;
      }
      settle();
      if ('url' in message) resolve(message.url);
      else reject(new Error(message.failure));
    });
  });
}

function answer(child: ChildProcess, { id, channel, method, args }: BridgeRequest): void {
  const send = (message: object): void => {
    if (child.connected) child.send(message);
  };
  Editor.Message.request(channel, method, ...args).then(
    (result) => send({ id, result }),
    (error: unknown) => send({ id, error: error instanceof Error ? error.message : String(error) }),
  );
}

async function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.connected) child.disconnect();
  const late = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await ended;
  clearTimeout(late);
}
