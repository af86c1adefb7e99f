// mcpctl, as somebody at a terminal uses it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { root } from '../../scripts/prepare.mjs';

const program = path.join(root, 'packages/mcpctl/dist/main.js');

/** What goes before and after the words of a command to say which server is meant. */
function targetWords({ url, command, args, env = {}, cwd }) {
  if (url) return { options: ['--url', url], rest: [] };
  const given = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  return { options: [...given, '--cwd', cwd], rest: ['--', command, ...args] };
}

/** Runs mcpctl until it ends; gives what it printed. */
export async function mcpctl(words, place, { openMs }) {
  const { options, rest } = targetWords(place);
  const args = [program, ...words, '--json', '--timeout-ms', String(openMs), ...options, ...rest];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), 3 * openMs);
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  clearTimeout(timer);
  return { code: code ?? signal, stdout, stderr: stderr.slice(-2000), json: parsed(stdout) };
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The command line of a bridge that speaks on its standard input and output. */
export function bridgeCommand(place) {
  const { options, rest } = targetWords(place);
  return { command: process.execPath, args: [program, 'bridge', ...options, ...rest] };
}

/** Starts a bridge that serves a place over HTTP; resolves when it listens. */
export async function startBridge(place) {
  const { options, rest } = targetWords(place);
  const args = [program, 'bridge', '--http', '0', ...options, ...rest];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const url = await new Promise((resolve, reject) => {
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        said = `${said}${line}\n`.slice(-4000);
        const [found] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(line) ?? [];
        if (found) resolve(found);
      });
    }
    child.once('close', (code) => reject(new Error(`the bridge ended with ${code}: ${said}`)));
  });
  return {
    url,
    /** Tells it to end, and gives the code it ends with. */
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'close');
      }
      return child.exitCode ?? child.signalCode;
    },
  };
}
