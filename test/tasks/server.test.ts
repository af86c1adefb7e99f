import { createServer } from 'mcp-kit';
import { createMemoryStore } from 'mcp-kit/store';
import { tool } from 'mcp-kit/tools';
import { describe, expect, onTestFinished, test } from 'vitest';
import { send } from '../support/http-client.ts';
import { modern, serving } from '../support/mcp-http.ts';
import {
  callAsTask,
  capabilities,
  connected,
  getTask,
  serverOf,
  taskIn,
  tasksExtension,
  taskTools,
  Work,
  type SeenTask,
} from './task-tools.ts';

const accept = { action: 'accept', content: { yes: true } };

function start(options: Parameters<typeof serverOf>[1] = {}) {
  const work = new Work();
  const server = serverOf(taskTools(work), options);
  onTestFinished(() => server.close());
  return { work, server, client: connected(server) };
}

describe('A call of a tool', () => {
  test('is answered at once where it is quick, and goes on as a task where it is not', async () => {
    const { work, client } = start();
    const quick = await client.requestModern('tools/call', { name: 'get_quick' });
    expect(quick).toMatchObject({ resultType: 'complete', content: [{ text: 'quick' }] });
    const { taskId, ttlMs } = await callAsTask(client, 'get_slow');
    expect(ttlMs).toBe(24 * 60 * 60_000);
    expect(await getTask(client, taskId)).toMatchObject({ resultType: 'complete', taskId });
    work.end();
    const task = await taskIn(client, taskId, 'completed');
    expect(task.result).toEqual({ content: [{ type: 'text', text: 'done' }] });
  });

  test('is waited for where its client understands no tasks', async () => {
    const { work, server } = start();
    const client = connected(server, {});
    const slow = client.requestModern('tools/call', { name: 'get_slow' });
    await work.begun.promise;
    work.end();
    expect(await slow).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] });
    await expect(client.requestModern('tools/call', { name: 'get_always' })).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
    });
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      await expect(client.requestModern(method, { taskId: 'x' })).rejects.toMatchObject({
        code: -32021,
      });
    }
  });

  test('is no task where its tool does not say so, whatever the client asks for', async () => {
    const { client } = start();
    const asked = { name: 'get_never', task: { ttl: 1000 } };
    const result = await client.requestModern('tools/call', asked);
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'never' }] });
  });

  test('that fails has completed, and one that ends with an error of the protocol has failed', async () => {
    const { client } = start();
    const failed = await callAsTask(client, 'get_failure');
    const { result } = await taskIn(client, failed.taskId, 'completed');
    expect(result).toMatchObject({ isError: true, content: [{ text: 'E_UNAVAILABLE: away' }] });
    const broken = await callAsTask(client, 'get_error');
    expect(await taskIn(client, broken.taskId, 'failed')).toMatchObject({
      statusMessage: 'broken',
      error: { code: -32603, message: 'broken', data: { more: 1 } },
    });
  });

  test('goes on when the connection it came by is closed', async () => {
    const { work, server, client } = start();
    const { taskId } = await callAsTask(client, 'get_slow');
    await client.close();
    work.end();
    const other = connected(server);
    expect((await taskIn(other, taskId, 'completed')).result?.content).toHaveLength(1);
  });
});

