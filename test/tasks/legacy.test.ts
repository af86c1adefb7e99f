import { connectInMemory } from 'mcp-kit/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serverOf, taskTools, Work } from './task-tools.ts';

/** A task as 2025-11-25 has it. */
interface LegacyTask {
  readonly taskId: string;
  readonly status: string;
  readonly ttl: number;
}

const related = 'io.modelcontextprotocol/related-task';
const accept = { action: 'accept', content: { yes: true } };

async function start(version?: string) {
  const work = new Work();
  const server = serverOf(taskTools(work));
  const asked: (object | undefined)[] = [];
  const connect = async () => {
    const client = connectInMemory(server, {
      capabilities: { elicitation: {} },
      answer(_method, params) {
        asked.push(params);
        return accept;
      },
    });
    onTestFinished(() => client.close());
    return { client, greeting: await client.initialize(version) };
  };
  onTestFinished(() => server.close());
  const first = await connect();
  const begin = async (name: string, task: object = {}): Promise<LegacyTask> => {
    const result = await first.client.request('tools/call', { name, arguments: {}, task });
    return (result as { readonly task: LegacyTask }).task;
  };
  return { ...first, work, asked, connect, begin };
}

describe('For clients of 2025-11-25', () => {
  test('tools that go on as tasks are listed, and tasks offered', async () => {
    const { client, greeting } = await start();
    expect(greeting).toMatchObject({
      capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    });
    const { tools } = (await client.request('tools/list')) as { readonly tools: readonly object[] };
    expect(tools).toContainEqual(
      expect.objectContaining({ name: 'get_slow', execution: { taskSupport: 'optional' } }),
    );
    expect(tools.find((one) => 'name' in one && one.name === 'get_never')).not.toHaveProperty(
      'execution',
    );
  });

  test('who asks for no task waits for the answer, of every tool', async () => {
    const { client, work } = await start();
    work.end();
    for (const name of ['get_slow', 'get_always']) {
      const result = await client.request('tools/call', { name });
      expect(result).toMatchObject({ content: [{ text: 'done' }] });
    }
  });

  test('who asks for a task is told of one, and waits for its result', async () => {
    const { client, work, begin } = await start();
    const { taskId, ...task } = await begin('get_slow', { ttl: 60_000 });
    expect(task).toMatchObject({ status: 'working', ttl: 60_000, pollInterval: 1000 });
    const waited = client.request('tasks/result', { taskId });
    expect(await client.request('tasks/get', { taskId })).toMatchObject({ status: 'working' });
    work.end();
    expect(await waited).toEqual({
      content: [{ type: 'text', text: 'done' }],
      _meta: { [related]: { taskId } },
    });
    expect(await client.request('tasks/get', { taskId })).toMatchObject({ status: 'completed' });
  });

  test('a tool that fails is a task that has failed, with its result', async () => {
    const { client, begin } = await start();
    const failure = await begin('get_failure');
    const result = await client.request('tasks/result', { taskId: failure.taskId });
    expect(result).toMatchObject({ isError: true });
    expect(await client.request('tasks/get', { taskId: failure.taskId })).toMatchObject({
      status: 'failed',
    });
    const { taskId } = await begin('get_error');
    await expect(client.request('tasks/result', { taskId })).rejects.toMatchObject({
      code: -32603,
      data: { more: 1 },
    });
  });

  test('who waits for the result is asked what the task wants to know', async () => {
    const { client, asked, begin } = await start();
    const { taskId } = await begin('get_answers');
    await expect
      .poll(() => client.request('tasks/get', { taskId }))
      .toMatchObject({ status: 'input_required' });
    const result = await client.request('tasks/result', { taskId });
    expect(result).toMatchObject({ content: [{ text: 'accept accept accept' }] });
    expect(asked).toHaveLength(3);
    for (const params of asked) {
      expect(params).toMatchObject({ message: 'Sure?', _meta: { [related]: { taskId } } });
    }
  });

  test('a cancelled task is cancelled at once, and only once', async () => {
    const { client, begin } = await start();
    const { taskId } = await begin('get_slow');
    expect(await client.request('tasks/cancel', { taskId })).toMatchObject({ status: 'cancelled' });
    await expect(client.request('tasks/cancel', { taskId })).rejects.toMatchObject({
      code: -32602,
    });
    await expect(client.request('tasks/result', { taskId })).rejects.toMatchObject({
      code: -32600,
    });
  });

  test('a session lists its own tasks and no others', async () => {
    const { client, connect, begin } = await start();
    const { taskId } = await begin('get_slow');
    expect(await client.request('tasks/list')).toMatchObject({ tasks: [{ taskId }] });
    const other = await connect();
    expect(await other.client.request('tasks/list')).toEqual({ tasks: [] });
  });
});

test('Clients of older revisions hear nothing of tasks, and get answers', async () => {
  const { client, greeting, work } = await start('2025-06-18');
  expect(greeting).not.toHaveProperty('capabilities.tasks');
  work.end();
  const result = await client.request('tools/call', { name: 'get_always', task: {} });
  expect(result).toMatchObject({ content: [{ text: 'done' }] });
});
