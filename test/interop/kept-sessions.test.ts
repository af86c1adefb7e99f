// Clients of the official SDKs, and ours, through the restart of a server that keeps its sessions: none of them notices.
import { openSession } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Child } from '../support/child-process.ts';
import { announcementOf } from '../support/cli.ts';
import { lastingPort } from '../support/lasting-port.ts';
import { Project } from '../support/project.ts';
import { connectHost, type Speaker } from './hosts.ts';
import { makeReady, type SdkHttpTransport } from './peers.mjs';
import { readyMs } from './try-features.ts';

beforeAll(makeReady, readyMs);

const project = new Project();
afterAll(() => project[Symbol.dispose]());

async function serveAt(port: number): Promise<{ readonly child: Child; readonly url: string }> {
  const child = project.start('serve', '--port', String(port), '--json', '--store', 'state');
  const { url } = await announcementOf(child);
  return { child, url };
}

const speakers: Readonly<Record<string, Speaker>> = {
  'SDK v1': { sdk: 'v1' },
  'SDK v2': { sdk: 'v2' },
};

describe.each(Object.entries(speakers))('a client of %s', (_, speaker) => {
  test('goes on with the session that it has', async () => {
    const port = await lastingPort();
    const first = await serveAt(port);
    const session = await connectHost({ kind: 'http', url: first.url }, speaker);
    const transport = session.transport as SdkHttpTransport;
    const { sessionId } = transport;
    expect(sessionId).toBeDefined();
    await session.call('get_time_now');
    await first.child.stop('SIGKILL');
    const second = await serveAt(port);
    await using _child = second.child;
    const { content } = await session.call('get_time_now');
    expect(content).toMatchObject([{ type: 'text' }]);
    // Its stream for what belongs to no request has come back, too: progress and questions are heard.
    await expect(session.call('create_text_greeting')).resolves.toHaveProperty('content');
    expect(session.asked.map(({ method }) => method)).toEqual(['elicitation/create']);
    expect(transport.sessionId).toBe(sessionId);
    await session.close();
  });
});

test('our own client goes on, and calls that it can repeat are answered', async () => {
  const port = await lastingPort();
  const first = await serveAt(port);
  const session = await openSession(httpTarget(first.url), {
    name: 'test',
    version: '1',
    era: 'legacy',
  });
  await session.callTool('get_time_now');
  await first.child.stop('SIGKILL');
  const second = await serveAt(port);
  await using _child = second.child;
  for (let count = 0; count < 3; count += 1) {
    expect(await session.callTool('get_time_now')).toHaveProperty('content');
  }
  await session.close();
});
