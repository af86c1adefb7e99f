import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createDeferred, silentLogger } from 'mcp-kit/internal';
import { toolContract } from 'mcp-kit/testing';
import { fail, type Trace } from 'mcp-kit/tools';
import { defineWorkflow } from 'mcp-kit/tools/workflow';
import { lintTools } from 'mcp-kit/tools/inspect';
import { dataOf, startGoverned } from './governed-fixture.ts';
import { failed, orderWorkflow, Shop, statusOf } from './workflow-fixture.ts';

const name = 'workflow_create_shop_order';
const two = { item: 'tea', count: 2 };

const head = {
  name: 'workflow_update_shop_thing',
  description: 'Does what the test says.',
  safety: 'mutating',
  logger: silentLogger,
} as const;
const nothing = { changes: [] };

describe('a workflow', () => {
  test('does its stages in order, and returns what became of each', async () => {
    const shop = new Shop();
    await using governed = await startGoverned({ tools: [orderWorkflow(shop)], lint: lintTools });
    const data = dataOf(await governed.ask(name, two));
    expect(shop.events).toEqual(['reserve', 'charge', 'send']);
    const [chargeId] = shop.charges.keys();
    expect(data).toMatchObject({
      chargeId,
      stages: [
        { stage: 'reserve', status: 'applied', durationMs: expect.any(Number) },
        { stage: 'charge', status: 'applied' },
        { stage: 'send', status: 'applied' },
      ],
    });
    expect(data['changes']).toMatchObject([
      { stage: 'reserve', type: 'update', from: 3, to: 1 },
      { stage: 'charge', type: 'create', target: chargeId, to: 10 },
      { stage: 'send', type: 'create' },
    ]);
  });

  test.each([
    ['low', 'low', 'low'],
    ['low', undefined, 'high'],
    ['high', undefined, 'high'],
  ] as const)(
    'is as bad a mistake as the worst of its stages: %s and %s is %s, where it is high itself',
    async (first, second, whole) => {
      const stage = (riskLevel?: 'low' | 'high') => ({
        plan: () => ({ ...nothing, ...(riskLevel && { riskLevel }) }),
        apply: () => undefined,
      });
      const workflow = defineWorkflow({ ...head, riskLevel: 'high' })
        .stage('one', stage(first))
        .stage('two', stage(second));
      await using governed = await startGoverned({ tools: [workflow], lint: 'off' });
      const { riskLevel } = dataOf(await governed.ask(head.name, { dryRun: true }));
      expect(riskLevel).toBe(whole);
    },
  );

  test('that is refused before its first stage tells all of them, and that none was begun', async () => {
    await using governed = await startGoverned({ tools: [orderWorkflow(new Shop())] });
    for (const wrong of [{ item: 'tea' }, { ...two, timeoutMs: 0 }, { ...two, planToken: 'x' }]) {
      const { error } = await governed.ask(name, wrong);
      expect(error?.stage).toBe('prepare');
      expect(statusOf(failed(error).stages)).toEqual([
        ['reserve', 'skipped'],
        ['charge', 'skipped'],
        ['send', 'skipped'],
      ]);
    }
  });

  test.each(['plan', 'apply'] as const)(
    'whose time is up while a stage is in %s names that stage, and says what is known of all',
    async (at) => {
      const reached = createDeferred<void>();
      const stuck = (): Promise<never> => {
        reached.resolve();
        return new Promise(() => {});
      };
      const workflow = defineWorkflow(head)
        .stage('one', { plan: () => nothing, apply: () => undefined })
        .stage('two', { plan: at === 'plan' ? stuck : () => nothing, apply: stuck });
      await using governed = await startGoverned({ tools: [workflow], lint: 'off' });
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const answer = governed.ask(head.name, { timeoutMs: 1000 });
      await reached.promise;
      vi.advanceTimersByTime(1000);
      const { error } = await answer;
      expect(error).toMatchObject({ code: 'E_TIMEOUT', stage: 'two' });
      const status = at === 'plan' ? 'skipped' : 'applying';
      expect(statusOf(failed(error).stages)).toEqual([
        ['one', status],
        ['two', status],
      ]);
    },
  );

  test('that fails says at which stage and with which code, and undoes the rest, last first', async () => {
    const shop = new Shop();
    shop.broken.set('send', () => fail('E_CONFLICT', 'The address is unknown.'));
    const before = shop.snapshot();
    await using governed = await startGoverned({ tools: [orderWorkflow(shop)] });
    const { error } = await governed.ask(name, two);
    expect(error).toMatchObject({
      code: 'E_CONFLICT',
      stage: 'send',
      message:
        'Stage send failed: The address is unknown. What was done before it has been undone.',
      details: { notUndone: [] },
    });
    expect(statusOf(failed(error).stages)).toEqual([
      ['reserve', 'undone'],
      ['charge', 'undone'],
      ['send', 'failed'],
    ]);
    expect(shop.events.slice(-2)).toEqual(['undo charge', 'undo reserve']);
    expect(shop.snapshot()).toEqual(before);
  });

  test('says what could not be undone, why, and what it had changed', async () => {
    const shop = new Shop();
    shop.broken.set('send', () => fail('E_UNAVAILABLE', 'No courier.'));
    shop.broken.set('undo charge', () => fail('E_UNAVAILABLE', 'No bank.'));
    await using governed = await startGoverned({ tools: [orderWorkflow(shop)] });
    const { error } = await governed.ask(name, two);
    const { notUndone, stages } = failed(error);
    expect(notUndone).toMatchObject([
      {
        stage: 'charge',
        reason: 'Undoing it failed: E_UNAVAILABLE: No bank.',
        changes: [{ type: 'create', to: 10, stage: 'charge' }],
      },
      { stage: 'send', reason: 'It is not known whether it took effect, and it has no undo.' },
    ]);
    expect(statusOf(stages)).toEqual([
      ['reserve', 'undone'],
      ['charge', 'not_undone'],
      ['send', 'failed'],
    ]);
    expect(error).toMatchObject({ code: 'E_UNAVAILABLE', retryable: false, stage: 'send' });
    expect(shop.stock).toBe(3);
  });

  test.each(toolContract(() => ({ tools: [orderWorkflow(new Shop())] })).slice(0, 2))(
    'has examples that run: $name',
    ({ run }) => run(),
  );

  test('is tried as a whole, and done exactly so with the token', async () => {
    const shop = new Shop();
    const before = shop.snapshot();
    await using governed = await startGoverned({ tools: [orderWorkflow(shop)] });
    const tried = dataOf(await governed.ask(name, { ...two, dryRun: true }));
    expect(shop.snapshot()).toEqual(before);
    expect(tried['changes']).toMatchObject([{ stage: 'reserve' }, { stage: 'charge' }, {}]);
    const { planToken } = tried;
    const done = dataOf(await governed.ask(name, { ...two, planToken }));
    expect(done['changes']).toEqual(tried['changes']);
    const again = await governed.ask(name, { ...two, planToken });
    expect(again.error).toMatchObject({ code: 'E_CONFLICT' });
    shop.stock = 2;
    const stale = dataOf(await governed.ask(name, { ...two, dryRun: true }));
    shop.stock = 3;
    const { error } = await governed.ask(name, { ...two, planToken: stale['planToken'] });
    expect(error).toMatchObject({ code: 'E_CONFLICT', details: { reason: 'stale' } });
    expect(shop.charges.size).toBe(1);
  });

  test('whose plan fails says at which stage, and does nothing', async () => {
    const shop = new Shop();
    await using governed = await startGoverned({ tools: [orderWorkflow(shop)] });
    const { error } = await governed.ask(name, { item: 'tea', count: 9 });
    expect(error).toMatchObject({ code: 'E_PRECONDITION_FAILED', stage: 'reserve' });
    expect(shop.events).toEqual([]);
  });

  test('answers alike under one key, and has a span for each stage', async () => {
    const shop = new Shop();
    await using governed = await startGoverned({ tools: [orderWorkflow(shop)] });
    const first = await governed.ask(name, { ...two, idempotencyKey: 'k' });
    const second = await governed.ask(name, { ...two, idempotencyKey: 'k' });
    expect(second).toMatchObject({ data: first.data, meta: { replayed: true } });
    expect(shop.charges.size).toBe(1);
    const { traceId } = first.meta;
    const trace = dataOf(await governed.ask('get_trace_by_id', { traceId })) as unknown as Trace;
    const named = trace.spans?.map(({ name: span, parent }) => [
      trace.spans?.[parent]?.name ?? '',
      span,
    ]);
    for (const stage of ['reserve', 'charge', 'send']) {
      expect(named).toContainEqual(['plan', stage]);
      expect(named).toContainEqual(['apply', stage]);
    }
  });

  test('may be tried again under its key when it failed and nothing is left', async () => {
    const shop = new Shop();
    shop.broken.set('charge', () => fail('E_UNAVAILABLE', 'No bank.'));
    await using governed = await startGoverned({ tools: [orderWorkflow(shop)] });
    const first = await governed.ask(name, { ...two, idempotencyKey: 'k' });
    expect(first.error).toMatchObject({ code: 'E_UNAVAILABLE', retryable: true });
    shop.broken.clear();
    const second = await governed.ask(name, { ...two, idempotencyKey: 'k' });
    expect(second).toMatchObject({ success: true });
    expect([shop.stock, shop.charges.size]).toEqual([1, 1]);
  });

  test('tells a bug of a stage to the log, and undoes what was done', async () => {
    const shop = new Shop();
    shop.broken.set('charge', () => new Error('password=hunter2'));
    const error = vi.fn<(message: string, fields?: object) => void>();
    const tools = [orderWorkflow(shop, { logger: { ...silentLogger, error } })];
    await using governed = await startGoverned({ tools });
    const answer = await governed.ask(name, two);
    expect(answer.error).toMatchObject({ code: 'E_INTERNAL', stage: 'charge' });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
    expect(JSON.stringify(error.mock.calls)).toContain('hunter2');
    expect(shop.stock).toBe(3);
  });
});

