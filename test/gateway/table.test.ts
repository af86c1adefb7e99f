import type { Era } from 'mcp-kit/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { peerFeatures, type PeerFeature } from '../bridge/peer-features.ts';
import { connectHost, type Session, type Speaker } from '../interop/hosts.ts';
import { makeReady, type SdkV2Client } from '../interop/peers.mjs';
import { readyMs } from '../interop/try-features.ts';
import { sample } from '../support/scale.ts';
import { asServer } from './as-server.ts';
import { openGateway, type GatewayStage } from './stage.ts';

const speakers: Readonly<Record<Era, Speaker>> = {
  legacy: { sdk: 'v1' },
  modern: { sdk: 'v2', mode: { pin: '2026-07-28' } },
};

/** Each client era, each server era, each front and each upstream; any two of them meet. */
const rows = [
  { client: 'legacy', front: 'http', server: 'v1-stdio' },
  { client: 'legacy', front: 'http', server: 'v2-http' },
  { client: 'legacy', front: 'socket', server: 'v2-stdio' },
  { client: 'legacy', front: 'socket', server: 'v1-http' },
  { client: 'modern', front: 'http', server: 'v2-stdio' },
  { client: 'modern', front: 'http', server: 'v1-http' },
  { client: 'modern', front: 'socket', server: 'v1-stdio' },
  { client: 'modern', front: 'socket', server: 'v2-http' },
] as const;

/** What a gateway does otherwise: it introduces itself, and tells of lists that are others than before. */
const ownWay: ReadonlySet<string> = new Set([
  'the server introduces itself',
  'a change of the tools is told',
  'a subscription is told of what it asked for, until it is closed',
]);

const listening: PeerFeature = {
  name: 'a subscription to a resource is told of it, and of no other',
  era: 'modern',
  async run({ client, inbox }, { announce }) {
    inbox.clear();
    const filter = { toolsListChanged: true, resourceSubscriptions: ['memo://one'] };
    // Only the newer SDK has clients of this era.
    const subscription = await (client as SdkV2Client).listen(filter);
    expect(subscription.honoredFilter).toMatchObject(filter);
    await announce('memo://two');
    await announce('memo://one');
    await inbox.next('notifications/resources/updated');
    const told = inbox.of('notifications/resources/updated');
    expect(told.map(({ params }) => params?.['uri'])).toEqual(['memo://one']);
    await subscription.close();
  },
};

function featuresOf(client: Era): readonly PeerFeature[] {
  const features = peerFeatures.filter(({ name }) => !ownWay.has(name));
  return [...features, listening].filter(({ era = client }) => era === client);
}

/** Both SDKs come back for the stream of a call they have cancelled themselves, and say so when it is no longer kept. */
function isComplaint({ message }: Error): boolean {
  return !/Failed to (?:open|reconnect) SSE stream|Maximum reconnection attempts/.test(message);
}

let open: GatewayStage;
beforeAll(async () => {
  await makeReady();
  open = await openGateway();
}, readyMs);
afterAll(() => open[Symbol.asyncDispose]());

/** Each with what it is asked: where somebody waits, half of it, and the other half with the next. */
const cells = rows.map((row, turn) => ({ ...row, ...sample(featuresOf(row.client), 2, turn) }));

describe.each(cells)(
  'A $client client over $front finds behind a gateway, at $server, $share tried, that',
  ({ client, front, server, tried }) => {
    let session: Session;
    beforeAll(async () => {
      session = asServer(await connectHost(open[front], speakers[client]), server);
    });
    afterAll(() => session.close());

    test.each(tried.map(({ name, run }) => [name, run] as const))('%s', async (_name, run) => {
      session.errors.length = 0;
      await run(session, open.stage);
      expect(session.errors.filter(isComplaint)).toEqual([]);
    });
  },
);
