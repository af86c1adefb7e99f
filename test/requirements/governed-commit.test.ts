import { createDeferred } from 'mcp-kit/internal';
import { createMemoryStore } from 'mcp-kit/store';
import { tool, type Tool } from 'mcp-kit/tools';
import { defineWorkflow } from 'mcp-kit/tools/workflow';
import { describe, expect, test } from 'vitest';
import { startGoverned } from './governed-fixture.ts';

/** A tool that waits before its point of no return, or after, and counts what it changed. */
function counting(wait: { readonly before?: Promise<void>; readonly after?: Promise<void> }) {
  const world = { changes: 0, ended: createDeferred<void>() };
  const work = async (context: { commit(): Promise<unknown> }): Promise<void> => {
    try {
      await wait.before;
      await context.commit();
      await wait.after;
      world.changes += 1;
    } finally {
      world.ended.resolve();
    }
  };
  const head = { description: 'Counts.', safety: 'mutating', commits: true } as const;
  const made = tool({
    ...head,
    name: 'set_thing_count',
    plan: () => ({ changes: [], state: world.changes }),
    apply: (_plan, context) => work(context),
  });
  const workflow = defineWorkflow({ ...head, name: 'workflow_set_thing_count' }).stage('count', {
    plan: () => ({ changes: [], state: world.changes }),
    apply: (_known, context) => work(context),
  });
  return { world, tools: [made, workflow] as const satisfies readonly Tool[] };
}

describe.each(['set_thing_count', 'workflow_set_thing_count'])('%s', (name) => {
  test('whose time is up before its point of no return changes nothing, also later', async () => {
    const gate = createDeferred<void>();
    const { world, tools } = counting({ before: gate.promise });
    await using governed = await startGoverned({ tools, lint: 'off' });
    const late = await governed.ask(name, { timeoutMs: 20, idempotencyKey: 'k' });
    expect(late.error).toMatchObject({ code: 'E_TIMEOUT', retryable: true });
    expect(late.error?.suggestion).toContain('Nothing was changed.');
    gate.resolve();
    await world.ended.promise;
    expect(world.changes).toBe(0);
    // So the key is free.
    let again = await governed.ask(name, { idempotencyKey: 'k' });
    while (again.error?.retryable === true)
      again = await governed.ask(name, { idempotencyKey: 'k' });
    expect(again.error).toBeNull();
    expect(world.changes).toBe(1);
  });

  test('whose time is up after it is answered with what it comes to', async () => {
    const gate = createDeferred<void>();
    const { world, tools } = counting({ after: gate.promise });
    await using governed = await startGoverned({ tools, lint: 'off' });
    const asked = governed.ask(name, { timeoutMs: 500 });
    const timer = setTimeout(() => gate.resolve(), 700);
    const { success, error } = await asked;
    clearTimeout(timer);
    gate.resolve();
    // On a machine that needs half a second to come so far it is late, and then nothing was changed.
    expect(error?.code).toBe(success ? undefined : 'E_TIMEOUT');
    await world.ended.promise;
    expect(world.changes).toBe(success ? 1 : 0);
  });
});

test('A tool gets its answer to keep with its change, and what was kept is what is answered', async () => {
  const { kv, ...store } = createMemoryStore();
  let isKept = true;
  let changes = 0;
  const made = tool({
    name: 'create_thing_here',
    description: 'Makes a thing.',
    safety: 'mutating',
    commits: true,
    output: { type: 'object', properties: { thing: { type: 'string' } }, required: ['thing'] },
    plan: (_args, context) => ({ changes: [], state: changes, thing: context.newId('thing') }),
    async apply({ thing }, context) {
      const note = await context.commit({ thing });
      if (note?.value === undefined || !isKept) throw new Error('dies before anything is written');
      expect(kv.cas(note.key, note.expected, note.value, { ttlMs: note.ttlMs })).toBe(true);
      changes += 1;
      throw new Error('dies after all is written');
    },
  });
  await using governed = await startGoverned({
    tools: [made],
    lint: 'off',
    store: { ...store, kv },
    idempotency: { notes: true },
  });
  const first = await governed.ask('create_thing_here', { idempotencyKey: 'k' });
  expect(first).toMatchObject({ success: true, data: { thing: expect.any(String) } });
  const second = await governed.ask('create_thing_here', { idempotencyKey: 'k' });
  expect(second).toMatchObject({ success: true, meta: { replayed: true } });
  expect(second.data).toEqual(first.data);
  expect(changes).toBe(1);
  isKept = false;
  const broken = await governed.ask('create_thing_here', { idempotencyKey: 'other' });
  expect(broken.error).toMatchObject({ code: 'E_INTERNAL' });
});
