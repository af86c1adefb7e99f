// mcporter as a gateway, all in one family of processes: the daemon that keeps the servers, and what serves them over HTTP:
// node mcporter.mjs PROGRAM CONFIG PORT
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , program, config, port] = process.argv;

const start = (...args) =>
  spawn(process.execPath, [program, '--config', config, ...args], { stdio: 'ignore' });

/** Whether the daemon listens: otherwise what serves would start another one, which nobody would count. */
function isThere() {
  try {
    return readdirSync(path.join(os.homedir(), '.mcporter/daemon')).some((name) =>
      name.endsWith('.sock'),
    );
  } catch {
    return false; // it has not made its folder yet
  }
}

const children = [start('daemon', 'start', '--foreground')];
process.once('SIGTERM', () => {
  for (const child of children) child.kill('SIGTERM');
  process.exit(0);
});
while (!isThere()) await sleep(100);
children.push(start('serve', '--http', port));
