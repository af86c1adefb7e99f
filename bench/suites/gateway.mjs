// The gateway: what a hop costs beside a bare bridge, lists of many servers beside the same from one, connecting, a cold start.
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openHttpFront, stopFamily } from '../lib/fronts.mjs';
import { loadGateways } from '../lib/gateways.mjs';
import { runSlice } from '../lib/http-workload.mjs';
import { runLevels } from '../lib/levels.mjs';
import { sessionEra, statelessEra } from '../lib/messages.mjs';
import {
  ask,
  startCommand,
  startHttpServer,
  startLoad,
  stdioCommand,
  stop,
} from '../lib/processes.mjs';
import { failureLines, interleave } from '../lib/rounds.mjs';
import { shellServer } from '../lib/shell-server.mjs';
import { least, median } from '../lib/stats.mjs';

const many = fileURLToPath(new URL('../gateways/many.mjs', import.meta.url));
const troubled = fileURLToPath(new URL('../gateways/troubled.mjs', import.meta.url));

/** A call through a hop to a process. */
async function runHop(era, gateways, bench) {
  const key = era === sessionEra ? 'gateway-hop' : `gateway-hop-${era.slice(0, 4)}`;
  const levels = [1, 16, 64];
  const server = stdioCommand('floor', { era });
  const report = await runLevels(
    {
      key,
      title: `gateway, HTTP in front of stdio, ${era}`,
      cases: gateways
        .filter(({ eras }) => eras.includes(era))
        .map((candidate) => ({ candidate, label: candidate.label })),
      peers: gateways.filter(({ peer }) => peer),
      levels,
      levelName: (level) => `${level} in flight`,
      open: ({ candidate }) =>
        openHttpFront(candidate, { era, server, connections: Math.max(...levels) }),
    },
    bench,
  );
  // What it adds to the time of a call, where nothing else waits.
  const { values } = report.measures.find((measure) => measure.key === `${key}/1/p50`) ?? {};
  const added = values?.ours === undefined ? {} : { ours: values.ours - values.floor };
  return { ...report, measures: [...report.measures, { key: `${key}/added`, values: added }] };
}

/** Starts a gateway by a program that prints its URL; gives its process and that. */
async function startGateway(...args) {
  const child = startCommand(args.map(String));
  child.stderr.resume();
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`the gateway ended with ${code}`);
  });
  const [url] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    failed,
  ]);
  failed.catch(() => {});
  return { child, url };
}

const listed = { servers: 50, each: 20 };

/** tools/list of a thousand tools, of many servers and of one. */
function runLists(bench) {
  const tools = listed.servers * listed.each;
  const flavour = { era: sessionEra, mode: 'json' };
  const cases = [
    {
      label: `one server with ${tools} tools`,
      candidate: { name: 'floor' },
      start: () => startHttpServer('ours', { ...flavour, tools }),
    },
    {
      label: `gateway, ${listed.servers} servers with ${listed.each} tools`,
      candidate: { name: 'ours' },
      start: () => startGateway(many, listed.servers, listed.each),
    },
  ];
  const open = async ({ start }) => {
    const { child, url } = await start();
    const load = startLoad();
    const close = () => Promise.all([stop(load), stop(child)]);
    try {
      await ask(load, 'open', { ...flavour, url, connections: 16 });
      await ask(load, 'probe', { what: 'list', tools });
    } catch (error) {
      await close();
      throw error;
    }
    const slice = (connections, seconds) =>
      runSlice(load, [child.pid], { what: 'list', connections, seconds });
    return { slice, close };
  };
  const levelName = (level) => `${level} connections`;
  const title = `gateway, tools/list of ${tools} tools`;
  return runLevels(
    { key: 'gateway-list', title, cases, peers: [], levels: [16], levelName, open },
    bench,
  );
}

/** Measures how long something takes, in milliseconds. */
async function timed(work) {
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  return { ms, summary: `${ms.toFixed(1)} ms` };
}

/** One table of times, and the least of each as a measure. */
function timesReport(title, { results, failed }) {
  const rows = [...results].filter(([, runs]) => runs.length > 0);
  return {
    tables: [
      {
        title,
        header: ['what', 'ms best', 'ms median'],
        rows: rows.map(([{ label }, runs]) => [
          label,
          least(runs, 'ms'),
          median(runs.map(({ ms }) => ms)),
        ]),
      },
    ],
    measures: rows.map(([{ key }, runs]) => ({ key, values: { ours: least(runs, 'ms') } })),
    failures: failureLines(title, failed),
    raw: rows.map(([{ label }, runs]) => ({ workload: title, candidate: label, runs })),
  };
}