describe('the stages of a workflow', () => {
  test('run at once where none is after another, and later ones get what they return', async () => {
    const gates = { a: createDeferred<void>(), b: createDeferred<void>() };
    const begun: string[] = [];
    const workflow = defineWorkflow(head)
      .stage('a', {
        plan: () => nothing,
        async apply() {
          begun.push('a');
          await gates.a.promise;
          return 1;
        },
      })
      .stage('b', {
        after: [],
        plan: () => nothing,
        async apply() {
          begun.push('b');
          await gates.b.promise;
          return 'two';
        },
      })
      .stage('c', {
        plan: () => nothing,
        apply: ({ outputs: { a, b } }) => ({ all: `${a + 1} ${b.length}` }),
      });
    await using governed = await startGoverned({ tools: [workflow], lint: 'off' });
    const asked = governed.ask(workflow.name);
    await expect.poll(() => begun).toEqual(['a', 'b']);
    gates.b.resolve();
    gates.a.resolve();
    expect(dataOf(await asked)).toMatchObject({
      stages: [{}, {}, { stage: 'c', output: { all: '2 3' } }],
    });
  });

  test('know the types of those they come after, and of no others', () => {
    const made = defineWorkflow(head)
      .stage('a', { plan: () => ({ changes: [], size: 1 }), apply: () => 'text' })
      .stage('b', { after: [], plan: () => nothing, apply: () => 2 })
      .stage('c', {
        after: ['b'],
        // @ts-expect-error it does not come after a
        plan: ({ plans: { a } }) => ({ changes: [], a }),
        apply: ({ outputs: { b } }) => b * 2,
        // @ts-expect-error what it returns is a number
        undo: ({ output }) => void output?.trim(),
      })
      .returns(
        { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
        // @ts-expect-error the schema says a number
        ({ a }) => ({ n: a }),
      );
    // @ts-expect-error no stage above has this name
    const wrong = (): unknown => made.stage('d', { after: ['x'], plan: () => nothing, apply() {} });
    expect(wrong).toThrow(/not defined above/);
  });

  test('have a deadline each; one that does not stop is told of', async () => {
    const forever = createDeferred<void>();
    let stopped = false;
    const build = (heeds: boolean): ReturnType<typeof defineWorkflow> =>
      defineWorkflow({ ...head, graceMs: 20 }).stage('slow', {
        timeoutMs: 20,
        plan: () => ({ changes: [{ type: 'create', target: 'x' }] }),
        apply: (_known, { signal }) =>
          new Promise((resolve, reject) => {
            void forever.promise.then(resolve);
            if (!heeds) return;
            signal.addEventListener('abort', () => {
              stopped = true;
              reject(signal.reason as Error);
            });
          }),
        undo() {},
      });
    for (const heeds of [true, false]) {
      const workflow = build(heeds);
      await using governed = await startGoverned({ tools: [workflow], lint: 'off' });
      const { error } = await governed.ask(workflow.name);
      expect(error).toMatchObject({ code: 'E_TIMEOUT', stage: 'slow', retryable: heeds });
      expect(stopped).toBe(true);
      const { notUndone } = failed(error);
      const reason = 'It did not stop in time, and may still take effect.';
      expect(notUndone).toMatchObject(heeds ? [] : [{ stage: 'slow', reason }]);
    }
    forever.resolve();
  });

  test('that have begun come to their end when another fails, and are undone as well', async () => {
    const gate = createDeferred<void>();
    const undone: string[] = [];
    const workflow = defineWorkflow(head)
      .stage('slow', {
        plan: () => nothing,
        apply: async () => {
          await gate.promise;
          return 'made';
        },
        undo: ({ output }) => void undone.push(`slow ${output}`),
      })
      .stage('quick', {
        after: [],
        plan: () => nothing,
        apply() {
          setImmediate(() => gate.resolve());
          throw fail('E_NOT_FOUND', 'Not there.');
        },
      })
      .stage('never', { plan: () => nothing, apply: () => void undone.push('never') });
    await using governed = await startGoverned({ tools: [workflow], lint: 'off' });
    const { error } = await governed.ask(workflow.name);
    expect(error).toMatchObject({ code: 'E_NOT_FOUND', stage: 'quick' });
    expect(statusOf(failed(error).stages)).toEqual([
      ['slow', 'undone'],
      ['quick', 'failed'],
      ['never', 'skipped'],
    ]);
    expect(undone).toEqual(['slow made']);
  });

  test('are undone when the time for the call is up', async () => {
    const undone = createDeferred<void>();
    const error = vi.fn<(message: string, fields?: object) => void>();
    const workflow = defineWorkflow({ ...head, logger: { ...silentLogger, error } })
      .stage('first', {
        plan: () => nothing,
        apply: () => 1,
        undo: () => undone.resolve(),
      })
      .stage('second', {
        plan: () => nothing,
        apply: (_known, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          }),
      });
    await using governed = await startGoverned({ tools: [workflow], lint: 'off' });
    const late = await governed.ask(workflow.name, { timeoutMs: 30, idempotencyKey: 'k' });
    expect(late.error).toMatchObject({ code: 'E_TIMEOUT' });
    await undone.promise;
    expect(error).not.toHaveBeenCalled();
  });

  test.each([
    ['one', [], /stage one is defined twice/],
    ['two', ['three'], /after "three", which is not defined above/],
    ['a b', [], /stage name "a b" is not valid/],
  ])('are refused when "%s" comes after %j', (second, after, complaint) => {
    const stage = { plan: () => nothing, apply: () => 1 };
    const workflow = defineWorkflow(head).stage('one', stage);
    expect(() => workflow.stage(second, { ...stage, after: after as never[] })).toThrow(complaint);
  });

  test.each([
    ['plan', { ...nothing, made: new Map() }, {}],
    ['output', nothing, { made: new Map() }],
  ])('whose %s the journal cannot keep are a bug', async (what, plan, output) => {
    const error = vi.fn<(message: string, fields?: object) => void>();
    const workflow = defineWorkflow({ ...head, logger: { ...silentLogger, error } });
    const tools = [workflow.stage('one', { plan: () => plan, apply: () => output })];
    await using governed = await startGoverned({ tools, lint: 'off' });
    const answer = await governed.ask(head.name);
    expect(answer.error).toMatchObject({ code: 'E_INTERNAL', stage: 'one' });
    expect(JSON.stringify(error.mock.calls)).toContain(`${what}.made is not plain JSON`);
  });
});
