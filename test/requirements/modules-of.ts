import { Session as Inspector, type Profiler } from 'node:inspector/promises';

const source = '/packages/mcp-kit/src/';

/** The modules of the library of which anything runs during some work: whoever follows it has to read them. */
export async function modulesOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const inspector = new Inspector();
  inspector.connect();
  try {
    await inspector.post('Profiler.enable');
    await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await inspector.post('Profiler.takePreciseCoverage');
    await work();
    const { result: scripts } = await inspector.post('Profiler.takePreciseCoverage');
    // What has no name is how the test runner lets modules see each other.
    const ran = ({ functionName, ranges: [all] }: Profiler.FunctionCoverage): boolean =>
      functionName !== '' && (all?.count ?? 0) > 0;
    return scripts
      .filter(({ url, functions }) => url.includes(source) && functions.some(ran))
      .map(({ url }) => url.slice(url.indexOf(source) + source.length))
      .toSorted();
  } finally {
    inspector.disconnect();
  }
}
