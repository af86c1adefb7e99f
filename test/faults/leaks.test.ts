import { expect, test } from 'vitest';
import { sample } from '../support/scale.ts';
import { RawHttp, requestBytes } from './lib/raw-http.ts';
import { ServerProcess } from './lib/server-process.ts';
import { initializeBody, openSession, toolCall } from './lib/wire.ts';

const lanes = 20;

type Visit = (http: RawHttp, port: number) => Promise<void>;

/** Opens a session and says goodbye. */
const politely: Visit = async (http) => {
  const { headers } = await openSession(http);
  await http.exchange(
    requestBytes({ headers, body: toolCall(1, 'echo', { nonce: 1, aloud: true }) }),
  );
  const gone = await http.exchange(requestBytes({ method: 'DELETE', headers }));
  // Where the machine was busy for longer than a session lasts, it is gone already.
  expect([204, 404]).toContain(gone.status);
};

/** Opens a session and forgets it. */
const silently: Visit = async (http) => {
  await openSession(http);
};

/** Opens a session and vanishes in the middle of things: a stream open, a call under way. */
const suddenly: Visit = async (http, port) => {
  const { headers } = await openSession(http);
  using stream = new RawHttp(port);
  stream.socket.write(requestBytes({ method: 'GET', headers }));
  await new Promise((resolve) => stream.socket.once('data', resolve));
  using call = new RawHttp(port);
  call.socket.write(requestBytes({ headers, body: toolCall(1, 'hang') }));
  await http.exchange(requestBytes({ headers, body: toolCall(2, 'echo', { nonce: 1 }) }));
};

/** Asks for things that are refused. */
const rudely: Visit = async (http) => {
  const unknown = { 'mcp-session-id': 'no-such-session' };
  const refused: readonly [Buffer, number][] = [
    [requestBytes({ method: 'GET' }), 400],
    [requestBytes({ method: 'GET', headers: unknown }), 404],
    [requestBytes({ method: 'OPTIONS' }), 405],
    [requestBytes({ method: 'PUT', body: {} }), 405],
    [requestBytes({ method: 'DELETE', headers: unknown }), 404],
    [requestBytes({ body: { ...initializeBody(), params: {} } }), 200],
    [requestBytes({ body: { jsonrpc: '2.0', method: 'initialize', params: {} } }), 400],
    [requestBytes({ body: toolCall(1, 'echo') }), 400],
    [requestBytes({ body: 'nonsense' }), 400],
  ];
  for (const [bytes, status] of refused) {
    const answer = await http.exchange(bytes);
    expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([status, undefined]);
  }
};

/** HEAD has no body, whatever its length says: on a connection of its own. */
const headOnly: Visit = async (_http, port) => {
  using http = new RawHttp(port);
  http.socket.write(requestBytes({ method: 'HEAD', headers: { connection: 'close' } }));
  await http.gone;
};

const visits: readonly Visit[] = [
  ...Array<Visit>(4000).fill(politely),
  ...Array<Visit>(4500).fill(silently),
  ...Array<Visit>(500).fill(suddenly),
  ...Array<Visit>(700).fill(rudely),
  ...Array<Visit>(300).fill(headOnly),
];
const { tried, share } = sample(visits, 10);

test(`${share} visits of all kinds leave no object and no timer behind`, async () => {
  await using server = await ServerProcess.start({
    sessions: { ttlMs: 2000, sweepMs: 100, maxSessions: 20_000 },
    watched: true,
  });
  const before = await server.ask('timers');
  let at = 0;
  const lane = async (): Promise<void> => {
    using http = new RawHttp(server.port);
    for (let visit = tried[at++]; visit !== undefined; visit = tried[at++]) {
      await visit(http, server.port);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  await expect.poll(() => server.ask('endpoint')).toEqual({ sessions: 0, streams: 0 });
  // The engine itself may hold one for a moment, by a handle of its own; what has leaked stays.
  await expect
    .poll(() => server.ask('objects'))
    .toEqual({
      Session: 0,
      EventStream: 0,
      PacedStream: 0,
      Reply: 0,
      // The one on which requests without a session meet.
      Connection: 1,
      Exchange: 0,
      Conversation: 0,
    });
  // Node itself keeps the time of day for a second.
  await expect.poll(() => server.ask('timers')).toBeLessThanOrEqual(before);
  expect(server.ended).toBeUndefined();
});
