import { gateway } from '@mcp-kit/host/gateway';
import { createBridge } from 'mcp-kit/bridge';
import { openSession, textOf, type Session } from 'mcp-kit/client';
import type { Era, Service } from 'mcp-kit/protocol';
import { memoryTarget } from 'mcp-kit/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inMemory } from '../gateway/memory.ts';
import { send } from '../support/http-client.ts';
import { modern, serving } from '../support/mcp-http.ts';
import { capabilities, serverOf, taskTools, Work, type SeenTask } from './task-tools.ts';

const eras: readonly Era[] = ['legacy', 'modern'];
const inputs = { elicit: () => ({ action: 'accept', content: { yes: true } }) as const };

function start() {
  const work = new Work();
  const server = serverOf(taskTools(work));
  onTestFinished(() => server.close());
  return { work, server };
}

async function connect(service: Service, era: Era): Promise<Session> {
  const session = await openSession(memoryTarget(service), { era, inputs });
  onTestFinished(() => session.close());
  return session;
}

async function usesTasks(service: Service, era: Era, { work, prefix = '' }: Used): Promise<void> {
  const session = await connect(service, era);
  const told: unknown[] = [];
  const onProgress = ({ message }: { readonly message?: unknown }): void => void told.push(message);
  const called = session.callTool(`${prefix}get_always`, {}, { onProgress });
  await expect.poll(() => told).toContain('half way');
  work.end();
  expect(textOf(await called)).toBe('done');
  expect(textOf(await session.callTool(`${prefix}get_answers`))).toBe('accept accept accept');
}

interface Used {
  readonly work: Work;
  readonly prefix?: string;
}

describe('A tool that is only called as a task can be used', () => {
  for (const server of eras) {
    test.each(eras)(`by a %s client of a bridge to a ${server} server`, async (era) => {
      const { work, server: service } = start();
      const bridge = createBridge(memoryTarget(service), { era: server });
      onTestFinished(() => bridge.close());
      await usesTasks(bridge, era, { work });
    });
  }

  test.each(eras)('by a %s client of a gateway', async (era) => {
    const { work, server } = start();
    const all = gateway({ one: inMemory(server, 'one') });
    onTestFinished(() => all.close());
    await all.settled();
    await usesTasks(all, era, { work, prefix: 'one__' });
  });
});

const places: readonly (readonly [string, string, (server: Service) => Promise<Service>])[] = [
  [
    'a bridge',
    '',
    async (server) => {
      const bridge = createBridge(memoryTarget(server));
      onTestFinished(() => bridge.close());
      return bridge;
    },
  ],
  [
    'a gateway',
    'one__',
    async (server) => {
      const all = gateway({ one: inMemory(server, 'one') });
      onTestFinished(() => all.close());
      await all.settled();
      return all;
    },
  ],
];

describe.each(places)('Behind %s', (_place, prefix, open) => {
  test('a task belongs to the principal that began it, and keeps its name', async () => {
    const { work, server } = start();
    const identify = (headers: Readonly<Record<string, unknown>>): string =>
      String(headers['x-user']);
    await using served = await serving(await open(server), { identify });
    const ask = async (user: string, method: string, params: object) => {
      const { taskId, name } = params as Record<string, string>;
      const headers = { 'x-user': user, 'mcp-name': taskId ?? name };
      const call = modern(method, { ...params }, { capabilities, headers });
      return (await send(served.url, call)).message;
    };
    const begun = await ask('ann', 'tools/call', { name: `${prefix}get_always`, arguments: {} });
    const { taskId } = begun.result as unknown as SeenTask;
    expect((await ask('ann', 'tasks/get', { taskId })).result).toMatchObject({
      taskId,
      status: 'working',
    });
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const { error } = await ask('bob', method, { taskId, inputResponses: {} });
      expect(error).toMatchObject({
        code: -32602,
        message: expect.stringMatching(/^Unknown task/),
      });
    }
    work.end();
    await expect
      .poll(async () => (await ask('ann', 'tasks/get', { taskId })).result)
      .toMatchObject({ taskId, status: 'completed', result: { content: [{ text: 'done' }] } });
  });

  test('whoever listens hears of its tasks by the names it knows', async () => {
    const { work, server } = start();
    const heard: unknown[] = [];
    const session = await openSession(memoryTarget(await open(server)), {
      era: 'modern',
      inputs,
      onNotification: ({ method, params }) => void heard.push([method, params]),
    });
    onTestFinished(() => session.close());
    const { id = '' } = await session.startTask(`${prefix}get_always`);
    const subscription = await session.listen({ taskIds: [id, 'nobody knows'] });
    expect(subscription.honored).toEqual({ taskIds: [id] });
    work.end();
    await expect
      .poll(() => heard)
      .toContainEqual([
        'notifications/tasks',
        expect.objectContaining({ taskId: id, status: 'completed' }),
      ]);
    subscription.close();
  });
});
