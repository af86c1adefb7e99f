import { openSession } from 'mcp-kit/client';
import { modernVersion } from 'mcp-kit/protocol';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { expect, test } from 'vitest';
import { modulesOf } from '../support/modules-of.ts';
import { json, noStream, result, scripted, sessionful, type Seen } from './http-client-fixture.ts';

// How many modules take part in one call: whoever follows it has to read them.

const answer = (seen: Seen): void => {
  const { method } = seen.message;
  if (method === 'server/discover') {
    json(seen, result(seen, { supportedVersions: [modernVersion], capabilities: {} }));
  } else {
    json(seen, result(seen, { resultType: 'complete', content: [] }));
  }
};

test.each([
  ['legacy', 18],
  ['modern', 19],
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
