import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createBridge } from 'mcp-kit/bridge';
import type { Era, Target } from 'mcp-kit/protocol';
import { memoryTarget } from 'mcp-kit/testing';
import { listenSocket } from 'mcp-kit/transport';
import { serveHttp } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeFeatures } from './features-changes.ts';
import { contentFeatures } from './features-content.ts';
import { inputFeatures } from './features-inputs.ts';
import { toolFeatures } from './features-tools.ts';
import { createFixture, serveFixtureHttp } from './fixture.mjs';
import { connectHost, type Place, type Session, type Speaker } from './hosts.ts';
import { pairwise } from '../support/scale.ts';
import { makeReady } from './peers.mjs';
import { readyMs } from './try-features.ts';

const features = [...toolFeatures, ...inputFeatures, ...contentFeatures, ...changeFeatures];

interface Open extends AsyncDisposable {
  readonly place: Place;
}

/** How the server behind the bridge is reached. */
async function openUpstream(
  wire: 'pipe' | 'http',
): Promise<{ target: Target; close(): Promise<void> }> {
  if (wire === 'http') {
    const { url, close } = await serveFixtureHttp();
    return { target: httpTarget(url), close };
  }
  const { server } = createFixture();
  return { target: memoryTarget(server), close: async () => server.close() };
}

async function openBridge(
  front: 'socket' | 'http',
  wire: 'pipe' | 'http',
  era: Era,
): Promise<Open> {
  const { target, close } = await openUpstream(wire);
  const bridge = createBridge(target, { era });
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-bridge-'));
  const socket = path.join(folder, 'bridge.sock');
  const listening =
    front === 'http'
      ? await serveHttp(bridge, { retryMs: 20 })
      : await listenSocket(bridge, socket, { nullIds: true });
  return {
    place:
      'url' in listening
        ? { kind: 'http', url: listening.url }
        : { kind: 'socket', path: listening.address },
    async [Symbol.asyncDispose]() {
      await listening.close();
      await bridge.close();
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const speakers: readonly (Speaker & { readonly era: Era; readonly named: string })[] = [
  { sdk: 'v1', era: 'legacy', named: 'SDK v1' },
  { sdk: 'v2', mode: { pin: '2026-07-28' }, era: 'modern', named: 'SDK v2' },
];

/** What the revisions cannot carry to each other, by client and server, and why. */
const cannot: readonly { name: string; client: Era; server: Era; why: string }[] = [
  {
    name: 'a client that refuses to answer makes the call fail, and not more',
    client: 'legacy',
    server: 'modern',
    why: 'the modern revision has no word for it: the call fails with a protocol error',
  },
  {
    name: 'structured content that is no object is wrapped for those who know only objects',
    client: 'modern',
    server: 'legacy',
    why: 'nobody can tell what was wrapped from what is such an object',
  },
];

beforeAll(makeReady, readyMs);

interface Cell {
  readonly speaker: (typeof speakers)[number];
  readonly server: Era;
  readonly front: 'http' | 'socket';
  readonly wire: 'pipe' | 'http';
}

const cells: readonly Cell[] = speakers.flatMap((speaker) =>
  (['legacy', 'modern'] as const).flatMap((server) =>
    (['http', 'socket'] as const).flatMap((front) =>
      (['pipe', 'http'] as const).map((wire) => ({ speaker, server, front, wire })),
    ),
  ),
);

const { tried, share } = pairwise(cells);

for (const { speaker, server, front, wire } of tried) {
  const { era, named } = speaker;
  describe(`${share} cells: ${named} (${era}) over ${front} finds a ${server} server behind a bridge over ${wire}: that`, () => {
    let open: Open | undefined;
    let session: Session | undefined;
    beforeAll(async () => {
      open = await openBridge(front, wire, server);
      session = await connectHost(open.place, speaker);
    });
    afterAll(async () => {
      await session?.close();
      await open?.[Symbol.asyncDispose]();
    });

    const offered = features.filter(
      ({ name, era: only = era }) =>
        only === era &&
        !cannot.some((one) => one.name === name && one.client === era && one.server === server),
    );
    test.each(offered.map(({ name, run }) => [name, run] as const))('%s', async (_name, run) => {
      if (session === undefined) throw new Error('not connected');
      session.errors.length = 0;
      await run(session);
      expect(session.errors).toEqual([]);
    });
  });
}
