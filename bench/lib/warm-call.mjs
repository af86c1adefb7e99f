// A call that is answered by a session which is still open, beside an empty program and the call itself.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { connect } from 'mcp-kit';
import { startCommand } from './processes.mjs';
import { least, median } from './stats.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const mcpctl = path.join(root, 'packages/mcpctl/bin/mcpctl.js');

function timed(args, env) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = startCommand(args, env);
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (piece) => (text += piece));
    child.stderr.setEncoding('utf8').on('data', (piece) => (text += piece));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve({ ms: performance.now() - started });
      else reject(new Error(`ended with ${code}: ${text.slice(0, 300)}`));
    });
  });
}

/** The same call in a session that is open: once the server has warmed up, the best of many. */
async function callAlone(server) {
  const session = await connect({ command: server[0], args: server.slice(1) });
  const runs = [];
  for (let times = 0; times < 200; times += 1) {
    const started = performance.now();
    await session.callTool('get_number_sum', { a: 2, b: 3 });
    runs.push({ ms: performance.now() - started });
  }
  await session.close();
  return runs;
}

/** Measures warm calls; gives a table and the ratio to an empty program plus the call. */
export async function measureWarmCalls({ options }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'mcp-kit-warm-'));
  const server = [process.execPath, path.join(root, 'examples/first-tool.mjs')];
  const env = { HOME: folder, XDG_RUNTIME_DIR: folder, MCPCTL_WARM: '5', NODE_EXTRA_CA_CERTS: '' };
  const config = path.join(folder, 'mcp.json');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    config,
    JSON.stringify({ version: 1, servers: { sum: { transport: 'stdio', argv: server } } }),
  );
  const at = ['--root', folder, '--quiet'];
  const call = [mcpctl, 'call', 'sum', 'get_number_sum', 'a=2', 'b=3', ...at];
  const cases = {
    'node -e 0': ['-e', '0'],
    'mcpctl call, warm': call,
    'mcpctl call --no-warm': [...call, '--no-warm'],
  };
  try {
    await timed([mcpctl, 'trust', 'approve', 'sum', '--yes', ...at], env);
    await timed(call, env);
    const runs = new Map(Object.keys(cases).map((name) => [name, []]));
    for (let round = 0; round < (options.quick ? 5 : 40); round += 1) {
      for (const [name, args] of Object.entries(cases)) runs.get(name).push(await timed(args, env));
    }
    runs.set('the call itself', await callAlone(server));
    const floor = least(runs.get('node -e 0'), 'ms') + least(runs.get('the call itself'), 'ms');
    const ratio = (name) => least(runs.get(name), 'ms') / floor;
    const rows = [...runs].map(([name, each]) => [
      name,
      least(each, 'ms'),
      ratio(name),
      median(each.map(({ ms }) => ms)),
    ]);
    return {
      table: {
        title: 'command line: a call, warm, beside an empty program and the call itself',
        header: ['what', 'ms best', '× node -e 0 and the call', 'ms median'],
        rows,
      },
      ratio: ratio('mcpctl call, warm'),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
