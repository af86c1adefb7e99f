import { spawn } from 'node:child_process';

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a command and resolves to { code, output }; output is collected only with `quiet`.
 * A signal goes to the child, and this process ends when the child has ended.
 */
export function run(command, args, { quiet = false, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit';
    const child = spawn(command, args, { stdio, ...options });
    let output = '';
    let received;
    const forward = (signal) => {
      received = signal;
      // A terminal sends Ctrl-C to the whole group: the child has it already.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    };
    for (const signal of forwarded) process.on(signal, forward);
    for (const stream of quiet ? [child.stdout, child.stderr] : []) {
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    }
    const finish = () => {
      for (const signal of forwarded) process.off(signal, forward);
    };
    child.once('error', (error) => {
      finish();
      reject(error);
    });
    child.once('close', (code, signal) => {
      finish();
      if (received) process.exit(received === 'SIGINT' ? 130 : 143);
      resolve({ code: code ?? (signal ? 1 : 0), output });
    });
  });
}

/** Runs npm: the one that started this script where there is one. */
export function npm(args, options) {
  const cli = process.env.npm_execpath;
  return cli?.endsWith('npm-cli.js')
    ? run(process.execPath, [cli, ...args], options)
    : run('npm', args, { shell: process.platform === 'win32', ...options });
}
