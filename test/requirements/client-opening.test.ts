import { createDeferred, KitError } from 'mcp-kit/internal';
import { createStormBreaker } from 'mcp-kit/client';
import { childTarget } from 'mcp-kit/transport/child-process';
import { describe, expect, test } from 'vitest';
import { failure, newer, older, open, refuse, script, settle } from './client-script.ts';

describe('a session that was lost', () => {
  test('is opened by reopen, once for everybody, and not while it is open', async () => {
    const server = script(older);
    await using session = await open(server);
    await session.reopen();
    expect([server.peers.length, session.isConnected]).toEqual([1, true]);
    server.peer.hangUp();
    expect([session.isOpen, session.isConnected]).toEqual([true, false]);
    await Promise.all([session.reopen(), session.reopen(), session.ping()]);
    expect([server.peers.length, session.isConnected]).toEqual([2, true]);
  });

  test('throws what opening throws, and can be opened later', async () => {
    let isDown = false;
    const down = new KitError('unreachable', 'nobody there');
    const server = script(older, {
      dial: () => {
        if (isDown) throw down;
        return undefined as never;
      },
    });
    await using session = await open(server);
    isDown = true;
    server.peer.hangUp();
    expect(await failure(session.reopen())).toBe(down);
    expect([session.isOpen, session.isConnected]).toEqual([true, false]);
    isDown = false;
    await session.reopen();
    expect(session.isConnected).toBe(true);
  });

  test('lets go whoever gives up waiting, and goes on for the others', async () => {
    const ready = createDeferred<void>();
    let dials = 0;
    const server = script(older, {
      dial: async () => {
        dials += 1;
        if (dials > 1) await ready.promise;
        return undefined as never;
      },
    });
    await using session = await open(server);
    server.peer.hangUp();
    const controller = new AbortController();
    const given = failure(session.reopen({ signal: controller.signal }));
    const waited = session.reopen();
    controller.abort();
    expect(await given).toMatchObject({ code: 'aborted' });
    ready.resolve();
    await waited;
    expect([dials, session.isConnected]).toEqual([2, true]);
  });

  test('stays lost when it was closed, or must not heal', async () => {
    const server = script(older);
    const closed = await open(server);
    await closed.close();
    expect(await failure(closed.reopen())).toMatchObject({ code: 'closed' });
    expect([closed.isOpen, closed.isConnected]).toEqual([false, false]);
    await using brittle = await open(server, { heal: false });
    server.peer.hangUp();
    expect(await failure(brittle.reopen())).toMatchObject({ code: 'closed' });
    expect(brittle.isConnected).toBe(false);
  });

  test('is opened no more often than its breaker allows, which others may use, too', async () => {
    const server = script(older);
    const breaker = createStormBreaker(2, 60_000);
    await using session = await open(server, { breaker });
    server.peer.hangUp();
    await session.reopen();
    expect(breaker.admit()).toBe(true);
    server.peer.hangUp();
    const error = await failure(session.reopen());
    expect(error).toMatchObject({ code: 'closed' });
    expect(error.message).toContain('2 times within 60 s');
    expect(server.peers).toHaveLength(2);
  });

  test('tells of every beginning and every loss, in order; a listener that throws harms nobody', async () => {
    const server = script(older);
    const told: string[] = [];
    await using session = await open(server, {
      onOpened: () => {
        told.push('opened');
        throw new Error('a bug of the owner');
      },
      onLost: () => told.push('lost'),
    });
    expect(told).toEqual(['opened']);
    server.peer.hangUp();
    await session.ping();
    expect(told).toEqual(['opened', 'lost', 'opened']);
  });
});

describe('a process that ends while a session is being opened', () => {
  test.each(['auto', 'legacy', 'modern'] as const)(
    'is the reason, with its last words (era: %s)',
    async (era) => {
      const args = ['-c', 'echo sorry, no licence >&2; exit 3'];
      const target = childTarget({ command: '/bin/sh', args });
      const error = await failure(open(target, { era }));
      expect(error).toMatchObject({
        code: 'process_failed',
        hint: expect.stringContaining('last words'),
        details: { exitCode: 3, stderr: 'sorry, no licence\n' },
      });
      expect(error.message).toContain('ended with exit code 3');
      expect(error.message).toContain('sorry, no licence');
    },
  );

  test('is the reason also when it is opened anew', async () => {
    let dials = 0;
    const dead = childTarget({ command: '/bin/sh', args: ['-c', 'exit 4'] });
    const alive = script(older);
    const target = {
      ...alive.target,
      dial: (signal?: AbortSignal) => (++dials === 1 ? alive.target : dead).dial(signal),
    };
    await using session = await open(target);
    alive.peer.hangUp();
    expect(await failure(session.callTool('t'))).toMatchObject({
      code: 'process_failed',
      details: { exitCode: 4 },
    });
  });
});

describe('a revision that is ordered', () => {
  test.each(['2025-06-18', '2024-11-05', '1999-01-01'])(
    '%s is what initialize offers, without a probe',
    async (protocolVersion) => {
      const server = script({
        ...older,
        initialize: (params) => ({ ...params, capabilities: {}, serverInfo: {} }),
      });
      await using session = await open(server, { protocolVersion });
      await settle();
      expect(server.heard).toEqual(['initialize', 'notifications/initialized']);
      expect([session.era, session.version]).toEqual(['legacy', protocolVersion]);
    },
  );

  test('is what the server may choose another in place of, if that is known', async () => {
    const server = script(older);
    await using session = await open(server, { protocolVersion: 'draft' });
    expect(session.version).toBe('2025-11-25');
    const strange = script({ initialize: () => ({ protocolVersion: 'other', capabilities: {} }) });
    expect(await failure(open(strange, { protocolVersion: 'draft' }))).toMatchObject({
      code: 'unsupported_version',
    });
  });

  test('is offered again when the session is opened anew', async () => {
    const server = script(older);
    await using session = await open(server, { protocolVersion: '2025-03-26' });
    server.peer.hangUp();
    await session.ping();
    expect(server.peer.of('initialize')[0]?.params).toMatchObject({
      protocolVersion: '2025-03-26',
    });
  });

  test('of the modern era is spoken or nothing', async () => {
    await using session = await open(script(newer), { protocolVersion: '2026-07-28' });
    expect(session.era).toBe('modern');
    const old = script({ ...older, 'server/discover': refuse(-32601) });
    await failure(open(old, { protocolVersion: '2026-07-28' }));
    expect(old.heard).toEqual(['server/discover']);
  });

  test('contradicts no other order', async () => {
    const error = await failure(
      open(script(older), { protocolVersion: '2025-06-18', era: 'modern' }),
    );
    expect(error).toMatchObject({ code: 'invalid_argument' });
  });
});
