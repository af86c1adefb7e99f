// Tries public servers of the npm registry with the official clients, with ours and through a bridge, and says what differs:
// npm run public-servers -- [--only REGEX] [--jobs N] [--report FILE] [--save FOLDER]
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { installPeers } from '../../scripts/peers.mjs';
import { main, prepare } from '../../scripts/prepare.mjs';
import { differences } from './compare.mjs';
import { commandOf, isolated } from './place.mjs';

const run = promisify(execFile);
const here = import.meta.dirname;
const limitMs = 600_000;
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());

async function tryServer(name, server) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'public-server-'));
  try {
    const command = await commandOf(name, server, folder);
    const asked = server.path
      ? {
          place: { url: `http://127.0.0.1:8931${server.path}` },
          listen: { ...command, port: 8931 },
        }
      : { place: command };
    const args = [
      ...isolated,
      process.execPath,
      path.join(here, 'trial.mjs'),
      JSON.stringify(asked),
    ];
    const { stdout } = await run('unshare', args, {
      timeout: limitMs,
      maxBuffer: 1e9,
      signal: stop.signal,
    });
    if (stdout === '') throw new Error(`not done within ${limitMs} ms`);
    return JSON.parse(stdout);
  } catch (error) {
    return { failed: String(error.message).slice(-1500) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A difference with a reason in the list is not ours. */
const judged = (report, { reasons = {} }) =>
  differences(report).map((one) => {
    const reason = Object.entries(reasons).find(([where]) => one.where.startsWith(where))?.[1];
    return reason && one.whose === 'ours' ? { ...one, whose: 'theirs', reason } : one;
  });

function row(name, report, all) {
  const { first, second, ours } = report.views ?? {};
  const times = [first, second, ours].map((view) => view?.openMs ?? '–').join(' / ');
  const count = (whose) => all.filter((one) => one.whose === whose).length || '';
  const era = ours?.era ?? second?.era ?? '–';
  const cells = [name, era, times, count('theirs'), count('environment'), count('ours')];
  return `| ${cells.join(' | ')} |`;
}

await main(async () => {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      jobs: { type: 'string', default: '2' },
      report: { type: 'string' },
      save: { type: 'string' },
    },
  });
  await prepare({ dev: true });
  await installPeers();
  const list = JSON.parse(readFileSync(path.join(here, 'servers.json'), 'utf8'));
  const wanted = new RegExp(values.only);
  const waiting = Object.entries(list)
    .filter(([name]) => wanted.test(name))
    .values();
  if (values.save) mkdirSync(values.save, { recursive: true });
  const rows = [];
  const ours = [];
  const work = async () => {
    for (const [name, server] of waiting) {
      if (stop.signal.aborted) return;
      const report = await tryServer(name, server);
      const all = judged(report, server);
      if (values.save) {
        const file = path.join(values.save, `${name.replaceAll('/', '+')}.json`);
        writeFileSync(file, JSON.stringify({ all, ...report }, undefined, 1));
      }
      rows.push(row(`${name} ${server.version}`, report, all));
      console.log(rows.at(-1));
      for (const one of all) {
        console.log(`    ${one.whose}: ${one.where}: ${one.reason ?? one.what}`.slice(0, 500));
      }
      ours.push(...all.filter(({ whose }) => whose === 'ours'));
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
  const head = '| server | era | ms to open: first / second / ours | theirs | environment | ours |';
  const table = [head, '|---|---|---|---|---|---|', ...rows.toSorted()].join('\n');
  if (values.report) writeFileSync(values.report, `${table}\n`);
  console.log(`${rows.length} servers, differences that are ours: ${ours.length}`);
  return ours.length === 0 ? 0 : 1;
});