describe('A task', () => {
  test('says how far it is', async () => {
    const { client } = start();
    const { taskId } = await callAsTask(client, 'get_always');
    await expect.poll(async () => (await getTask(client, taskId)).statusMessage).toBe('half way');
    expect(client.notifications).toEqual([]);
  });

  test('is asked for by nobody else: to others it is unknown', async () => {
    const { server } = start();
    await using served = await serving(server, {
      identify: (headers) => String(headers['x-user']),
    });
    const ask = async (user: string, method: string, params: object) => {
      const { taskId, name } = params as Record<string, string>;
      const headers = { 'x-user': user, 'mcp-name': taskId ?? name };
      const call = modern(method, { ...params }, { capabilities, headers });
      return (await send(served.url, call)).message;
    };
    const begun = await ask('ann', 'tools/call', { name: 'get_always' });
    const { taskId } = begun.result as unknown as SeenTask;
    expect((await ask('ann', 'tasks/get', { taskId })).result).toMatchObject({ taskId });
    const unknown = await ask('ann', 'tasks/get', { taskId: 'x' });
    expect(unknown.error?.code).toBe(-32602);
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const { error } = await ask('bob', method, { taskId, inputResponses: {} });
      expect(error).toEqual(unknown.error);
    }
  });

  test('is named by a header over HTTP', async () => {
    await using served = await serving(start().server);
    const call = modern(
      'tasks/get',
      { taskId: 'a' },
      { capabilities, headers: { 'mcp-name': 'b' } },
    );
    const { status, message } = await send(served.url, call);
    expect([status, message.error?.code]).toEqual([400, -32020]);
  });

  test('asks in the middle, each question once, until all are answered', async () => {
    const { client } = start();
    const { taskId } = await callAsTask(client, 'get_answers');
    const asked = await taskIn(client, taskId, 'input_required');
    expect(Object.keys(asked.inputRequests ?? {})).toEqual(['first', 'second']);
    const answer = (inputResponses: object) =>
      client.requestModern('tasks/update', { taskId, inputResponses });
    // What was not asked and what is no answer is left out.
    await answer({ first: accept, second: 'no answer', other: accept });
    const left = await getTask(client, taskId);
    expect(left.status).toBe('input_required');
    expect(Object.keys(left.inputRequests ?? {})).toEqual(['second']);
    await answer({ first: { action: 'decline' }, second: { action: 'cancel' } });
    await expect
      .poll(async () => Object.keys((await getTask(client, taskId)).inputRequests ?? {}))
      .toEqual(['third']);
    await answer({ third: accept });
    const { result } = await taskIn(client, taskId, 'completed');
    expect(result?.content[0]?.text).toBe('accept cancel accept');
    expect(await answer({ third: accept })).toMatchObject({ resultType: 'complete' });
  });

  test('begins once what its tool asks first is answered', async () => {
    const { work, client } = start();
    const call = { name: 'get_asked_first', arguments: {} };
    const first = (await client.requestModern('tools/call', call)) as {
      readonly resultType: string;
      readonly requestState: string;
    };
    expect(first).toMatchObject({ resultType: 'input_required' });
    const again = { ...call, inputResponses: { first: accept }, requestState: first.requestState };
    const task = (await client.requestModern('tools/call', again)) as SeenTask;
    expect(task).toMatchObject({ resultType: 'task' });
    expect(task).not.toHaveProperty('requestState');
    work.end('worked');
    const { result } = await taskIn(client, task.taskId, 'completed');
    expect(result?.content[0]?.text).toBe('accept worked');
  });

  test('is cancelled when its work has stopped, and stays done where it was done', async () => {
    const { work, client } = start();
    const { taskId } = await callAsTask(client, 'get_slow');
    expect(await client.requestModern('tasks/cancel', { taskId })).toMatchObject({
      resultType: 'complete',
    });
    await taskIn(client, taskId, 'cancelled');
    expect(await client.requestModern('tasks/cancel', { taskId })).not.toHaveProperty('taskId');
    const other = await callAsTask(client, 'get_failure');
    await taskIn(client, other.taskId, 'completed');
    await client.requestModern('tasks/cancel', { taskId: other.taskId });
    expect(await getTask(client, other.taskId)).toMatchObject({ status: 'completed' });
    expect(work.count).toBe(1);
  });

  test('waiting for an answer can be cancelled', async () => {
    const { client } = start();
    const { taskId } = await callAsTask(client, 'get_answers');
    await taskIn(client, taskId, 'input_required');
    await client.requestModern('tasks/cancel', { taskId });
    expect(await taskIn(client, taskId, 'cancelled')).not.toHaveProperty('inputRequests');
  });

  test('ends when it has expired', async () => {
    const { client, work } = start({ ttlMs: 50 });
    const { taskId } = await callAsTask(client, 'get_slow');
    await work.begun.promise;
    await expect
      .poll(() => getTask(client, taskId).catch((error: { readonly code: number }) => error.code))
      .toBe(-32602);
  });
});

describe('Of its changes', () => {
  test('whoever listens is told', async () => {
    const { work, client } = start();
    const { taskId } = await callAsTask(client, 'get_always');
    const taskIds = [taskId, 'unknown'];
    void client
      .requestModern('subscriptions/listen', { notifications: { taskIds } })
      .catch(() => {});
    const told = (): unknown[] =>
      client.notifications.map(({ method, params }) => [method, params]);
    await expect
      .poll(told)
      .toContainEqual([
        'notifications/subscriptions/acknowledged',
        expect.objectContaining({ notifications: { taskIds: [taskId] } }),
      ]);
    work.end();
    await expect.poll(told).toContainEqual([
      'notifications/tasks',
      expect.objectContaining({
        taskId,
        status: 'completed',
        result: { content: [{ type: 'text', text: 'done' }] },
      }),
    ]);
  });

  test('nobody is told who does not understand tasks', async () => {
    const client = connected(start().server, {});
    const notifications = { taskIds: ['x'] };
    await expect(
      client.requestModern('subscriptions/listen', { notifications }),
    ).rejects.toMatchObject({ code: -32021 });
  });
});

test('No more tasks are begun than may be under way, and the others are waited for', async () => {
  const { work, client } = start({ maxTasks: 1 });
  await callAsTask(client, 'get_slow');
  await expect(client.requestModern('tools/call', { name: 'get_always' })).rejects.toMatchObject({
    code: -32000,
  });
  const waited = client.requestModern('tools/call', { name: 'get_slow' });
  await expect.poll(() => work.count).toBe(2);
  work.end();
  expect(await waited).toMatchObject({ resultType: 'complete' });
});

test('Where the store takes no task, a call is waited for', async () => {
  const store = createMemoryStore({ maxBytes: 200 });
  const { work, client } = start({ store });
  const waited = client.requestModern('tools/call', { name: 'get_slow' });
  await work.begun.promise;
  work.end();
  expect(await waited).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] });
});

test('A server whose tools say nothing of tasks knows none', async () => {
  const plain = tool({ name: 'get_plain', description: 'Plain.', run: () => 'plain' });
  const server = createServer({ name: 'plain', version: '1', tools: [plain] });
  expect(server.capabilities.extensions).toBeUndefined();
  await expect(connected(server).requestModern('tasks/get', { taskId: 'x' })).rejects.toMatchObject(
    { code: -32601 },
  );
});
