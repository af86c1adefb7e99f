// The processes of a run: each candidate's server or client in one of its own, ended by its own id.
import { fork, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = (file) => fileURLToPath(new URL(file, import.meta.url));
const running = new Set();

function track(child) {
  running.add(child);
  const forget = () => running.delete(child);
  child.once('exit', forget);
  child.once('error', forget);
  return child;
}

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

// Certificates that an environment adds are read at every start: time that would hide what is measured.
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
const env = { ...inherited, NODE_ENV: 'production' };

function startHost(name, role, params, { stdio, nodeArgs = [] }) {
  const options = { stdio, execArgv: nodeArgs, env };
  return track(fork(script('host.mjs'), [name, role, JSON.stringify(params)], options));
}

/** How a client starts a candidate's stdio server by itself. */
export const stdioCommand = (name, params = {}) => ({
  command: process.execPath,
  args: [script('host.mjs'), name, 'stdio', JSON.stringify(params)],
});

/** Starts Node with these arguments, to read what it prints. */
export const startCommand = (args, variables) =>
  track(
    spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...env, ...variables },
    }),
  );

/** The same, to talk to it over its pipes. */
export const startPiped = (args, variables) =>
  track(
    spawn(process.execPath, args, {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...env, ...variables },
    }),
  );

/** Starts the process of a candidate's client; it connects when asked to. */
export const startClient = (name, params, nodeArgs = []) =>
  track(
    fork(script('client-host.mjs'), [name, JSON.stringify(params)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: nodeArgs,
      env,
    }),
  );

/** Starts a candidate's stdio server; its pipes are the child's. */
export const startStdioServer = (name, params = {}, nodeArgs = []) =>
  startHost(name, 'stdio', params, { stdio: ['pipe', 'pipe', 'inherit', 'ipc'], nodeArgs });

/** Starts a candidate's HTTP server and waits until it listens. */
export async function startHttpServer(name, params = {}, nodeArgs = []) {
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'];
  const child = startHost(name, 'http', params, { stdio, nodeArgs });
  const url = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error('not listening after 20 s'));
    }, 20_000);
    child.on('message', ({ listening }) => {
      if (listening === undefined) return;
      clearTimeout(timer);
      resolve(listening);
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code}`));
    });
  });
  return { child, url };
}

/** Starts a load generator for HTTP. */
export const startLoad = () =>
  track(fork(script('http-load.mjs'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));

let lastId = 0;

/** Has a child carry out a command and returns its answer. */
export function ask(child, command, options = {}, timeoutMs = 120_000) {
  const id = ++lastId;
  return new Promise((resolve, reject) => {
    const finish = (settle, value) => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      settle(value);
    };
    const timer = setTimeout(
      () => finish(reject, new Error(`no answer to ${command} after ${timeoutMs} ms`)),
      timeoutMs,
    );
    const onExit = (code, signal) =>
      finish(reject, new Error(`ended (${signal ?? code}) before it answered ${command}`));
    const onMessage = (reply) => {
      if (reply.id !== id) return;
      if (reply.error) finish(reject, new Error(reply.error));
      else finish(resolve, reply.value);
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.send({ ...options, id, command });
  });
}

/** Waits until a child has ended, and sees to it that it does. */
export async function ended(child, patienceMs = 2000) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await new Promise((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
}

/** Ends a child. */
export function stop(child) {
  child.kill('SIGTERM');
  return ended(child);
}
