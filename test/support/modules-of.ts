import { Session as Inspector, type Profiler } from 'node:inspector/promises';

const source = '/packages/mcp-kit/src/';
const times = 8;

/** The modules of the library of which something runs each time that some work is done; timers and second tries do not count. */
export async function modulesOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const inspector = new Inspector();
  inspector.connect();
  try {
    await inspector.post('Profiler.enable');
    await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await inspector.post('Profiler.takePreciseCoverage');
    let always: Set<string> | undefined;
    for (let count = 0; count < times; count += 1) {
      await work();
      const { result } = await inspector.post('Profiler.takePreciseCoverage');
      const ran = new Set(modulesIn(result));
      always = new Set([...(always ?? ran)].filter((name) => ran.has(name)));
    }
    return [...(always ?? [])].toSorted();
  } finally {
    inspector.disconnect();
  }
}

function modulesIn(scripts: readonly Profiler.ScriptCoverage[]): readonly string[] {
  // What has no name is how the test runner lets modules see each other.
  const ran = ({ functionName, ranges: [all] }: Profiler.FunctionCoverage): boolean =>
    functionName !== '' && (all?.count ?? 0) > 0;
  return scripts
    .filter(({ url, functions }) => url.includes(source) && functions.some(ran))
    .map(({ url }) => url.slice(url.indexOf(source) + source.length));
}
