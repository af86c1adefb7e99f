import { createDeferred } from 'mcp-kit/internal';
import { beforeAll, describe, expect, test } from 'vitest';
import { followProgress } from './features-tools.ts';
import { connectHost, textOf, type Place, type Session, type Speaker } from './hosts.ts';
import { makeReady, type SdkV2Client } from './peers.mjs';
import { openPlace } from './places.ts';
import type { Tap } from './socket-transport.ts';
import { readyMs } from './try-features.ts';

beforeAll(makeReady, readyMs);

const speakers: readonly Speaker[] = [
  { sdk: 'v1' },
  { sdk: 'v1', version: '2025-03-26' },
  { sdk: 'v2' },
  { sdk: 'v2', version: '2025-06-18' },
  { sdk: 'v2', mode: 'auto' },
  { sdk: 'v2', mode: { pin: '2026-07-28' } },
];

async function together(place: Place, play: (sessions: Session[]) => Promise<void>): Promise<void> {
  const sessions = await Promise.all(speakers.map((speaker) => connectHost(place, speaker)));
  try {
    await play(sessions);
  } finally {
    await Promise.all(sessions.map((session) => session.close()));
  }
}

describe.each(['http', 'socket'] as const)('Clients of both eras on one server over %s', (kind) => {
  test('each ask, are asked and hear of progress, all at once', async () => {
    await using open = await openPlace(kind);
    await together(open.place, async (sessions) => {
      const rounds = sessions.map(async (session, index) => {
        session.answers['elicitation/create'] = () => ({
          action: 'accept',
          content: { name: `user ${index}` },
        });
        const [name, progress] = await Promise.all([
          session.call('ask_name'),
          followProgress(session, `together ${index}`),
        ]);
        expect(progress).toHaveLength(5);
        return textOf(name);
      });
      expect(await Promise.all(rounds)).toEqual(sessions.map((_, index) => `name=user ${index}`));
    });
  });

  test('all hear of one change', async () => {
    await using open = await openPlace(kind);
    await together(open.place, async (sessions) => {
      const modern = sessions.filter(({ era }) => era === 'modern');
      const subscriptions = await Promise.all(
        modern.map(({ client }) => (client as SdkV2Client).listen({ toolsListChanged: true })),
      );
      await sessions[0]?.call('change_list', { kind: 'tools', name: 'common' });
      const heard = sessions.map(({ inbox }) => inbox.next('notifications/tools/list_changed'));
      expect(await Promise.all(heard)).toHaveLength(speakers.length);
      for (const { inbox } of sessions) {
        expect(inbox.of('notifications/tools/list_changed')).toHaveLength(1);
      }
      await Promise.all(subscriptions.map((subscription) => subscription.close()));
    });
  });

  test('one that cancels does not disturb the others', async () => {
    await using open = await openPlace(kind);
    await together(open.place, async (sessions) => {
      const ends = sessions.map(async (session, index) => {
        const key = `same key ${index}`;
        const abort = new AbortController();
        const onprogress = () => abort.abort();
        const waits = session.call('wait', { key }, { signal: abort.signal, onprogress });
        await expect(waits).rejects.toThrow(/abort/i);
        return textOf(await session.call('wait_for_cancellation', { key }));
      });
      const expected = sessions.map((_, index) => `same key ${index} was cancelled`);
      expect(await Promise.all(ends)).toEqual(expected);
    });
  });
});

describe.each(['stdio', 'http', 'socket'] as const)(
  'A client that keeps its lists fresh over %s',
  (wire) => {
    const refreshing: readonly Speaker[] = [
      { sdk: 'v1' },
      { sdk: 'v2' },
      { sdk: 'v2', mode: 'auto' },
    ];

    test.each(refreshing)('has the new list soon after a change: $sdk $mode', async (speaker) => {
      const fresh = createDeferred<readonly { readonly name: string }[]>();
      const onChanged = (
        error: Error | null,
        tools: readonly { readonly name: string }[],
      ): void => {
        if (error === null) fresh.resolve(tools);
        else fresh.reject(error);
      };
      const options = { listChanged: { tools: { onChanged, debounceMs: 1 } } };
      await using open = await openPlace(wire);
      const session = await connectHost(open.place, { ...speaker, options });
      await session.call('change_list', { kind: 'tools', name: 'a_newcomer' });
      const names = (await fresh.promise).map(({ name }) => name);
      // The older SDK refreshes the first page only.
      expect(names).toContain(speaker.sdk === 'v2' ? 'a_newcomer' : 'greet');
      await session.close();
    });
  },
);

describe('A pipe that was probed for the modern era', () => {
  const opening = {
    jsonrpc: '2.0',
    id: 'probe',
    method: 'server/discover',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      },
    },
  };
  const following: readonly Speaker[] = [
    { sdk: 'v1' },
    { sdk: 'v1', version: '2025-03-26' },
    { sdk: 'v2' },
    { sdk: 'v2', mode: 'auto' },
  ];

  test.each(following)('serves whoever comes next: $sdk $version $mode', async (speaker) => {
    const received: unknown[] = [];
    const tap: Tap = (direction, message) => {
      if (direction === 'received') received.push(message);
    };
    await using open = await openPlace('socket', { opening, tap });
    const session = await connectHost(open.place, speaker);
    expect(received[0]).toMatchObject({
      id: 'probe',
      result: { resultType: 'complete', supportedVersions: ['2026-07-28'] },
    });
    expect(textOf(await session.call('ask_name'))).toBe('name=Ada');
    expect(session.errors).toEqual([]);
    await session.close();
  });
});
