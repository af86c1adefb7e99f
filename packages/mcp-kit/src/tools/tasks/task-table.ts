import { KitError } from '#base';
import type { Store } from '#store';
import { parseTask, type Change, type TaskRecord } from './task-record.ts';

/** A change may come in between, and another one; not for ever. */
const maxTries = 64;

/** Tasks where they are kept. Every change wakes whoever watches the task, in whichever process. */
export class TaskTable {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Keeps a new task; it is there when this settles. */
  async create(record: TaskRecord): Promise<void> {
    const { taskId, ttlMs } = record;
    const { kv } = this.#store;
    // Whoever looks for what was left behind looks here, so that it does not have to read what is over.
    await kv.cas(markOf(taskId), undefined, openMark, { ttlMs });
    if (await kv.cas(placeOf(taskId), undefined, JSON.stringify(record), { ttlMs })) return;
    throw new KitError('invalid_argument', `task ${taskId} is there already`);
  }

  async get(taskId: string): Promise<TaskRecord | undefined> {
    const text = await this.#store.kv.get(placeOf(taskId));
    return text === undefined ? undefined : parseTask(text);
  }

  /** Changes a task, on top of whatever has changed meanwhile; gives it as it is then, or nothing where it is gone. */
  async change(taskId: string, change: Change): Promise<TaskRecord | undefined> {
    const { kv, log } = this.#store;
    for (let tries = 0; tries < maxTries; tries += 1) {
      const text = await kv.get(placeOf(taskId));
      const record = text === undefined ? undefined : parseTask(text);
      if (record === undefined) return undefined;
      const next = change(record);
      if (next === record) return record;
      const ttlMs = leftMs(record);
      if (ttlMs <= 0) return undefined;
      if (!(await kv.cas(placeOf(taskId), text, JSON.stringify(next), { ttlMs }))) continue;
      await log.append(newsOf(taskId), 'next', '', { ttlMs });
      return next;
    }
    throw new KitError('overloaded', `task ${taskId} is changed by too many at once`);
  }

  /** It is over: nobody needs to look after it any more. */
  async settle(taskId: string): Promise<void> {
    await this.#store.kv.cas(markOf(taskId), openMark, undefined);
  }

  /** Forgets a task that nobody was told of. */
  async remove(taskId: string): Promise<void> {
    const { kv, log } = this.#store;
    const text = await kv.get(placeOf(taskId));
    if (text !== undefined) await kv.cas(placeOf(taskId), text, undefined);
    await log.delete(newsOf(taskId));
    await this.settle(taskId);
  }

  /** Calls back soon after each change. */
  watch(taskId: string, woken: () => void): () => void {
    return this.#store.log.watch(newsOf(taskId), woken);
  }

  /** The tasks that were not over when somebody last looked. */
  async open(): Promise<readonly string[]> {
    const keys = await this.#store.kv.list(markOf(''));
    return keys.map((key) => key.slice(markOf('').length));
  }

  /** Says for a while that a process is there. */
  async live(node: string, ttlMs: number): Promise<void> {
    const { kv } = this.#store;
    const at = nodeOf(node);
    if (await kv.cas(at, alive, alive, { ttlMs })) return;
    await kv.cas(at, undefined, alive, { ttlMs });
  }

  async leave(node: string): Promise<void> {
    await this.#store.kv.cas(nodeOf(node), alive, undefined);
  }

  async isAlive(node: string): Promise<boolean> {
    return (await this.#store.kv.get(nodeOf(node))) !== undefined;
  }
}

const alive = 'alive';
const openMark = 'open';

const placeOf = (taskId: string): string => `task/${taskId}`;
const newsOf = (taskId: string): string => `task-news/${taskId}`;
const markOf = (taskId: string): string => `open-task/${taskId}`;
const nodeOf = (node: string): string => `task-node/${node}`;

/** How long a task may still be asked for. */
export function leftMs({ createdAt, ttlMs }: Pick<TaskRecord, 'createdAt' | 'ttlMs'>): number {
  return Date.parse(createdAt) + ttlMs - Date.now();
}
