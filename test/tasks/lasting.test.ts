import { createServer, type Server } from 'mcp-kit/server';
import type { Store } from 'mcp-kit/store';
import { tool, toolSet, type Tool } from 'mcp-kit/tools';
import { governed } from 'mcp-kit/tools/governed';
import { defineWorkflow } from 'mcp-kit/tools/workflow';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  callAsTask,
  connected,
  getTask,
  lastingStore,
  mortal,
  serverOf,
  taskIn,
  taskTools,
  Work,
} from './task-tools.ts';

/** Nobody waits for long until a process is taken to be dead that is. */
const leaseMs = 100;

function serving(tools: readonly Tool[], store: Store, lease = leaseMs): Server {
  const server = serverOf(tools, { store, leaseMs: lease });
  onTestFinished(() => server.close());
  return server;
}

/** Has a process die while it works on a task. */
async function leftBehind(name: string, tools: (work: Work) => readonly Tool[], store: Store) {
  const work = new Work();
  const process = mortal(store);
  const server = serving(tools(work), process.store);
  const { taskId } = await callAsTask(connected(server), name);
  await work.begun.promise;
  process.die();
  return taskId;
}

describe('What is asked of one process', () => {
  test('is told and done by another one with the same store', async () => {
    const store = lastingStore();
    const work = new Work();
    const hour = 60 * 60_000;
    const one = serving(taskTools(work), store, hour);
    const other = serving(taskTools(new Work()), store, hour);
    const asking = await callAsTask(connected(one), 'get_answers');
    const elsewhere = connected(other);
    const accept = { action: 'accept', content: { yes: true } };
    for (const keys of [['first', 'second'], ['third']]) {
      await expect
        .poll(async () =>
          Object.keys((await getTask(elsewhere, asking.taskId)).inputRequests ?? {}),
        )
        .toEqual(keys);
      const inputResponses = Object.fromEntries(keys.map((key) => [key, accept]));
      await elsewhere.requestModern('tasks/update', { taskId: asking.taskId, inputResponses });
    }
    await taskIn(elsewhere, asking.taskId, 'completed');
    const slow = await callAsTask(connected(one), 'get_slow');
    await elsewhere.requestModern('tasks/cancel', { taskId: slow.taskId });
    await taskIn(elsewhere, slow.taskId, 'cancelled');
  });
});

describe('A task whose process has ended', () => {
  test('says that nobody knows what became of it', async () => {
    const store = lastingStore();
    const taskId = await leftBehind('get_slow', taskTools, store);
    const work = new Work();
    const client = connected(serving(taskTools(work), store));
    expect(await taskIn(client, taskId, 'failed')).toMatchObject({
      error: { code: -32603, data: { code: 'E_OWNER_LOST', outcome: 'unknown' } },
    });
    expect(work.count).toBe(0);
  });

  test('is done once more where its tool may be called twice', async () => {
    const store = lastingStore();
    const repeatable = (work: Work): readonly Tool[] => [
      tool({
        name: 'get_sum',
        description: 'Adds.',
        task: 'always',
        idempotent: true,
        run: (_args, { signal }) => work.run(signal),
      }),
    ];
    const taskId = await leftBehind('get_sum', repeatable, store);
    const work = new Work();
    const server = serving(repeatable(work), store);
    // Nobody needs to ask for it.
    await work.begun.promise;
    work.end('seven');
    const { result } = await taskIn(connected(server), taskId, 'completed');
    expect(result?.content[0]?.text).toBe('seven');
    expect(work.count).toBe(1);
  });

  test('is cancelled, and not done once more, where nobody wants it', async () => {
    const store = lastingStore();
    const taskId = await leftBehind('get_slow', taskTools, store);
    const client = connected(serving(taskTools(new Work()), store));
    await client.requestModern('tasks/cancel', { taskId });
    await expect
      .poll(async () => (await getTask(client, taskId)).status)
      .toMatch(/^(failed|cancelled)$/);
  });

  test('has come to its end where it was done', async () => {
    const store = lastingStore();
    const work = new Work();
    const server = serving(taskTools(work), store);
    const { taskId } = await callAsTask(connected(server), 'get_slow');
    work.end();
    await taskIn(connected(server), taskId, 'completed');
    server.close();
    const client = connected(serving(taskTools(new Work()), store));
    expect(await getTask(client, taskId)).toMatchObject({
      status: 'completed',
      result: { content: [{ text: 'done' }] },
    });
  });

  test('goes on where a workflow was interrupted, with each stage done once', async () => {
    const store = lastingStore();
    const done: string[] = [];
    const start = (work: Work, own: Store): Server => {
      const workflow = defineWorkflow({
        name: 'workflow_create_order',
        description: 'Creates an order.',
        task: 'auto',
        store: own,
        leaseMs,
      })
        .stage('reserve', {
          plan: () => ({ changes: [] }),
          apply: () => void done.push('reserve'),
        })
        .stage('send', {
          idempotent: true,
          plan: () => ({ changes: [] }),
          async apply(_plan, { signal }) {
            await work.run(signal);
            done.push('send');
          },
        });
      const contract = governed({ store: own, idempotency: { leaseMs }, lint: 'off' });
      const tasks = { store: own, leaseMs, answerWithinMs: 20 };
      const set = toolSet([workflow], { contract, tasks });
      const server = createServer({ name: 'orders', version: '1', features: [set] });
      onTestFinished(() => server.close());
      return server;
    };
    const interrupted = new Work();
    const process = mortal(store);
    const first = start(interrupted, process.store);
    const { taskId } = await callAsTask(connected(first), 'workflow_create_order');
    await interrupted.begun.promise;
    process.die();
    const work = new Work();
    const second = start(work, store);
    work.end();
    const { result } = await taskIn(connected(second), taskId, 'completed');
    expect(result).toMatchObject({ structuredContent: { success: true } });
    expect(done).toEqual(['reserve', 'send']);
  });
});
