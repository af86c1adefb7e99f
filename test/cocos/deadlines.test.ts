import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { openHeadless } from '@mcp-kit/cocos/backend';
import { openProject } from '@mcp-kit/cocos/project';
import { openCocosServer } from '@mcp-kit/cocos/tools';
import { openSession } from 'mcp-kit/client';
import { createDeferred } from 'mcp-kit/internal';
import { memoryTarget } from 'mcp-kit/testing';
import type { Envelope } from 'mcp-kit/tools';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CocosWorld } from '../support/cocos/world.ts';

vi.setConfig({ testTimeout: 60_000 });

const scenePath = 'assets/scenes/main.scene';
const writes = [
  ['create_scene_node', { scenePath, parentUuid: 'Canvas' }],
  ['workflow_create_ui_node_with_components', { scenePath, parentUuid: 'Canvas', components: [] }],
] as const;

let world: CocosWorld;
let hooked: (step: string) => void;

beforeEach(() => {
  world = new CocosWorld();
  hooked = () => undefined;
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

async function serve() {
  const backend = await openHeadless(world.folder, { onStep: (step) => hooked(step) });
  const cocos = await openCocosServer({ project: backend });
  const session = await openSession(memoryTarget(cocos.server));
  return {
    session,
    ask: async (name: string, args: object): Promise<Envelope> =>
      (await session.callTool(name, { ...args })).structuredContent as Envelope,
    named: async (name: string) => (await backend.findNodes(scenePath, { name })).length,
    async [Symbol.asyncDispose]() {
      await session.close();
      await cocos[Symbol.asyncDispose]();
      await backend[Symbol.asyncDispose]();
    },
  };
}

/** Keeps everybody from writing until it is let go. */
async function hold(): Promise<() => Promise<void>> {
  const project = await openProject(world.folder);
  const draft = project.draft();
  draft.write('assets/held.json', '{}');
  const begun = createDeferred<void>();
  const gate = createDeferred<void>();
  const ended = project
    .commit(draft, 'hold', {
      async beforeWrite() {
        begun.resolve();
        await gate.promise;
        throw new Error('let go');
      },
    })
    .catch(() => undefined);
  await begun.promise;
  return async () => {
    gate.resolve();
    await ended;
    project[Symbol.dispose]();
  };
}

test('a project is closed when nothing waits for its turn to write any more', async () => {
  const server = await serve();
  const letGo = await hold();
  const [[tool, args]] = writes;
  const keyed = { ...args, name: 'Late', idempotencyKey: 'k', timeoutMs: 50 };
  expect((await server.ask(tool, keyed)).error).toMatchObject({ code: 'E_TIMEOUT' });
  const ends: string[] = [];
  const closed = server[Symbol.asyncDispose]().then(() => ends.push('closed'));
  await sleep(20);
  ends.push('let go');
  await letGo();
  await closed;
  expect(ends).toEqual(['let go', 'closed']);
});

describe.each(writes)('%s', (tool, args) => {
  test('whose time is up while it waits writes nothing, also later', async () => {
    await using server = await serve();
    const letGo = await hold();
    const late = await server.ask(tool, { ...args, name: 'Late', timeoutMs: 50 });
    expect(late.error).toMatchObject({ code: 'E_TIMEOUT', retryable: true });
    expect(late.error?.suggestion).toContain('Nothing was changed.');
    const before = world.snapshot();
    await letGo();
    // Writes come one after the other, so what was left over has come to its end.
    expect((await server.ask('create_scene_node', { ...writes[0][1], name: 'Next' })).success).toBe(
      true,
    );
    expect((await server.ask('execute_project_undo', {})).success).toBe(true);
    expect(world.snapshot()).toEqual(before);
    expect(await server.named('Late')).toBe(0);
  });

  test('that is tried again with its key after that is done once', async () => {
    await using server = await serve();
    const letGo = await hold();
    const keyed = { ...args, name: 'Late', idempotencyKey: 'k' };
    // The key is kept where nobody may write now.
    const late = await server.ask(tool, { ...keyed, timeoutMs: 50 });
    expect(late.error).toMatchObject({ code: 'E_TIMEOUT' });
    await letGo();
    let again = await server.ask(tool, keyed);
    while (again.error?.retryable === true) {
      await sleep(5);
      again = await server.ask(tool, keyed);
    }
    expect(again.error).toBeNull();
    expect(await server.named('Late')).toBe(1);
  });

  test('that is cancelled while it waits writes nothing', async () => {
    await using server = await serve();
    const letGo = await hold();
    const controller = new AbortController();
    const { signal } = controller;
    const call = server.session.callTool(tool, { ...args, name: 'Late' }, { signal });
    const ended = call.catch(() => 'cancelled');
    // Long enough for it to have come to the lock, or not: it must not matter.
    await sleep(20);
    controller.abort();
    expect(await ended).toBe('cancelled');
    await letGo();
    await server.ask('create_scene_node', { ...writes[0][1], name: 'Next' });
    expect(await server.named('Late')).toBe(0);
  });

  test('whose time is up while it writes is answered with what it came to', async () => {
    await using server = await serve();
    const timeoutMs = 1500;
    const startedMs = performance.now();
    let reached = false;
    hooked = (step) => {
      if (!step.startsWith('replace')) return;
      reached = true;
      const leftMs = startedMs + timeoutMs + 100 - performance.now();
      if (leftMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, leftMs);
    };
    const { success, error } = await server.ask(tool, { ...args, name: 'Slow', timeoutMs });
    expect(success).toBe(reached);
    expect(error?.code).toBe(reached ? undefined : 'E_TIMEOUT');
    expect(await server.named('Slow')).toBe(reached ? 1 : 0);
  });

  test('with any time is written exactly if it says so', async () => {
    await using server = await serve();
    const names = Array.from(
      { length: 24 },
      (_, index) => `Node ${String(index).padStart(2, '0')}`,
    );
    const answers = await Promise.all(
      names.map((name, index) =>
        server.ask(tool, { ...args, name, timeoutMs: 1 + index * index * 2 }),
      ),
    );
    await nextTurn();
    await server.ask('create_scene_node', { ...writes[0][1], name: 'Last' });
    for (const [index, { success, error }] of answers.entries()) {
      expect(error?.code).toBe(success ? undefined : 'E_TIMEOUT');
      expect(
        await server.named(`Node ${String(index).padStart(2, '0')}`),
        `Node ${String(index).padStart(2, '0')}`,
      ).toBe(success ? 1 : 0);
    }
    expect(answers.some(({ success }) => !success)).toBe(true);
  });
});
