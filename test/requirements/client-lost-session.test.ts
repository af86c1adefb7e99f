import { KitError } from 'mcp-kit/internal';
import { describe, expect, test } from 'vitest';
import { textOf } from '../interop/client-session.ts';
import { failure, older, open, script, settle, text, type Serve } from './client-script.ts';

describe('when the server no longer knows the session', () => {
  const http = { wire: 'http' } as const;
  const forgetful = (details: object | undefined) => {
    let session = 0;
    let known = 0;
    const check = (): void => {
      if (known !== session || known === 0) {
        throw new KitError('session_lost', 'who are you?', details && { details: { ...details } });
      }
    };
    const server = script(
      {
        ...older,
        initialize: async (params, call) => {
          session += 1;
          known = session;
          await settle();
          return older['initialize']?.(params, call);
        },
        'tools/call': () => {
          check();
          return text('ok');
        },
        'tools/list': () => {
          check();
          return { tools: [] };
        },
      },
      http,
    );
    const forget = (): void => {
      known = 0;
    };
    return { server, forget };
  };

  test('any call that has not run is asked again, on the same connection', async () => {
    const { server, forget } = forgetful({ ran: false });
    await using session = await open(server);
    forget();
    expect(textOf(await session.callTool('t'))).toBe('ok');
    expect(server.peers).toHaveLength(1);
    expect(server.peer.received.map(({ method }) => method)).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/call',
      'initialize',
      'notifications/initialized',
      'tools/call',
    ]);
  });

  test('whoever wants to know is told, once, although the session heals', async () => {
    const { server, forget } = forgetful({ ran: false });
    const lost: unknown[] = [];
    await using session = await open(server, { onLost: (cause) => lost.push(cause) });
    forget();
    await Promise.all([session.callTool('a'), session.callTool('b'), session.listTools()]);
    expect(lost).toMatchObject([{ code: 'session_lost' }]);
  });

  test('fifty calls at once make one handshake', async () => {
    const { server, forget } = forgetful({ ran: false });
    await using session = await open(server);
    forget();
    const calls = Array.from({ length: 50 }, (_, at) => session.callTool(`t${at}`));
    expect((await Promise.all(calls)).map(textOf)).toEqual(Array(50).fill('ok'));
    expect(server.peer.of('initialize')).toHaveLength(2);
    expect(server.peer.of('tools/call')).toHaveLength(100);
    expect(session.stats.handshakes).toBe(2);
  });

  test('a call that may have run is not asked again; a list is', async () => {
    for (const details of [{ ran: true }, {}, undefined]) {
      const { server, forget } = forgetful(details);
      await using session = await open(server);
      forget();
      expect(await failure(session.callTool('t'))).toMatchObject({ code: 'session_lost' });
      forget();
      expect(await session.listTools()).toMatchObject({ tools: [] });
      expect(textOf(await session.callTool('t'))).toBe('ok');
      expect(server.peer.of('tools/call')).toHaveLength(2);
    }
  });

  test('a server that forgets at once is asked only once more', async () => {
    const { server, forget } = forgetful({ ran: false });
    await using session = await open(server);
    forget();
    const call = failure(session.callTool('t'));
    await server.peer.nth('initialize', 2);
    await server.peer.nth('notifications/initialized', 2);
    forget();
    expect(await call).toMatchObject({ code: 'session_lost' });
    expect(server.peer.of('tools/call')).toHaveLength(2);
  });

  test('a new connection is opened where the old one cannot go on', async () => {
    let broken = false;
    const server = script(
      {
        ...older,
        initialize: (params, call) => {
          if (broken && call.peer.ordinal === 1) throw new KitError('http_status', 'gone');
          return older['initialize']?.(params, call);
        },
        'tools/call': (_params, { peer }) => {
          if (peer.ordinal > 1) return text('ok');
          broken = true;
          throw new KitError('session_lost', 'lost', { details: { ran: false } });
        },
      },
      http,
    );
    await using session = await open(server);
    expect(textOf(await session.callTool('t'))).toBe('ok');
    expect(server.peers.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });

  test('heal: false ends the session, and lets the connection go', async () => {
    const { server, forget } = forgetful({ ran: false });
    const lost: unknown[] = [];
    const session = await open(server, { heal: false, onLost: (cause) => lost.push(cause) });
    forget();
    expect(await failure(session.callTool('t'))).toMatchObject({ code: 'session_lost' });
    expect(lost).toMatchObject([{ code: 'session_lost' }]);
    expect(await session.closed).toMatchObject({ code: 'session_lost' });
    expect(server.peer.isClosed).toBe(true);
    await session.close();
  });

  test('the level and the subscriptions are restored', async () => {
    const { server, forget } = forgetful({ ran: false });
    await using session = await open(server);
    await session.setLogLevel('error');
    await session.subscribe('x:1');
    forget();
    await session.callTool('t');
    await settle();
    expect(server.peer.of('logging/setLevel')).toHaveLength(2);
    expect(server.peer.of('resources/subscribe')).toHaveLength(2);
  });

  test('an answer that was lost is asked for again where that is safe', async () => {
    let lost = 0;
    const lose: Serve = () => {
      lost += 1;
      if (lost % 2 === 1) throw new KitError('answer_lost', 'the stream ended');
      return { tools: [], ...text('ok') };
    };
    const server = script({ ...older, 'tools/list': lose, 'tools/call': lose }, http);
    await using session = await open(server);
    await session.listTools();
    expect(lost).toBe(2);
    expect(await failure(session.callTool('t'))).toMatchObject({ code: 'answer_lost' });
    expect(lost).toBe(3);
    expect(session.stats.handshakes).toBe(1);
  });
});
