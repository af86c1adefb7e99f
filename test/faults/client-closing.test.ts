import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Session } from 'mcp-kit/client';
import type { Target } from 'mcp-kit/protocol';
import { memoryTarget } from 'mcp-kit/testing';
import { socketTarget } from 'mcp-kit/transport';
import { describe, expect, test } from 'vitest';
import { createFixture, serveFixtureSocket } from '../interop/fixture.mjs';
import {
  failure,
  older,
  open,
  script,
  settle,
  text,
  type Failure,
} from '../requirements/client-script.ts';
import { fewer } from '../support/scale.ts';

const many = fewer(1000, 5);

async function openMany(target: Target, count: number): Promise<Session[]> {
  const sessions: Session[] = [];
  for (let at = 0; at < count; at += 1) {
    sessions.push(await open(target, { era: at % 2 === 0 ? 'legacy' : 'modern' }));
  }
  return sessions;
}

/** Each with a call under way. */
function hang(sessions: readonly Session[]): Promise<Failure>[] {
  return sessions.map((session, at) => failure(session.callTool('wait', { key: `k${at}` })));
}

describe('closed at once', () => {
  test(`${many} sessions with calls under way are done, and every call settles`, async () => {
    const { server, waiting } = createFixture();
    const sessions = await openMany(memoryTarget(server), many);
    const calls = hang(sessions);
    await Promise.all(sessions.map((_, at) => waiting.at(`k${at}`).begun.promise));
    await Promise.all(sessions.map((session) => session.close()));
    const errors = await Promise.all(calls);
    expect(errors.every((error) => error.code === 'closed')).toBe(true);
    await Promise.all(sessions.map((_, at) => waiting.at(`k${at}`).cancelled.promise));
  });

  test(`${many} sessions over real sockets are done`, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'mcp-closing-'));
    const fixture = await serveFixtureSocket(path.join(folder, 'socket'));
    try {
      const sessions = await openMany(socketTarget(fixture.path), many);
      const calls = hang(sessions);
      await Promise.all(sessions.map((session) => session.close()));
      const errors = await Promise.all(calls);
      expect(errors.every((error) => error.code === 'closed')).toBe(true);
    } finally {
      await fixture.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('1,000 sessions that close all others when they lose their server do not recurse', async () => {
    const server = script(older);
    const sessions: Session[] = [];
    let lost = 0;
    const onLost = (): void => {
      lost += 1;
      for (const session of sessions) void session.close();
    };
    for (let at = 0; at < 1000; at += 1)
      sessions.push(await open(server, { era: 'legacy', onLost }));
    for (const peer of server.peers) peer.hangUp();
    await Promise.all(sessions.map((session) => session.close()));
    expect(lost).toBe(1);
    expect(sessions.every(({ isOpen }) => !isOpen)).toBe(true);
  });
});

describe('close', () => {
  test('may be called again, at any time, and settles each time', async () => {
    const server = script(older);
    const session = await open(server);
    await Promise.all([session.close(), session.close(), session[Symbol.asyncDispose]()]);
    await session.close();
    expect(await session.closed).toBeUndefined();
    expect(server.peer.isClosed).toBe(true);
    for (const ask of [
      () => session.ping(),
      () => session.callTool('t'),
      () => session.notify('notifications/x'),
      () => session.subscribe('x:1'),
      () => session.listen({ toolsListChanged: true }),
      () => session.setLogLevel('info'),
    ]) {
      expect(await failure(ask())).toMatchObject({ code: 'closed' });
    }
    expect(server.peers).toHaveLength(1);
  });

  test('may be called where a loss is told', async () => {
    const server = script(older);
    const closing: Promise<void>[] = [];
    const session: Session = await open(server, { onLost: () => closing.push(session.close()) });
    const call = failure(session.callTool('t'));
    server.peer.hangUp();
    expect(await call).toMatchObject({ code: expect.stringMatching(/closed/) });
    await Promise.all(closing);
    expect([closing.length, session.isOpen]).toEqual([1, false]);
    expect(await failure(session.ping())).toMatchObject({ code: 'closed' });
  });

  test('may be called where a notification is heard', async () => {
    const server = script(older);
    const closing: Promise<void>[] = [];
    const heard: string[] = [];
    const session: Session = await open(server, {
      onNotification: ({ method }) => {
        heard.push(method);
        closing.push(session.close());
      },
    });
    server.peer.notify('notifications/one');
    server.peer.notify('notifications/two');
    await Promise.all(closing);
    expect(heard).toEqual(['notifications/one']);
  });

  test('may be called where a question is answered', async () => {
    const server = script(older);
    const closing: Promise<void>[] = [];
    const session: Session = await open(server, {
      inputs: {
        roots: () => {
          closing.push(session.close());
          return [];
        },
      },
    });
    server.peer.say({ id: 1, method: 'roots/list' });
    await expect.poll(() => closing).toHaveLength(1);
    await Promise.all(closing);
    await settle();
    expect(session.isOpen).toBe(false);
  });

  test('may be called where an answer is heard, and where progress is', async () => {
    const server = script({
      ...older,
      'tools/call': (_params, { id, peer }) => {
        peer.notify('notifications/progress', { progressToken: id, progress: 1 });
        return text('too late');
      },
    });
    const session = await open(server);
    const closing: Promise<void>[] = [];
    const onProgress = (): void => void closing.push(session.close());
    expect(await failure(session.callTool('t', {}, { onProgress }))).toMatchObject({
      code: 'closed',
    });
    await Promise.all(closing);
  });
});
