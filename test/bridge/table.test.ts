import type { Era } from 'mcp-kit/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeFeatures } from '../interop/features-changes.ts';
import { contentFeatures } from '../interop/features-content.ts';
import { inputFeatures } from '../interop/features-inputs.ts';
import { toolFeatures } from '../interop/features-tools.ts';
import { connectHost, type Session, type Speaker } from '../interop/hosts.ts';
import { makeReady } from '../interop/peers.mjs';
import { readyMs } from '../interop/try-features.ts';
import { pairwise } from '../support/scale.ts';
import { cells, openCell, type Cell, type OpenCell } from './cells.ts';
import { peerFeatures, type PeerFeature } from './peer-features.ts';

const speakers: Readonly<Record<Era, Speaker>> = {
  legacy: { sdk: 'v1' },
  modern: { sdk: 'v2', mode: { pin: '2026-07-28' } },
};

const ownFeatures: readonly PeerFeature[] = [
  ...toolFeatures,
  ...inputFeatures,
  ...contentFeatures,
  ...changeFeatures,
];

/** What the revisions cannot carry to each other, by client and server, and why; shown below, with what is said then. */
const cannot: readonly { name: string; client: Era; server: Era }[] = [
  {
    name: 'a client that refuses to answer makes the call fail, and not more',
    client: 'legacy',
    server: 'modern',
  },
  {
    name: 'structured content that is no object is wrapped for those who know only objects',
    client: 'modern',
    server: 'legacy',
  },
];

function featuresOf({ client, server, upstream }: Cell): readonly PeerFeature[] {
  const all = upstream === 'unix' ? ownFeatures : peerFeatures;
  return all.filter(
    ({ name, era = client }) =>
      era === client &&
      !cannot.some((one) => one.name === name && one.client === client && one.server === server),
  );
}

/** Both SDKs come back for the stream of a call they have cancelled themselves, and say so when it is no longer kept. */
function isComplaint({ message }: Error): boolean {
  return !/Failed to (?:open|reconnect) SSE stream|Maximum reconnection attempts/.test(message);
}

beforeAll(makeReady, readyMs);

const { tried, share } = pairwise(cells);

describe.each(tried)(
  `${share} cells: a $client client over $front finds at a $server server over $upstream that`,
  (cell) => {
    let open: OpenCell | undefined;
    let session: Session | undefined;
    beforeAll(async () => {
      open = await openCell(cell);
      session = await connectHost(open.place, speakers[cell.client]);
    });
    afterAll(async () => {
      await session?.close();
      await open?.[Symbol.asyncDispose]();
    });

    test.each(featuresOf(cell).map(({ name, run }) => [name, run] as const))(
      '%s',
      async (_name, run) => {
        if (open === undefined || session === undefined) throw new Error('not connected');
        session.errors.length = 0;
        await run(session, open.stage);
        expect(session.errors.filter(isComplaint)).toEqual([]);
      },
    );
  },
);
