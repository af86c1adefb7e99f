import { describe, expect, test } from 'vitest';
import { createDeferred } from 'mcp-kit/internal';
import { createMemoryStore } from 'mcp-kit/store';
import { fail, type Envelope } from 'mcp-kit/tools';
import { defineWorkflow, workflowTools } from 'mcp-kit/tools/workflow';
import { send } from '../support/http-client.ts';
import { modern, serving } from '../support/mcp-http.ts';
import { createGoverned, dataOf, startGoverned } from './governed-fixture.ts';
import { failed, orderWorkflow, Shop, statusOf } from './workflow-fixture.ts';

const name = 'workflow_create_shop_order';
const two = { item: 'tea', count: 2 };

describe('an interrupted workflow', () => {
  const leaseMs = 60_000;

  /** A process that dies when it comes to a stage; the shop and the store outlive it. */
  async function interrupted(
    where: string,
    tries = false,
  ): Promise<{
    readonly shop: Shop;
    readonly restart: () => ReturnType<typeof startGoverned>;
    readonly workflow: ReturnType<typeof orderWorkflow>;
    readonly planToken: string | undefined;
    readonly options: object;
  }> {
    let now = 0;
    const shop = new Shop();
    const store = createMemoryStore({ now: () => now });
    const options = { store, now: () => now, leaseMs };
    const died = createDeferred<void>();
    const mortal = orderWorkflow(shop, {
      ...options,
      onStage(stage) {
        if (stage !== where) return undefined;
        died.resolve();
        return new Promise(() => {});
      },
    });
    const idempotency = { now: () => now, leaseMs };
    const plans = { keys: [new Uint8Array(32).fill(7)], now: () => now };
    const first = await startGoverned({ tools: [mortal], store, idempotency, plans });
    const tried = tries ? dataOf(await first.ask(name, { ...two, dryRun: true })) : {};
    const { planToken } = tried as { planToken?: string };
    const args = { ...two, idempotencyKey: 'k', ...(planToken && { planToken }) };
    void first.ask(name, args).catch(() => undefined);
    await died.promise;
    await first.client.close();
    now += 2 * leaseMs;
    const workflow = orderWorkflow(shop, options);
    const tools = [workflow, ...workflowTools([workflow])];
    const restart = (): ReturnType<typeof startGoverned> =>
      startGoverned({ tools, store, idempotency, plans });
    return { shop, workflow, restart, planToken, options };
  }

  test.each(['charge', 'after charge'])('is resumed by the same key (%s)', async (where) => {
    const { shop, restart } = await interrupted(where);
    await using governed = await restart();
    const answer = await governed.ask(name, { ...two, idempotencyKey: 'k' });
    expect(statusOf(dataOf(answer)['stages'])).toEqual([
      ['reserve', 'applied'],
      ['charge', 'applied'],
      ['send', 'applied'],
    ]);
    expect([shop.stock, shop.charges.size, shop.parcels.size]).toEqual([1, 1, 1]);
  });

  test('is resumed by the same key and the same plan', async () => {
    const { shop, restart, planToken } = await interrupted('after charge', true);
    await using governed = await restart();
    const args = { ...two, idempotencyKey: 'k', planToken };
    expect(await governed.ask(name, args)).toMatchObject({ success: true });
    const { error } = await governed.ask(name, { ...args, idempotencyKey: 'other' });
    expect(error).toMatchObject({ code: 'E_CONFLICT' });
    expect([shop.stock, shop.charges.size, shop.parcels.size]).toEqual([1, 1, 1]);
  });

  test('is not taken up by a workflow with other stages', async () => {
    const { shop, workflow, options } = await interrupted('charge');
    const other = defineWorkflow({ name, description: 'Another.', ...options }).stage('reserve', {
      plan: () => ({ changes: [] }),
      apply: () => 1,
    });
    const [{ runId } = { runId: '' }] = await workflow.runs();
    await expect(other.undo(runId)).rejects.toMatchObject({
      failure: { code: 'E_PRECONDITION_FAILED' },
    });
    await workflow.undo(runId);
    expect(shop.stock).toBe(3);
  });

  test("is not seen by somebody else's calls", async () => {
    const shop = new Shop();
    shop.broken.set('send', () => fail('E_UNAVAILABLE', 'No courier.'));
    const workflow = orderWorkflow(shop);
    const tools = [workflow, ...workflowTools([workflow])];
    const { server } = createGoverned({ tools });
    const identify = (headers: Readonly<Record<string, unknown>>): string =>
      String(headers['x-user']);
    await using served = await serving(server, { identify });
    const ask = async (user: string, tool: string, args: object): Promise<Envelope> => {
      const call = modern(
        'tools/call',
        { name: tool, arguments: args },
        { headers: { 'x-user': user } },
      );
      return (await send(served.url, call)).message.result?.['structuredContent'] as Envelope;
    };
    const { runId } = failed((await ask('ann', name, two)).error);
    expect(dataOf(await ask('bob', 'list_workflow_runs', {}))).toEqual({ runs: [] });
    expect(dataOf(await ask('ann', 'list_workflow_runs', {}))).toMatchObject({ runs: [{ runId }] });
    const { error } = await ask('bob', 'execute_workflow_undo', { runId });
    expect(error).toMatchObject({ code: 'E_NOT_FOUND' });
  });

  test('is resumed by the program that finds it', async () => {
    const { shop, workflow } = await interrupted('send');
    const [open] = await workflow.runs();
    expect(open).toMatchObject({ status: 'open', direction: 'forward' });
    const report = await workflow.resume(open?.runId ?? '');
    // It is not known whether `send` took effect, and nothing can tell: so the rest is taken back.
    expect(report).toMatchObject({ status: 'open', direction: 'back' });
    expect(report.notUndone).toMatchObject([{ stage: 'send' }]);
    expect([shop.stock, shop.charges.size]).toEqual([3, 0]);
  });

  test('is listed, tried and undone with tools, by its own caller', async () => {
    const { shop, workflow, restart } = await interrupted('after charge');
    await using governed = await restart();
    const { runs } = dataOf(await governed.ask('list_workflow_runs')) as {
      runs: { runId: string }[];
    };
    const [{ runId } = { runId: '' }] = runs;
    const tried = dataOf(await governed.ask('execute_workflow_undo', { runId, dryRun: true }));
    expect(tried['changes']).toMatchObject([
      { type: 'undo', stage: 'reserve' },
      { type: 'undo', stage: 'charge' },
    ]);
    const { planToken } = tried;
    const undone = dataOf(await governed.ask('execute_workflow_undo', { runId, planToken }));
    expect(undone).toMatchObject({ status: 'undone', notUndone: [] });
    expect([shop.stock, shop.charges.size, shop.parcels.size]).toEqual([3, 0, 0]);
    expect(await workflow.runs()).toEqual([]);
  });

  test('is resumed with a tool', async () => {
    const { shop, workflow, restart } = await interrupted('charge');
    await using governed = await restart();
    const [{ runId } = { runId: '' }] = await workflow.runs();
    const done = dataOf(await governed.ask('execute_workflow_resume', { runId }));
    expect(done).toMatchObject({ status: 'done' });
    expect([shop.stock, shop.charges.size, shop.parcels.size]).toEqual([1, 1, 1]);
    const unknown = await governed.ask('execute_workflow_resume', { runId: 'x' });
    expect(unknown.error).toMatchObject({ code: 'E_NOT_FOUND' });
  });

  test('is not resumed once it was taken back: neither by a tool nor by a program', async () => {
    const { shop, workflow, restart } = await interrupted('charge');
    await using governed = await restart();
    const [{ runId } = { runId: '' }] = await workflow.runs();
    const undone = dataOf(await governed.ask('execute_workflow_undo', { runId }));
    expect(undone).toMatchObject({ status: 'undone' });
    const before = shop.snapshot();
    for (const more of [{}, { dryRun: true }, { idempotencyKey: 'r' }]) {
      const { success, error } = await governed.ask('execute_workflow_resume', { runId, ...more });
      expect([success, error?.code, error?.retryable]).toEqual([false, 'E_CONFLICT', false]);
      expect(error?.message).toContain('taken back');
    }
    await expect(workflow.resume(runId)).rejects.toMatchObject({ failure: { code: 'E_CONFLICT' } });
    expect(await governed.ask('execute_workflow_undo', { runId })).toMatchObject({ success: true });
    expect(shop.snapshot()).toEqual(before);
  });

  test('is a failure to whoever resumes it with a tool, where it had to be taken back', async () => {
    const { shop, workflow, restart } = await interrupted('charge');
    shop.broken.set('charge', () => fail('E_CONFLICT', 'The bank says no.'));
    await using governed = await restart();
    const [{ runId } = { runId: '' }] = await workflow.runs();
    const { error } = await governed.ask('execute_workflow_resume', { runId });
    expect(error).toMatchObject({ code: 'E_CONFLICT', retryable: false, stage: 'charge' });
    expect(error?.message).toMatch(/is not done\. The bank says no\. It was taken back\.$/);
    expect(failed(error)).toMatchObject({ runId, notUndone: [] });
    expect(await workflow.report(runId)).toMatchObject({
      status: 'undone',
      failure: { code: 'E_CONFLICT', stage: 'charge' },
    });
  });

  test('is a failure to whoever undoes it with a tool, as long as something is left', async () => {
    const { shop, workflow, restart } = await interrupted('after charge');
    shop.broken.set('undo charge', () => fail('E_UNAVAILABLE', 'No bank.'));
    await using governed = await restart();
    const [{ runId } = { runId: '' }] = await workflow.runs();
    const { error } = await governed.ask('execute_workflow_undo', { runId });
    expect(error).toMatchObject({ code: 'E_CONFLICT', retryable: false });
    expect(error?.message).toContain('It was taken back but for: charge (');
    expect(failed(error).notUndone).toMatchObject([{ stage: 'charge' }]);
    shop.broken.clear();
    const again = dataOf(await governed.ask('execute_workflow_undo', { runId }));
    expect(again).toMatchObject({ status: 'undone', notUndone: [] });
    expect([shop.stock, shop.charges.size]).toEqual([3, 0]);
  });

  test('is left alone while its process is alive', async () => {
    const gate = createDeferred<void>();
    const begun = createDeferred<void>();
    const shop = new Shop();
    const workflow = orderWorkflow(shop, {
      async onStage(stage) {
        if (stage !== 'charge') return;
        begun.resolve();
        await gate.promise;
      },
    });
    await using governed = await startGoverned({ tools: [workflow] });
    const asked = governed.ask(name, two);
    await begun.promise;
    const [{ runId } = { runId: '' }] = await workflow.runs();
    await expect(workflow.undo(runId)).rejects.toMatchObject({ failure: { code: 'E_CONFLICT' } });
    gate.resolve();
    expect(await asked).toMatchObject({ success: true });
  });

  test('is one that is done, should somebody want it undone', async () => {
    const shop = new Shop();
    shop.broken.set('undo charge', () => fail('E_UNAVAILABLE', 'No bank.'));
    const workflow = orderWorkflow(shop);
    await using governed = await startGoverned({ tools: [workflow] });
    const { runId } = dataOf(await governed.ask(name, two));
    const first = await workflow.undo(String(runId));
    expect(first.notUndone).toMatchObject([{ stage: 'charge' }, { stage: 'send' }]);
    shop.broken.clear();
    const second = await workflow.undo(String(runId));
    expect(second.notUndone).toMatchObject([{ stage: 'send', reason: 'It has no undo.' }]);
    expect(shop.events.filter((event) => event === 'undo reserve')).toHaveLength(1);
    expect(shop.stock).toBe(3);
  });

  test('is not begun while its store is away', async () => {
    const memory = createMemoryStore();
    const kv = { ...memory.kv, get: () => Promise.reject(new Error('down')) };
    const shop = new Shop();
    const tools = [orderWorkflow(shop, { store: { ...memory, kv } })];
    await using governed = await startGoverned({ tools });
    const { error } = await governed.ask(name, two);
    expect(error).toMatchObject({ code: 'E_UNAVAILABLE', retryable: true });
    expect(shop.events).toEqual([]);
  });
});
