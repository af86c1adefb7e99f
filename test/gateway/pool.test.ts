import type { Gateway } from '@mcp-kit/host/gateway';
import { openSession, type Session } from 'mcp-kit/client';
import type { Service, Target } from 'mcp-kit/protocol';
import { createServer } from 'mcp-kit/server';
import { tool } from 'mcp-kit/tools';
import { childTarget } from 'mcp-kit/transport/child-process';
import { serveHttp } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { describe, expect, test } from 'vitest';
import { shellServer } from '../bridge/shell-server.ts';
import { Mark } from '../faults/lib/marked-processes.ts';
import { inMemory, namesOf, simple, toolsNamed } from './memory.ts';
import { clientOf, start, use } from './opened.ts';

const eras = ['legacy', 'modern'] as const;

async function textOf(session: Session, name: string): Promise<string> {
  const [block] = (await session.callTool(name)).content;
  return block !== undefined && 'text' in block ? block.text : '';
}

/** Targets of processes that are counted: how many were dialled, and how many are open. */
function counted(target: Target): Target & { readonly dials: () => number; open: () => number } {
  let dials = 0;
  let open = 0;
  return {
    ...target,
    dials: () => dials,
    open: () => open,
    async dial(signal) {
      dials += 1;
      const channel = await target.dial(signal);
      open += 1;
      const close = channel.close.bind(channel);
      let isClosed = false;
      channel.close = async () => {
        await close();
        if (!isClosed) open -= 1;
        isClosed = true;
      };
      return channel;
    },
  };
}

/** A server that adds a tool to the conversation in which it is asked to, and to no other. */
function growing(): Service {
  const tools = toolsNamed('first');
  const grow = (): string => {
    tools.add(tool({ name: 'second', description: 'second', run: () => 'second' }));
    return 'grown';
  };
  tools.add(tool({ name: 'grow', description: 'Adds a tool.', run: grow }));
  return createServer({ name: 'growing', version: '1', features: [tools] });
}

const conversationsOf = (service: Gateway): number | undefined =>
  service.status().servers[0]?.conversations;

describe.each(eras)('with a %s client', (era) => {
  test('a server is one process, that of its client, and none after it', async () => {
    const mark = use(new Mark());
    const target = counted(childTarget(shellServer(mark)));
    const service = start({ sh: target });
    const session = await clientOf(service, { era });
    expect(await namesOf(session)).toEqual(['sh__done', 'sh__hang', 'sh__pid']);
    const pid = await textOf(session, 'sh__pid');
    await expect.poll(() => target.open()).toBe(1);
    expect(mark.alive()).toContain(Number(pid));
    expect(service.status().servers[0]).toMatchObject({ state: 'ready', conversations: 1 });
    const dials = target.dials();
    for (let calls = 0; calls < 5; calls += 1) expect(await textOf(session, 'sh__pid')).toBe(pid);
    expect(target.dials()).toBe(dials);
    await session.close();
    expect(await mark.left()).toEqual([]);
    expect(service.status().servers[0]).toMatchObject({ state: 'idle', conversations: 0 });
    // What it has is known all the same, and the next one starts it again.
    const next = await clientOf(service, { era });
    expect(await namesOf(next)).toHaveLength(3);
    expect(await textOf(next, 'sh__done')).toBe('done');
  });

  test('tools that come up in a conversation are those that its client sees', async () => {
    const service = start({ g: inMemory(growing, 'growing') });
    const session = await clientOf(service, { era });
    const other = await clientOf(service, { era });
    expect(await namesOf(session)).toEqual(['g__first', 'g__grow']);
    expect(await textOf(other, 'g__first')).toBe('first');
    expect(await textOf(session, 'g__grow')).toBe('grown');
    await expect.poll(() => namesOf(session)).toContain('g__second');
    expect(await textOf(session, 'g__second')).toBe('second');
  });

  test('a server that was lost is listed anew by the conversation that has it back', async () => {
    const mark = use(new Mark());
    const target = counted(childTarget(shellServer(mark)));
    const service = start({ sh: target, still: simple('still', 'x') });
    const session = await clientOf(service, { era });
    for (let round = 0; round < 3; round += 1) {
      const pid = Number(await textOf(session, 'sh__pid'));
      await expect.poll(() => target.open()).toBe(1);
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => textOf(session, 'sh__pid')).not.toBe(String(pid));
    }
    await expect.poll(() => target.open()).toBe(1);
    await expect.poll(() => service.status().servers[0]?.reason).toBe(undefined);
    expect(await namesOf(session)).toHaveLength(4);
  });
});

test('clients that have left leave no conversation behind, however soon they left', async () => {
  const target = counted(simple('a', 'x'));
  const service = start({ a: target });
  await service.settled();
  for (let round = 0; round < 20; round += 1) {
    const session = await clientOf(service, { era: eras[round % 2] });
    const calls = Array.from({ length: round % 4 }, () => session.callTool('a__x'));
    if (round % 3 === 0) await Promise.all(calls);
    await session.close();
    await Promise.allSettled(calls);
  }
  await expect.poll(() => conversationsOf(service)).toBe(0);
  // The one for lists, if no client has ended it.
  await expect.poll(() => target.open()).toBeLessThanOrEqual(1);
});

test('a server without sessions is one conversation for all its clients', async () => {
  const server = createServer({ name: 'back', version: '1', features: [toolsNamed('x')] });
  const back = await serveHttp(server);
  use({ [Symbol.asyncDispose]: () => back.close() });
  const target = counted(httpTarget(back.url));
  const service = start({ back: target });
  const front = await serveHttp(service);
  use({ [Symbol.asyncDispose]: () => front.close() });
  for (let clients = 0; clients < 5; clients += 1) {
    await using session = await openSession(httpTarget(front.url), { era: 'modern' });
    expect(await textOf(session, 'back__x')).toBe('x');
  }
  expect(conversationsOf(service)).toBe(1);
  expect(target.dials()).toBeLessThanOrEqual(2);
});
