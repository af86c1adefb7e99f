import { describe, expect, test } from 'vitest';
import { createDeferred, KitError } from 'mcp-kit/internal';
import type { HttpAuth, HttpChallenge } from 'mcp-kit/transport/http-client';
import {
  event,
  json,
  result,
  scripted,
  sessionful,
  stream,
  talk,
  type Seen,
} from './http-client-fixture.ts';

// How the HTTP client gets its requests let in.

interface Keys extends HttpAuth {
  token: string;
  readonly challenges: HttpChallenge[];
}

/** Shows a token, and takes a new one whenever it is refused. */
function keys(verdict: (challenge: HttpChallenge) => 'retry' | 'give up' = () => 'retry'): Keys {
  const self: Keys = {
    token: 't0',
    challenges: [],
    headers: () => ({ authorization: `Bearer ${self.token}` }),
    challenged: (challenge) => {
      self.challenges.push(challenge);
      self.token = `t${self.challenges.length}`;
      return Promise.resolve(verdict(challenge));
    },
  };
  return self;
}

function refuse({ response }: Seen, status = 401): void {
  const headers = { 'www-authenticate': 'Bearer realm="x"', 'dpop-nonce': 'n' };
  response.writeHead(status, headers).end('not you');
}

/** Serves those who bring the token. */
const only =
  (token: string, status = 401) =>
  (seen: Seen): void => {
    if (seen.headers.authorization === `Bearer ${token}`) json(seen, result(seen));
    else refuse(seen, status);
  };

describe('a request', () => {
  test.each([401, 403])(
    'that is refused with %i is sent again with what is got for it',
    async (status) => {
      await using server = await scripted(only('t1', status));
      const auth = keys();
      await using client = await talk(server.url, {
        auth,
        headers: { authorization: 'mine', 'x-a': '1' },
      });
      await client.answer(client.ask('tools/call', { name: 'x' }));
      const [first, second] = server.seen;
      expect(first?.headers).toMatchObject({ authorization: 'Bearer t0', 'x-a': '1' });
      expect(second?.headers).toMatchObject({ authorization: 'Bearer t1', 'x-a': '1' });
      expect(second?.text).toBe(first?.text);
      expect(auth.challenges).toEqual([
        {
          status,
          method: 'POST',
          url: server.url,
          wwwAuthenticate: 'Bearer realm="x"',
          dpopNonce: 'n',
          sent: { authorization: 'Bearer t0' },
        },
      ]);
    },
  );

  test('is given up when nothing can be done, with what the server said', async () => {
    await using server = await scripted((seen) => refuse(seen));
    await using client = await talk(server.url, { auth: keys(() => 'give up') });
    const error = await client.loss(client.ask('tools/call'));
    expect(error).toMatchObject({
      code: 'unauthorized',
      message: 'HTTP 401: not you',
      details: { status: 401, challenge: 'Bearer realm="x"' },
    });
    expect(server.seen).toHaveLength(1);
  });

  test('fails with the error of whoever tried, in their words', async () => {
    await using server = await scripted((seen) => refuse(seen));
    const auth: HttpAuth = {
      headers: () => ({}),
      challenged: () => Promise.reject(new KitError('unauthorized', 'log in', { hint: 'like so' })),
    };
    await using client = await talk(server.url, { auth });
    const error = await client.loss(client.ask('tools/call'));
    expect(error).toMatchObject({ code: 'unauthorized', message: 'log in', hint: 'like so' });
  });

  test('is not sent for ever', async () => {
    await using server = await scripted((seen) => refuse(seen));
    const auth = keys();
    await using client = await talk(server.url, { auth });
    const error = await client.loss(client.ask('tools/call'));
    expect(error).toMatchObject({ code: 'unauthorized', message: 'HTTP 401: not you' });
    expect(auth.challenges).toHaveLength(4);
    expect(server.seen).toHaveLength(5);
  });

  test('that was given up meanwhile is not sent again', async () => {
    await using server = await scripted((seen) => refuse(seen));
    const verdict = createDeferred<'retry'>();
    const asked = createDeferred<void>();
    const auth: HttpAuth = {
      headers: () => ({}),
      challenged: () => {
        asked.resolve();
        return verdict.promise;
      },
    };
    const client = await talk(server.url, { auth });
    client.ask('tools/call');
    await asked.promise;
    await client.channel.close();
    verdict.resolve('retry');
    await server.deserted();
    expect(server.seen).toHaveLength(1);
  });

  test('that needs no letting in is none of its business', async () => {
    await using server = await scripted((seen) => seen.response.writeHead(500).end());
    const auth = keys();
    await using client = await talk(server.url, { auth });
    expect(await client.loss(client.ask('tools/call'))).toMatchObject({ code: 'http_status' });
    expect(auth.challenges).toEqual([]);
  });
});

test('the stream of a session and its farewell are let in in the same way', async () => {
  await using server = await scripted(
    sessionful((seen) => {
      if (seen.method !== 'GET') json(seen, result(seen));
      else if (seen.headers.authorization === 'Bearer t1') {
        stream(seen).write(event({ jsonrpc: '2.0', method: 'notifications/x' }));
      } else refuse(seen);
    }),
  );
  const auth = keys();
  const client = await talk(server.url, { auth });
  await client.shakeHands();
  await client.until(() => client.messages.find(({ method }) => method === 'notifications/x'));
  expect(auth.challenges.map(({ method }) => method)).toEqual(['GET']);
  await client.channel.close();
  expect(server.all('DELETE')[0]?.headers.authorization).toBe('Bearer t1');
});
