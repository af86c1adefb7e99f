import { Session as Inspector, type Profiler } from 'node:inspector/promises';

const source = '/packages/mcp-kit/src/';
const times = 8;

/**
 * The modules of the library of which a function with a name runs each time that some work is done; timers and second tries do
 * not count.
 */
export async function modulesOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  return alwaysRunning(work, (scripts) => modulesIn(scripts, callsIn));
}

/** The same with those of which only functions without a name run: closures that were made before, such as layers. */
export async function allModulesOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  return alwaysRunning(work, async (scripts, inspector) => {
    const isOwn = new Map<Profiler.FunctionCoverage, boolean>();
    await inspector.post('Debugger.enable');
    for (const { url, scriptId, functions } of scripts) {
      const unnamed = functions.filter(({ functionName }) => functionName === '');
      if (!url.includes(source) || unnamed.length === 0) continue;
      const { scriptSource } = await inspector.post('Debugger.getScriptSource', { scriptId });
      for (const each of unnamed) {
        const before = scriptSource.slice(0, each.ranges[0]?.startOffset);
        isOwn.set(each, before !== '' && !exporting.test(before.slice(-200)));
      }
    }
    return modulesIn(scripts, (each) =>
      each.functionName !== '' || isOwn.get(each) === true ? (each.ranges[0]?.count ?? 0) : 0,
    );
  });
}

/** How the test runner lets modules see each other: a function for each name. The first of a script is the whole of it. */
const exporting = /__vite_ssr_exportName__\("[^"]*", $/;

async function alwaysRunning(
  work: () => Promise<unknown>,
  modules: (
    scripts: readonly Profiler.ScriptCoverage[],
    inspector: Inspector,
  ) => readonly string[] | Promise<readonly string[]>,
): Promise<readonly string[]> {
  return counting(async (take, inspector) => {
    let always: Set<string> | undefined;
    for (let count = 0; count < times; count += 1) {
      await work();
      const ran = new Set(await modules(await take(), inspector));
      always = new Set([...(always ?? ran)].filter((name) => ran.has(name)));
    }
    return [...(always ?? [])].toSorted();
  });
}

/** How many calls of functions of any package some work takes: a cost that is the same on each machine. */
export function callsOf(work: () => unknown): Promise<number> {
  return counting(async (take) => {
    await work();
    const ours = (await take()).filter(({ url }) => url.includes('/packages/'));
    return ours
      .flatMap(({ functions }) => functions.map(callsIn))
      .reduce((sum, calls) => sum + calls, 0);
  });
}

/** Lets V8 count calls; what is taken are those since the last time. */
async function counting<Found>(
  measure: (
    take: () => Promise<readonly Profiler.ScriptCoverage[]>,
    inspector: Inspector,
  ) => Promise<Found>,
): Promise<Found> {
  const inspector = new Inspector();
  inspector.connect();
  const take = async () => (await inspector.post('Profiler.takePreciseCoverage')).result;
  try {
    await inspector.post('Profiler.enable');
    await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await take();
    return await measure(take, inspector);
  } finally {
    inspector.disconnect();
  }
}

// Among those without a name are functions by which the test runner lets modules see each other.
function callsIn({ functionName, ranges: [all] }: Profiler.FunctionCoverage): number {
  return functionName === '' ? 0 : (all?.count ?? 0);
}

function modulesIn(
  scripts: readonly Profiler.ScriptCoverage[],
  calls: (one: Profiler.FunctionCoverage) => number,
): readonly string[] {
  return scripts
    .filter(
      ({ url, functions }) => url.includes(source) && functions.some((each) => calls(each) > 0),
    )
    .map(({ url }) => url.slice(url.indexOf(source) + source.length));
}
