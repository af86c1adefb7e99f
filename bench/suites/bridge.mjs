// Bridges in front of the bare server: CPU time per call of the bridge and of all it has started, and slow calls at once.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadBridges } from '../lib/bridges.mjs';
import { freePort, openHttpFront, stopFamily } from '../lib/fronts.mjs';
import { runLevels } from '../lib/levels.mjs';
import { sessionEra, statelessEra } from '../lib/messages.mjs';
import { familyOf } from '../lib/proc.mjs';
import {
  startCommand,
  startHttpServer,
  startPiped,
  stdioCommand,
  stop,
} from '../lib/processes.mjs';
import { valuesOf } from '../lib/report.mjs';
import { failureLines, interleave } from '../lib/rounds.mjs';
import { least, median } from '../lib/stats.mjs';
import { StdioPeer } from '../lib/stdio-peer.mjs';

const levels = [1, 16, 64];
const atOnce = 20;
const slowServer = fileURLToPath(new URL('../bridges/slow-server.mjs', import.meta.url));
const fronts = ['http', 'stdio'];
const ways = { http: 'HTTP in front of stdio', stdio: 'stdio in front of HTTP' };

/** stdio in front of a server at a URL; that server's own time is not the bridge's. */
async function openStdioFront(bridge, { era, url }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'mcp-kit-bench-'));
  const child = startPiped(bridge.stdio(url, bridge.program, era), bridge.env?.(folder));
  const peer = new StdioPeer(child, era);
  const close = async () => {
    await stopFamily(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await peer.initialize();
    await peer.probe();
  } catch (error) {
    await close();
    throw error;
  }
  const slice = (inFlight, seconds) => peer.run({ inFlight, seconds, pids: familyOf(child.pid) });
  return { slice, close };
}

const casesOf = (bridges, front, era) =>
  bridges
    .filter((bridge) => bridge[front] !== undefined && bridge.eras.includes(era))
    .map((bridge) => ({ candidate: bridge, label: bridge.label }));

async function runLoad({ front, era }, { bridges, bench }) {
  const year = era === sessionEra ? '' : `-${era.slice(0, 4)}`;
  const upstream = front === 'stdio' ? await startHttpServer('floor', { era, mode: 'json' }) : {};
  const open = ({ candidate }) =>
    front === 'stdio'
      ? openStdioFront(candidate, { era, url: upstream.url })
      : openHttpFront(candidate, {
          era,
          server: stdioCommand('floor', { era }),
          connections: Math.max(...levels),
        });
  const work = {
    key: `bridge-${front}${year}`,
    title: `bridge, ${ways[front]}, ${era}`,
    cases: casesOf(bridges, front, era),
    peers: bridges.filter(({ peer }) => peer),
    levels,
    levelName: (level) => `${level} in flight`,
    open,
  };
  try {
    return await runLevels(work, bench);
  } finally {
    if (upstream.child) await stop(upstream.child);
  }
}

/** How long slow calls take that are made at once, beside one of them. */
async function measureSlow({ candidate }, front, url) {
  const server = { command: process.execPath, args: [slowServer, 'stdio'] };
  const where = { era: sessionEra, server, url, connections: atOnce };
  const opened = await (front === 'stdio' ? openStdioFront : openHttpFront)(candidate, where);
  try {
    const times = [];
    for (let i = 0; i < 10; i++) {
      const { elapsedMs, failures } = await opened.slice(atOnce, 0.05);
      if (Object.keys(failures).length > 0) throw new Error(JSON.stringify(failures));
      times.push(elapsedMs);
    }
    const ms = Math.min(...times);
    return { ms, summary: `${ms.toFixed(0)} ms` };
  } finally {
    await opened.close();
  }
}

async function runSlow(front, { bridges, bench }) {
  const title = `bridge, ${ways[front]}: ${atOnce} calls of 200 ms at once`;
  const port = await freePort();
  const upstream = startCommand([slowServer, 'http', port]);
  try {
    const once = (c) => measureSlow(c, front, `http://127.0.0.1:${port}/mcp`);
    const cases = casesOf(bridges, front, sessionEra);
    const rounds = bench.options.quick ? 1 : 2;
    const { results, failed } = await interleave(cases, rounds, once, bench.log);
    const rows = [...results]
      .map(([c, runs]) => ({ c, name: c.candidate.name, runs }))
      .filter(({ runs }) => runs.length > 0);
    const table = {
      title,
      header: ['candidate', 'ms best', 'ms median'],
      rows: rows.map(({ c, runs }) => [
        c.label,
        least(runs, 'ms'),
        median(runs.map(({ ms }) => ms)),
      ]),
    };
    const values = valuesOf(rows, ({ runs }) => least(runs, 'ms'));
    const peers = bridges.filter(({ peer }) => peer);
    const measures = [{ key: `bridge-slow/${front}`, values, peers }];
    const raw = rows.map(({ c, runs }) => ({ workload: title, candidate: c.label, runs }));
    return { tables: [table], measures, failures: failureLines(title, failed), raw };
  } finally {
    await stop(upstream);
  }
}

/** Runs the suite. */
export async function run(bench) {
  const bridges = await loadBridges(bench.options);
  const reports = [];
  for (const front of fronts) {
    for (const era of [sessionEra, statelessEra]) {
      reports.push(await runLoad({ front, era }, { bridges, bench }));
    }
    reports.push(await runSlow(front, { bridges, bench }));
  }
  return reports;
}
