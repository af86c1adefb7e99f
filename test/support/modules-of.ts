import { Session as Inspector, type Profiler } from 'node:inspector/promises';

const source = '/packages/mcp-kit/src/';
const times = 8;

/** The modules of the library of which something runs each time that some work is done; timers and second tries do not count. */
export async function modulesOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  return counting(async (take) => {
    let always: Set<string> | undefined;
    for (let count = 0; count < times; count += 1) {
      await work();
      const ran = new Set(modulesIn(await take()));
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
  measure: (take: () => Promise<readonly Profiler.ScriptCoverage[]>) => Promise<Found>,
): Promise<Found> {
  const inspector = new Inspector();
  inspector.connect();
  const take = async () => (await inspector.post('Profiler.takePreciseCoverage')).result;
  try {
    await inspector.post('Profiler.enable');
    await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await take();
    return await measure(take);
  } finally {
    inspector.disconnect();
  }
}

// What has no name is how the test runner lets modules see each other.
function callsIn({ functionName, ranges: [all] }: Profiler.FunctionCoverage): number {
  return functionName === '' ? 0 : (all?.count ?? 0);
}

function modulesIn(scripts: readonly Profiler.ScriptCoverage[]): readonly string[] {
  return scripts
    .filter(
      ({ url, functions }) => url.includes(source) && functions.some((each) => callsIn(each) > 0),
    )
    .map(({ url }) => url.slice(url.indexOf(source) + source.length));
}
