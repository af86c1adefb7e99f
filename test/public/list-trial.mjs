// One server, listed by mcpctl and by the official clients in turn, each time by a process of its own: node list-trial.mjs
// '{"place":…,"rounds":…}' prints what each listed, and how long its process took. Meant to be run where nothing else is.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../../scripts/prepare.mjs';

const { place, rounds } = JSON.parse(process.argv[2]);
/** Ends what hangs, also where the machine is busy. */
const limitMs = 45_000;
const mcpctl = path.join(root, 'packages/mcpctl/dist/main.js');
const sdk = path.join(import.meta.dirname, 'sdk-list.mjs');
const { command, args, env, cwd } = place;
const given = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);

const lines = {
  mcpctl: [mcpctl, 'tools', '--json', '--quiet', ...given, '--cwd', cwd, '--', command, ...args],
  first: [sdk, 'first', JSON.stringify(place)],
  second: [sdk, 'second', JSON.stringify(place)],
};

/** Runs a command line to its end, as somebody who has never run it before. */
async function run(line) {
  const home = mkdtempSync(path.join(os.tmpdir(), 'public-lists-'));
  const began = performance.now();
  const child = spawn(process.execPath, line, {
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  clearTimeout(timer);
  const ms = performance.now() - began;
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  try {
    return { ms, tools: JSON.parse(stdout).tools };
  } catch {
    return { ms, failed: stderr.slice(-500) };
  }
}

const seen = Object.fromEntries(Object.keys(lines).map((name) => [name, []]));
// The first time pays for reading the files of the server from the disk. One that does not start here is not tried again.
const { tools } = await run(lines.first);
const wanted = tools === undefined ? 0 : rounds;
for (let round = 0; round < wanted; round += 1) {
  for (const [name, line] of Object.entries(lines)) seen[name].push(await run(line));
}
process.stdout.write(JSON.stringify(seen));
