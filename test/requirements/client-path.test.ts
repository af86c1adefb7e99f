import { Session as Inspector, type Profiler } from 'node:inspector/promises';
import { openSession } from 'mcp-kit/client';
import { modernVersion } from 'mcp-kit/protocol';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { expect, test } from 'vitest';
import { json, noStream, result, scripted, sessionful, type Seen } from './http-client-fixture.ts';

// How many modules take part in one call: whoever follows it has to read them.

const source = '/packages/mcp-kit/src/';

/** The modules of the library of which anything runs during some work. */
async function modulesOf(work: () => Promise<unknown>): Promise<readonly string[]> {
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

const answer = (seen: Seen): void => {
  const { method } = seen.message;
  if (method === 'server/discover') {
    json(seen, result(seen, { supportedVersions: [modernVersion], capabilities: {} }));
  } else {
    json(seen, result(seen, { resultType: 'complete', content: [] }));
  }
};

test.each([
  ['legacy', 20],
  ['modern', 22],
] as const)('a call over HTTP in the %s era passes %i modules at most', async (era, most) => {
  await using server = await scripted(era === 'legacy' ? sessionful(noStream(answer)) : answer);
  // Whoever listens has the stream of the session before the first call.
  const onNotification = (): void => {};
  await using session = await openSession(httpTarget(server.url), { era, onNotification });
  await session.callTool('warm up');
  const modules = await modulesOf(() => session.callTool('measured'));
  expect(modules).toContain('client/session.ts');
  expect(modules.slice(most)).toEqual([]);
});
