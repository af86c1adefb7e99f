// Measures the tools of the Cocos pack on one project, beside the least that a write of its scene can cost.
import {
  closeSync,
  cpSync,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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
function bareLoop(folder) {
  const text = readFileSync(path.join(folder, largeScene), 'utf8');
  const cpu = ownCpuMs();
  const started = performance.now();
  const printed = JSON.stringify(JSON.parse(text), null, 2);
  const file = openSync(path.join(folder, 'local/bare-loop.json'), 'w');
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

/** What a server has in memory that has answered a call about an empty scene of the project. */
const idleMemory = (served) =>
  serving(served, async (session, pid, memoryNow) => {
    await callerOf(session, pid)('get_scene_tree', { scenePath: emptyScene });
    return memoryNow();
  });

/**
 * Opens the scene in a fresh server that has told what the project is, which is how its instructions let a conversation begin, with
 * the bare loop beside it; and what it has in memory then.
 */
const firstOpen = (served) =>
  serving(served, async (session, pid, memoryNow) => {
    const call = callerOf(session, pid);
    await call('get_project_info', {});
    const bare = bareLoop(served.folder);
    const opened = await call('execute_scene_open', { scenePath: largeScene });
    return { opened, bare, memory: await memoryNow() };
  });

/**
 * Calls every tool in every round, and runs the bare loop beside them: what slows one slows the other. Memory is asked for at the
 * end: the collection that this takes would slow down what comes after.
 */
function measureCalls(served, rounds) {
  return serving(served, async (session, pid, memoryNow) => {
    const call = callerOf(session, pid);
    await call('execute_scene_open', { scenePath: largeScene });
    const calls = measuredCalls(served.images).map((each) => ({ ...each, first: 0, times: [] }));
    const bare = [];
    for (let round = 0; round <= rounds; round++) {
      bare.push(bareLoop(served.folder));
      for (const each of calls) {
        const taken = await call(each.tool, each.argumentsIn(round));
        if (round === 0) each.first = taken.ms;
        else each.times.push(taken);
      }
    }
    const rss = rssMiB(pid);
    const peak = peakRssMiB(pid);
    return { calls, bare: bare.slice(1), memory: { rss, peak, after: await memoryNow() } };
  });
}

/** The numbers of the bare loop. */
function summariseBare(loops) {
  const all = loops.map(({ ms }) => ms);
  return {
    p50: median(all),
    p95: quantile(all, 0.95),
    cpu: median(loops.map(({ cpuMs }) => cpuMs)),
  };
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

/** Of each kind of tools, the median of them and the slowest. */
function kindsOf(calls, bare) {
  const tools = calls.map((each) => summarise(each, bare));
  return Object.fromEntries(Object.keys(targets).map((kind) => [kind, kindOf(tools, kind)]));
}

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

/** How many times the file a server may have in memory, beyond what it has when it is idle. */
const mostTimes = 6;

/** The same calls of a server whose heap may be no larger than that, on a copy of the project: what they cost then. */
async function measureLimited({ folder, images }, { rounds, idle, sceneMiB }) {
  const heapMiB = Math.ceil(idle.live + mostTimes * sceneMiB);
  const nodeArgs = [`--max-old-space-size=${heapMiB}`];
  const { calls, bare, memory } = await measureCalls({ folder, images, nodeArgs }, rounds);
  return { heapMiB, rss: memory.rss, kinds: kindsOf(calls, summariseBare(bare)) };
}

/** Measures a project that was made by `makeLargeProject`: every number in milliseconds, MiB, or as a multiple. */
export async function measureProject(folder, { made, rounds, opens, scratch }) {
  const served = { folder, images: scratch };
  const sceneMiB = statSync(path.join(folder, largeScene)).size / 2 ** 20;
  const copy = path.join(scratch, 'copy');
  cpSync(folder, copy, { recursive: true });
  const openings = [];
  while (openings.length < opens) openings.push(await firstOpen(served));
  const idle = await idleMemory(served);
  const { calls, bare: loops, memory: used } = await measureCalls(served, rounds);
  const limited = await measureLimited(
    { folder: copy, images: scratch },
    { rounds, idle, sceneMiB },
  );
  rmSync(copy, { recursive: true, force: true });
  const memory = { idle, opened: openings.at(-1).memory, ...used, limited };
  const bare = summariseBare([...loops, ...openings.map((each) => each.bare)]);
  const openMs = median(openings.map(({ opened }) => opened.ms));
  const openCpu = median(openings.map(({ opened }) => opened.cpuMs));
  return {
    ...made,
    sceneMiB,
    bare,
    open: { p50: openMs, times: openMs / bare.p50, cpuTimes: openCpu / bare.cpu },
    kinds: kindsOf(calls, bare),
    memory: { ...memory, times: memoryTimes(memory, sceneMiB) },
    tools: calls.map((each) => summarise(each, bare)),
  };
}
