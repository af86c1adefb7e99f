import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { openSession, type Session } from 'mcp-kit/client';
import { isRecord, RpcError } from 'mcp-kit/internal';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { expect } from 'vitest';
import { Child } from '../../support/child-process.ts';

const script = path.join(import.meta.dirname, '../child/task-server.mjs');
const tools = ['update_thing_once', 'update_thing_again', 'update_thing_planned'] as const;

/** A task that the server has told of. */
interface Begun {
  readonly id: string;
  readonly name: string;
  readonly tool: string;
}

/** What a task came to. */
type End = 'done' | 'not known';

/** How tasks of each tool ended. */
export interface Ends {
  readonly begun: number;
  readonly done: number;
  readonly unknown: number;
}

async function serving<T>(folder: string, use: (session: Session, child: Child) => Promise<T>) {
  await using child = new Child(process.execPath, [script, folder]);
  const url = await child.until(() => /^(http\S+)\n/.exec(child.stdout)?.[1]);
  await using session = await openSession(httpTarget(url), { heal: false });
  return await use(session, child);
}

/** Begins tasks, and kills the server while it works on them; gives those that it has told of. */
async function beginAndKill(folder: string, names: readonly string[]): Promise<readonly Begun[]> {
  return serving(folder, async (session, child) => {
    const begun: Begun[] = [];
    const half = Math.ceil(names.length / 2);
    const starting = names.map(async (name, at) => {
      const tool = tools[at % tools.length] ?? tools[0];
      const { id } = await session.startTask(tool, { name });
      if (id !== undefined) begun.push({ id, name, tool });
    });
    const all = Promise.allSettled(starting);
    // Some are done by then, and others on their way in every state.
    await Promise.all(starting.slice(0, half));
    await Promise.race(begun.map(({ id }) => session.task(id).result()));
    await child.stop('SIGKILL');
    await all;
    return begun;
  });
}

/** What became of a task, as the next server says. */
async function endOf(session: Session, { id, name }: Begun): Promise<End> {
  try {
    const result = await session.task(id).result({ maxTotalMs: Infinity });
    const { structuredContent: envelope } = result;
    if (isRecord(envelope) && envelope['success'] === true) {
      expect(envelope['data']).toMatchObject({ name });
      return 'done';
    }
    expect(envelope).toMatchObject({
      error: { code: 'E_CONFLICT', message: expect.stringMatching(/not known/) },
    });
    return 'not known';
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    expect(error.data).toMatchObject({ code: 'E_OWNER_LOST', outcome: 'unknown' });
    return 'not known';
  }
}

/** Has a server killed again and again; every task must end, and say the truth about what it did. */
export async function killTaskServers(folder: string, count: number, each = 50): Promise<Ends> {
  const begun: Begun[] = [];
  for (let from = 0; begun.length < count; from += each) {
    const names = Array.from({ length: each }, (_, at) => `thing-${from + at}`);
    begun.push(...(await beginAndKill(folder, names)));
  }
  const ends = await serving(folder, (session) =>
    Promise.all(begun.map(async (task) => ({ ...task, end: await endOf(session, task) }))),
  );
  const effects = (await readFile(path.join(folder, 'effects'), 'utf8')).trimEnd().split('\n');
  const faults = ends.filter(({ name, tool, end }) => {
    const times = effects.filter((effect) => effect === name).length;
    const isRepeatable = tool === 'update_thing_again';
    const isDoneTwice = !isRepeatable && times > 1;
    // What may be done twice is never left undone.
    return isDoneTwice || (end === 'done' ? times === 0 : isRepeatable);
  });
  expect(faults).toEqual([]);
  const done = ends.filter(({ end }) => end === 'done').length;
  return { begun: ends.length, done, unknown: ends.length - done };
}