/** Connecting to a gateway with ten thousand tools. */
async function runConnect({ options, log }) {
  const { openSession } = await import('mcp-kit/client');
  const { httpTarget } = await import('mcp-kit/transport/http-client');
  const { child, url } = await startGateway(many, 20, 500);
  const cases = ['legacy', 'modern'].map((era) => ({
    label: era,
    key: `gateway-connect/${era}`,
    era,
  }));
  const measure = async ({ era }) => {
    let session;
    try {
      return await timed(async () => {
        session = await openSession(httpTarget(url), { era });
      });
    } finally {
      await session?.close();
    }
  };
  try {
    const outcome = await interleave(cases, options.quick ? 2 : 10, measure, log);
    return timesReport('gateway, connecting where there are 10,000 tools', outcome);
  } finally {
    await stop(child);
  }
}

const troubles = ['killed', 'stopped', 'slow', 'lying', 'changing'];

/** Calls of a good server while another one is in trouble: the time within which 99 of 100 are answered, beside that of calm. */
async function runTroubled(bench) {
  const flavour = { era: sessionEra, mode: 'json', tool: 'good__echo' };
  const cases = ['none', ...troubles].map((trouble) => ({
    trouble,
    label: trouble === 'none' ? 'all are well' : `one is ${trouble}`,
    candidate: { name: trouble === 'none' ? 'floor' : trouble },
  }));
  const open = async ({ trouble }) => {
    const { child, url } = await startGateway(troubled, trouble);
    const load = startLoad();
    const close = () => Promise.all([stop(load), stopFamily(child)]);
    try {
      await ask(load, 'open', { ...flavour, url, connections: 16 });
      await ask(load, 'probe', { what: 'call' });
    } catch (error) {
      await close();
      throw error;
    }
    const slice = (connections, seconds) =>
      runSlice(load, [child.pid], { what: 'call', connections, seconds });
    return { slice, close };
  };
  const title = 'gateway, calls of a good server while another is in trouble';
  const levelName = (level) => `${level} connections`;
  const work = { key: 'gateway-troubled', title, cases, peers: [], levels: [16], levelName, open };
  const report = await runLevels(work, bench);
  const p99Of = new Map(
    report.raw.map(({ candidate, byLevel }) => [
      candidate,
      median(Object.values(byLevel).flatMap((runs) => runs.map(({ p99 }) => p99))),
    ]),
  );
  const calm = p99Of.get('all are well');
  const measures = troubles.map((trouble) => ({
    key: `gateway-troubled/${trouble}`,
    values: { ours: p99Of.get(`one is ${trouble}`) / calm },
  }));
  return { ...report, measures };
}

const deadlineMs = 1000;

/** The first list of a gateway that has just been made, before fifty servers, one of which never answers. */
async function runColdStart({ options, log }) {
  const { gateway } = await import('@mcp-kit/host/gateway');
  const { openSession } = await import('mcp-kit/client');
  const { memoryPair, serveChannel } = await import('mcp-kit/transport');
  const { childTarget } = await import('mcp-kit/transport/child-process');
  const servers = Array.from({ length: 50 }, (_, n) => {
    const pauseMs = n === 0 ? 3_600_000 : n * 10;
    return [`server${n}`, childTarget(shellServer(pauseMs))];
  });
  const measure = async () => {
    const service = gateway(Object.fromEntries(servers), { waitMs: deadlineMs });
    let session;
    const target = {
      label: 'gateway',
      key: 'gateway',
      wire: 'stream',
      dial: async () => {
        const [near, far] = memoryPair();
        serveChannel(service, far);
        return near;
      },
    };
    try {
      return await timed(async () => {
        session = await openSession(target);
        await session.listTools();
      });
    } finally {
      await session?.close();
      await service.close();
    }
  };
  const cases = [
    { label: `50 servers, one silent, deadline ${deadlineMs} ms`, key: 'gateway-cold' },
  ];
  const outcome = await interleave(cases, options.quick ? 1 : 3, measure, log);
  return timesReport('gateway, the first list from a cold start', outcome);
}

/** Runs the suite. */
export async function run(bench) {
  if (!bench.candidates.some(({ name }) => name === 'ours')) return [];
  const gateways = await loadGateways(bench.options);
  return [
    await runHop(sessionEra, gateways, bench),
    await runHop(statelessEra, gateways, bench),
    await runLists(bench),
    await runTroubled(bench),
    await runConnect(bench),
    await runColdStart(bench),
  ];
}
