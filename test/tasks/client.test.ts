import { openSession, textOf, type Session } from 'mcp-kit/client';
import type { Era, Service } from 'mcp-kit/protocol';
import { memoryTarget } from 'mcp-kit/testing';
import { tool } from 'mcp-kit/tools';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serving } from '../support/mcp-http.ts';
import { serverOf, taskTools, Work } from './task-tools.ts';

const inputs = { elicit: () => ({ action: 'accept', content: { yes: true } }) as const };

async function connect(
  server: Service,
  options: Parameters<typeof openSession>[1] = {},
): Promise<Session> {
  const session = await openSession(memoryTarget(server), { inputs, ...options });
  onTestFinished(() => session.close());
  return session;
}

function start(options: Parameters<typeof serverOf>[1] = {}) {
  const work = new Work();
  const server = serverOf(taskTools(work), options);
  onTestFinished(() => server.close());
  return { work, server };
}

/** Nobody gets through it who has to ask again and again. */
const rarely = { pollIntervalMs: 60 * 60_000 };

describe.each<Era>(['modern', 'legacy'])('In the %s era', (era) => {
  test('a call gives its result, whether or not it has become a task', async () => {
    const { work, server } = start(rarely);
    const session = await connect(server, { era });
    expect(textOf(await session.callTool('get_quick'))).toBe('quick');
    for (const name of ['get_slow', 'get_always']) {
      const called = session.callTool(name);
      await work.begun.promise;
      work.end();
      expect(textOf(await called)).toBe('done');
    }
  });

  test('what is asked in the middle is answered', async () => {
    const session = await connect(start().server, { era });
    expect(textOf(await session.callTool('get_answers'))).toBe('accept accept accept');
  });

  test('a tool that fails is a result, and an error of the protocol an error', async () => {
    const session = await connect(start().server, { era });
    expect(await session.callTool('get_failure')).toMatchObject({ isError: true });
    await expect(session.callTool('get_error')).rejects.toMatchObject({ code: -32603 });
  });

  test('a task is started, asked for and waited for, also by another session', async () => {
    const { work, server } = start(rarely);
    const first = await connect(server, { era });
    const started = await first.startTask('get_slow');
    expect(await started.get()).toMatchObject({ taskId: started.id, status: 'working' });
    await first.close();
    const second = await connect(server, { era });
    const result = second.task(String(started.id)).result();
    await work.begun.promise;
    work.end();
    expect(textOf(await result)).toBe('done');
    expect(await second.task(String(started.id)).get()).toMatchObject({ status: 'completed' });
  });

  test('a task is cancelled by its handle, and one that is not there is unknown', async () => {
    const { server } = start();
    const session = await connect(server, { era });
    const started = await session.startTask('get_slow');
    await started.cancel();
    await expect.poll(() => started.get()).toMatchObject({ status: 'cancelled' });
    await expect(started.result()).rejects.toThrow(/cancelled/);
    await expect(session.task('nobody-knows').get()).rejects.toMatchObject({ code: -32602 });
  });

  test('whoever gives up waiting for a handle leaves the task as it is', async () => {
    const { work, server } = start();
    const session = await connect(server, { era });
    const started = await session.startTask('get_slow');
    const signal = AbortSignal.abort('enough');
    await expect(started.result({ signal })).rejects.toMatchObject({ code: 'aborted' });
    work.end();
    expect(textOf(await started.result())).toBe('done');
  });
});

test('Who asks for a task of a call that is answered at once has the answer', async () => {
  const session = await connect(start().server);
  const started = await session.startTask('get_quick');
  expect(started.id).toBeUndefined();
  expect(textOf(await started.result())).toBe('quick');
  await expect(started.get()).rejects.toMatchObject({ code: 'invalid_argument' });
});

test('A call that is given up is cancelled where it goes on as a task', async () => {
  const { server } = start();
  const session = await connect(server);
  const giveUp = new AbortController();
  let taskId = '';
  const called = session.callTool(
    'get_slow',
    {},
    {
      signal: giveUp.signal,
      onTask(id) {
        taskId = id;
        giveUp.abort();
      },
    },
  );
  await expect(called).rejects.toMatchObject({ code: 'aborted' });
  await expect.poll(() => session.task(taskId).get()).toMatchObject({ status: 'cancelled' });
});

test('The status of a task is the progress of its call', async () => {
  const { work, server } = start();
  const session = await connect(server);
  const told: unknown[] = [];
  const called = session.callTool(
    'get_always',
    {},
    {
      onProgress: ({ message }) => {
        told.push(message);
        if (message === 'half way') work.end();
      },
    },
  );
  expect(textOf(await called)).toBe('done');
  expect(told).toContain('half way');
});

test('A server that tells nothing is asked as often as it wishes', async () => {
  const { work, server } = start({ pollIntervalMs: 20 });
  const deaf: Service = {
    ...server,
    serve: (exchange) =>
      exchange.message.method === 'subscriptions/listen'
        ? Promise.reject(new TypeError('there is nothing to hear'))
        : server.serve(exchange),
  };
  const session = await connect(deaf);
  const called = session.callTool('get_slow');
  await work.begun.promise;
  work.end();
  expect(textOf(await called)).toBe('done');
});

test('Over HTTP a task is followed as anywhere', async () => {
  const { work, server } = start(rarely);
  await using served = await serving(server);
  await using session = await openSession(httpTarget(served.url), { inputs });
  expect(textOf(await session.callTool('get_answers'))).toBe('accept accept accept');
  const called = session.callTool('get_slow');
  await work.begun.promise;
  work.end();
  expect(textOf(await called)).toBe('done');
});

test('Results are checked by the schema of their tool, also where it went on as a task', async () => {
  const output = {
    type: 'object',
    properties: { sum: { type: 'number' } },
    required: ['sum'],
  } as const;
  const lying = tool({
    name: 'get_sum',
    description: 'Adds.',
    task: 'always',
    output,
    run: () => ({ sum: 3 }),
  });
  const session = await connect(serverOf([lying]));
  for await (const { name } of session.tools()) expect(name).toBe('get_sum');
  expect((await session.callTool('get_sum')).structuredContent).toEqual({ sum: 3 });
});
