// Measures the tools of the Cocos pack on one project, beside the least that a write of its scene can cost.
import { closeSync, fsyncSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { measuredCalls, targets } from './calls.mjs';
import { emptyScene, largeScene } from './project.mjs';
import { serving } from './server.mjs';
import { cpuSeconds, peakRssMiB, rssMiB } from '../proc.mjs';
import { median, quantile } from '../stats.mjs';

const ownCpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** The bare loop: a scene parsed, printed and written, and on the disk when it ends. Answers milliseconds. */
function bareLoop(scene, copy) {
  const text = readFileSync(scene, 'utf8');
  const cpu = ownCpuMs();
  const started = performance.now();
  const printed = JSON.stringify(JSON.parse(text), null, 2);
  const file = openSync(copy, 'w');
  try {
    writeFileSync(file, printed);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return { ms: performance.now() - started, cpuMs: ownCpuMs() - cpu };
}

/** How a session calls a tool of a process: the time to the answer, and the CPU time of the process. */
function callerOf(session, pid) {
  return async (tool, given) => {
    const cpu = cpuSeconds(pid);
    const started = performance.now();
    const { structuredContent } = await session.callTool(tool, given, { timeoutMs: 60_000 });
    const ms = performance.now() - started;
    if (!structuredContent?.success) {
      throw new Error(`${tool} failed: ${JSON.stringify(structuredContent?.error)}`);
    }
    return { ms, cpuMs: (cpuSeconds(pid) - cpu) * 1000 };
  };
}

/** Starts a server and opens the scene, which no process has read before; with the bare loop beside it. */
const firstOpen = (folder, scratch) =>
  serving(folder, scratch, async (session, pid) => {
    const bare = bareLoop(path.join(folder, largeScene), path.join(folder, 'local/bare-loop.json'));
    const opened = await callerOf(session, pid)('execute_scene_open', { scenePath: largeScene });
    return { opened, bare };
  });

/**
 * Calls every tool in every round, and runs the bare loop beside them: what slows one slows the other. Memory is that of the server
 * before, when it has answered a call about an empty scene, and after.
 */
function measureCalls(folder, { rounds, scratch }) {
  const scene = path.join(folder, largeScene);
  const copy = path.join(folder, 'local/bare-loop.json');
  return serving(folder, scratch, async (session, pid, memoryNow) => {
    const call = callerOf(session, pid);
    await call('get_scene_tree', { scenePath: emptyScene });
    const idle = await memoryNow();
    await call('execute_scene_open', { scenePath: largeScene });
    const opened = await memoryNow();
    const calls = measuredCalls(scratch).map((each) => ({ ...each, first: 0, times: [] }));
    const bare = [];
    for (let round = 0; round <= rounds; round++) {
      bare.push(bareLoop(scene, copy));
      for (const each of calls) {
        const taken = await call(each.tool, each.argumentsIn(round));
        if (round === 0) each.first = taken.ms;
        else each.times.push(taken);
      }
    }
    const rss = rssMiB(pid);
    const peak = peakRssMiB(pid);
    const memory = { idle, opened, rss, peak, after: await memoryNow() };
    return { calls, bare: bare.slice(1), memory };
  });
}

/** The numbers of one tool, as times, as multiples of the bare loop, and whether they are good enough. */
function summarise({ tool, kind, first, times }, bare) {
  const all = times.map(({ ms }) => ms);
  const p50 = median(all);
  const p95 = quantile(all, 0.95);
  const cpu = median(times.map(({ cpuMs }) => cpuMs));
  const target = targets[kind];
  const multiples = { times: p50 / bare.p50, cpuTimes: cpu / bare.cpu };
  return { tool, kind, first, p50, p95, cpu, ...multiples, target, isMet: p95 <= target };
}

/** Of the tools of a kind: the median of them, and the slowest. */
function kindOf(tools, kind) {
  const ofKind = tools.filter((each) => each.kind === kind);
  const slowest = ofKind.reduce((one, other) => (other.p50 > one.p50 ? other : one));
  return {
    p50: median(ofKind.map(({ p50 }) => p50)),
    times: median(ofKind.map(({ times }) => times)),
    cpuTimes: median(ofKind.map(({ cpuTimes }) => cpuTimes)),
    slowest,
  };
}

/** What a server has in memory beyond what it had when it was idle, in multiples of the file of the scene. */
function memoryTimes({ idle, opened, after, rss, peak }, sceneMiB) {
  return {
    opened: (opened.live - idle.live) / sceneMiB,
    live: (after.live - idle.live) / sceneMiB,
    collected: (after.rss - idle.rss) / sceneMiB,
    rss: (rss - idle.rss) / sceneMiB,
    peak: (peak - idle.rss) / sceneMiB,
  };
}

/** Measures a project that was made by `makeLargeProject`: every number in milliseconds, MiB, or as a multiple. */
export async function measureProject(folder, { made, rounds, opens, scratch }) {
  const sceneMiB = statSync(path.join(folder, largeScene)).size / 2 ** 20;
  const openings = [];
  while (openings.length < opens) openings.push(await firstOpen(folder, scratch));
  const { calls, bare: loops, memory } = await measureCalls(folder, { rounds, scratch });
  const all = [...loops, ...openings.map((each) => each.bare)];
  const bare = {
    p50: median(all.map(({ ms }) => ms)),
    p95: quantile(
      all.map(({ ms }) => ms),
      0.95,
    ),
    cpu: median(all.map(({ cpuMs }) => cpuMs)),
  };
  const tools = calls.map((each) => summarise(each, bare));
  const openMs = median(openings.map(({ opened }) => opened.ms));
  const openCpu = median(openings.map(({ opened }) => opened.cpuMs));
  return {
    ...made,
    sceneMiB,
    bare,
    open: { p50: openMs, times: openMs / bare.p50, cpuTimes: openCpu / bare.cpu },
    kinds: Object.fromEntries(Object.keys(targets).map((kind) => [kind, kindOf(tools, kind)])),
    memory: { ...memory, times: memoryTimes(memory, sceneMiB) },
    tools,
  };
}
