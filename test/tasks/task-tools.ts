import { createDeferred, type Deferred } from 'mcp-kit/internal';
import { elicit } from 'mcp-kit/protocol';
import { createServer, RpcError, type Server } from 'mcp-kit/server';
import { createMemoryStore, type Store } from 'mcp-kit/store';
import { connectInMemory, type InMemoryClient } from 'mcp-kit/testing';
import { fail, tool, toolSet, type Tool, type ToolSetOptions } from 'mcp-kit/tools';
import { expect, onTestFinished } from 'vitest';

export const tasksExtension = 'io.modelcontextprotocol/tasks';
/** What a client declares that understands tasks, and can fill in forms. */
export const capabilities = { elicitation: {}, extensions: { [tasksExtension]: {} } };

/** What the wire has of a task. */
export interface SeenTask {
  readonly resultType?: string;
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage?: string;
  readonly ttlMs: number;
  readonly inputRequests?: Readonly<Record<string, { readonly method: string }>>;
  readonly result?: { readonly content: readonly { readonly text: string }[]; isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Work that ends when the test says so. */
export class Work {
  readonly #ends: Deferred<string> = createDeferred();
  readonly begun: Deferred<void> = createDeferred();
  /** How often it was begun. */
  count = 0;

  end(text = 'done'): void {
    this.#ends.resolve(text);
  }

  async run(signal: AbortSignal): Promise<string> {
    this.count += 1;
    this.begun.resolve();
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    return Promise.race([this.#ends.promise, stopped]);
  }
}

const yes = {
  type: 'object',
  properties: { yes: { type: 'boolean' } },
  required: ['yes'],
} as const;

/** Tools of every kind, whose work is in the hands of the test. */
export function taskTools(work: Work): readonly Tool[] {
  return [
    tool({ name: 'get_quick', description: 'Quick.', task: 'auto', run: () => 'quick' }),
    tool({
      name: 'get_slow',
      description: 'Slow.',
      task: 'auto',
      run: (_args, { signal }) => work.run(signal),
    }),
    tool({
      name: 'get_always',
      description: 'Always a task.',
      task: 'always',
      async run(_args, context) {
        await context.progress(1, 2, 'half way');
        return work.run(context.signal);
      },
    }),
    tool({
      name: 'get_failure',
      description: 'Fails.',
      task: 'always',
      run: () => {
        throw fail('E_UNAVAILABLE', 'away');
      },
    }),
    tool({
      name: 'get_error',
      description: 'Ends with an error of the protocol.',
      task: 'always',
      run: () => {
        throw new RpcError(-32603, 'broken', { more: 1 });
      },
    }),
    tool({
      name: 'get_answers',
      description: 'Asks.',
      task: 'always',
      async run(_args, context) {
        const form = elicit({ message: 'Sure?', requestedSchema: yes });
        const { first, second } = await context.ask({ first: form, second: form });
        const { third } = await context.ask({ third: form });
        return [first, second, third].map(({ action }) => action).join(' ');
      },
    }),
    tool({
      name: 'get_asked_first',
      description: 'Asks before it works.',
      task: 'auto',
      async run(_args, context) {
        const { first } = await context.ask({
          first: elicit({ message: 'Sure?', requestedSchema: yes }),
        });
        return `${first.action} ${await work.run(context.signal)}`;
      },
    }),
    tool({ name: 'get_never', description: 'Never a task.', run: () => 'never' }),
  ];
}

export function serverOf(tools: readonly Tool[], options: ToolSetOptions['tasks'] = {}): Server {
  const tasks = { answerWithinMs: 20, ...options };
  return createServer({ name: 'tasks', version: '1', features: [toolSet(tools, { tasks })] });
}

/** A client in memory that understands tasks, until the test ends. */
export function connected(server: Server, declared: object = capabilities): InMemoryClient {
  const client = connectInMemory(server, { capabilities: { ...declared } });
  onTestFinished(() => client.close());
  return client;
}

export async function callAsTask(
  client: InMemoryClient,
  name: string,
  args = {},
): Promise<SeenTask> {
  const task = (await client.requestModern('tools/call', { name, arguments: args })) as SeenTask;
  expect(task).toMatchObject({ resultType: 'task', status: 'working' });
  return task;
}

export async function getTask(client: InMemoryClient, taskId: string): Promise<SeenTask> {
  return (await client.requestModern('tasks/get', { taskId })) as SeenTask;
}

/** The task, once it has come to a status. */
export async function taskIn(
  client: InMemoryClient,
  taskId: string,
  status: string,
): Promise<SeenTask> {
  await expect.poll(async () => (await getTask(client, taskId)).status).toBe(status);
  return getTask(client, taskId);
}

export function lastingStore(): Store {
  const store = createMemoryStore();
  onTestFinished(() => store.close());
  return store;
}

/** A store as a process has it that dies: from then on nothing it does reaches the store, or comes to an end. */
export function mortal(store: Store): { readonly store: Store; readonly die: () => void } {
  let isDead = false;
  const never = new Promise<never>(() => {});
  const living = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        return typeof method === 'function'
          ? (...args: unknown[]): unknown => (isDead ? never : Reflect.apply(method, target, args))
          : method;
      },
    });
  const die = (): void => void (isDead = true);
  return { store: { ...store, kv: living(store.kv), log: living(store.log) }, die };
}
