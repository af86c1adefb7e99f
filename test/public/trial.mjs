// One server, seen through every client: node trial.mjs '{"name":…,"place":…}' prints what each of them saw. Meant to be run
// where no process is but its own, and no network but its own.
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFirst, openOurs, openSecond } from './clients.mjs';
import { bridgeCommand, mcpctl, startBridge } from './commands.mjs';
import { harmlessCalls, observe } from './observe.mjs';
import { leftOver, processes } from './processes.mjs';

const limits = { openMs: 90_000, askMs: 30_000 };
/** How long a closed server may take to end; it is told to, asked to, and then made to. */
const patienceMs = 8000;

const { place, listen } = JSON.parse(process.argv[2]);
const report = { views: {} };

/** Whatever was started for a client ends with it. */
async function view(name, open) {
  const before = processes();
  const seen = await observe(open);
  report.views[name] = { ...seen, leftOver: await leftOver(before, patienceMs) };
  return report.views[name];
}

async function viaCommand(official) {
  const before = processes();
  const doctor = await mcpctl(['doctor'], place, limits);
  report.mcpctl = { doctor: { code: doctor.code, stdout: doctor.stdout.slice(-3000) } };
  if (official.opened) {
    const { code, stderr, json } = await mcpctl(['tools'], place, limits);
    report.mcpctl.tools = { code, stderr, list: json?.tools };
  }
  const listed = official.seen?.['tools/list']?.result ?? [];
  const [, call] = harmlessCalls(listed).find(([what]) => what === 'call') ?? [];
  if (call) {
    const { code, stderr, json } = await mcpctl(['call', call.name], place, limits);
    report.mcpctl.call = { code, stderr, name: call.name, json };
  }
  report.mcpctl.leftOver = await leftOver(before, patienceMs);
}

async function viaBridge() {
  const before = processes();
  const bridge = await startBridge(place);
  try {
    const at = { url: bridge.url };
    report.views['bridge, first'] = await observe(() => openFirst(at, limits));
    report.views['bridge, second'] = await observe(() => openSecond(at, limits));
    report.views['bridge, ours'] = await observe(() => openOurs(at, limits));
  } finally {
    const code = await bridge.stop();
    report.bridge = { code, leftOver: await leftOver(before, patienceMs) };
  }
}

/** Starts a server that listens; resolves when somebody is there. */
async function serve({ command, args, env, cwd, port }) {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, ...env },
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr = `${stderr}${chunk}`.slice(-4000)));
  const end = performance.now() + limits.openMs;
  while (!(await listens(port))) {
    if (child.exitCode !== null || performance.now() > end) {
      throw new Error(`it does not listen: ${stderr}`);
    }
    await sleep(100);
  }
}

const listens = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });

try {
  if (listen) await serve(listen);
  const official = await view('first', () => openFirst(place, limits));
  await view('second', () => openSecond(place, limits));
  await view('ours', () => openOurs(place, limits));
  if (official.opened) {
    await view('first again', () => openFirst(place, limits));
    await view('ours, legacy', () => openOurs(place, limits, 'legacy'));
  }
  await viaCommand(official);
  if (listen) {
    await view('bridge, first', () => openFirst({ ...bridgeCommand(place), cwd: '/' }, limits));
  } else if (report.views.ours.opened) {
    await viaBridge();
  }
} catch (error) {
  report.failed = String(error?.stack ?? error);
}
process.stdout.write(JSON.stringify(report), () => process.exit(0));
