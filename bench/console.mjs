// node bench/console.mjs [seconds] [rounds]: what a console adds to a call through `mcpctl up`, with nobody looking and with a
// page open. Gateways take turns in short slices, and the least CPU time of each counts, as in run.mjs; the server behind
// them is not counted.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { mcpctl } from './lib/bridges.mjs';
import { runSlice } from './lib/http-workload.mjs';
import { sessionEra } from './lib/messages.mjs';
import { ask, startCommand, startLoad, stdioCommand, stop } from './lib/processes.mjs';
import { table } from './lib/table.mjs';

const [seconds = 1, rounds = 8] = process.argv.slice(2).map(Number);
const connections = 16;

/** What is measured: what the gateway is told besides, and whether a page is open. */
const kinds = {
  'without a console': { more: [], isSeen: false },
  'nobody looks': { more: ['--console'], isSeen: false },
  'a page is open': { more: ['--console'], isSeen: true },
};

/** Follows a link as a browser does, and reads what comes without looking at it. */
async function look(link) {
  const { origin, hash } = new URL(link);
  const token = new URLSearchParams(hash.slice(1)).get('token');
  const entered = await fetch(`${origin}/console/api/enter`, {
    method: 'POST',
    headers: { origin },
    body: JSON.stringify({ token }),
  });
  const [cookie] = entered.headers.get('set-cookie').split(';');
  const { body } = await fetch(`${origin}/console/api/events`, { headers: { cookie } });
  const reader = body.getReader();
  void (async () => {
    while (!(await reader.read()).done);
  })();
  return () => reader.cancel();
}

async function start({ more, isSeen }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'mcp-kit-bench-'));
  const config = path.join(folder, 'mcp.json');
  const floor = stdioCommand('floor', { era: sessionEra });
  writeFileSync(config, JSON.stringify({ mcpServers: { floor } }));
  const args = ['up', '--json', '--port', '0', '--trust', '--yes-trust', '--root', folder];
  const env = { HOME: folder, XDG_RUNTIME_DIR: folder };
  const child = startCommand([mcpctl, ...args, '--config', config, ...more], env);
  child.stderr.resume();
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url, console: link } = JSON.parse(line);
  const load = startLoad();
  const options = { url, era: sessionEra, tool: 'floor__echo', connections, oneSession: true };
  await ask(load, 'open', options);
  await ask(load, 'probe', { what: 'call' });
  const leave = isSeen ? await look(link) : () => undefined;
  return {
    slice: () => runSlice(load, [child.pid], { what: 'call', connections, seconds }),
    async close() {
      await leave();
      await stop(load);
      await stop(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const opened = await Promise.all(
  Object.entries(kinds).map(async ([name, kind]) => ({ name, cpu: [], ...(await start(kind)) })),
);
for (let round = 0; round < rounds; round += 1) {
  for (const one of opened) one.cpu.push((await one.slice()).cpu);
}
await Promise.all(opened.map((one) => one.close()));
const least = ({ cpu }) => Math.min(...cpu.slice(1));
const [plain] = opened;
const rows = opened.map((one) => [
  one.name,
  least(one).toFixed(0),
  `${((least(one) / least(plain) - 1) * 100).toFixed(1)} %`,
]);
console.log(table(['console', 'µs of CPU per call', 'added'], rows));
