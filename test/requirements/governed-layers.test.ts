import { describe, expect, test } from 'vitest';
import { createDeferred } from 'mcp-kit/internal';
import { tool, toolSet } from 'mcp-kit/tools';
import { governed as govern, layerOrder, type Layer } from 'mcp-kit/tools/governed';
import { startGoverned } from './governed-fixture.ts';

const position = { x: 5, y: 5, z: 5 };
const move = { nodeUuid: 'lamp', position };

/** Notes when a call comes by on its way in, and on its way out. */
function noting(before: NonNullable<Layer['before']>, seen: string[]): Layer {
  return {
    name: `note ${before}`,
    before,
    wrap: (next) => async (call) => {
      seen.push(`> ${before}`);
      const outcome = await next(call);
      seen.push(`< ${before}`);
      return outcome;
    },
  };
}

describe('the layers', () => {
  test('are passed in their order, and back', async () => {
    const seen: string[] = [];
    const layers = layerOrder.map((name) => noting(name, seen));
    await using governed = await startGoverned({ layers });
    await governed.ask('set_node_position', move);
    expect(seen).toEqual([
      ...layerOrder.map((name) => `> ${name}`),
      ...layerOrder.map((name) => `< ${name}`).toReversed(),
    ]);
    expect(layerOrder).toEqual([
      'limit',
      'validate',
      'permission',
      'timeout',
      'idempotency',
      'dry run',
      'run',
    ]);
  });

  test.each([
    ['a wrong argument', { nodeUuid: 'lamp' }, ['limit', 'validate']],
    ['no permission', move, ['limit', 'validate', 'permission']],
  ])('go no further than need be: %s', async (_what, args, passed) => {
    const seen: string[] = [];
    const layers = layerOrder.map((name) => noting(name, seen));
    await using governed = await startGoverned({ layers, permit: () => false });
    await governed.ask('set_node_position', args);
    expect(seen.filter((note) => note.startsWith('>'))).toEqual(passed.map((name) => `> ${name}`));
  });

  test('a dry run does not come as far as the tool', async () => {
    const seen: string[] = [];
    await using governed = await startGoverned({ layers: [noting('run', seen)] });
    await governed.ask('set_node_position', { ...move, dryRun: true });
    expect(seen).toEqual([]);
  });

  test('one of your own may answer in place of the tool, and is in the trace', async () => {
    const cache: Layer = {
      name: 'cache',
      before: 'run',
      wrap: (next, { tool: made }) =>
        made.name !== 'get_node_info'
          ? next
          : () => ({
              ok: true,
              value: { name: 'Cached', position },
              shown: { content: [{ type: 'text', text: 'cached' }] },
            }),
    };
    await using governed = await startGoverned({ layers: [cache] });
    const { data, meta } = await governed.ask('get_node_info', { nodeUuid: 'nowhere' });
    expect(data).toEqual({ name: 'Cached', position });
    const trace = await governed.ask('get_trace_by_id', { traceId: meta.traceId });
    expect(trace.data).toMatchObject({ spans: [{ name: 'validate' }, { name: 'cache' }] });
  });

  test('one that goes before no layer is refused', () => {
    const layer: Layer = { name: 'mine', before: 'cash' as 'run', wrap: (next) => next };
    const governance = { layers: [layer] };
    expect(() => toolSet([], { contract: govern(governance) })).toThrow(/no layer "cash"/);
  });
});

describe('limits', () => {
  test('bound what one caller has under way', async () => {
    const gate = createDeferred<void>();
    const slow = tool({
      name: 'get_thing_state',
      description: 'Waits.',
      safety: 'readonly',
      run: () => gate.promise,
    });
    await using governed = await startGoverned({
      tools: [slow],
      lint: 'off',
      limit: { concurrent: 2 },
    });
    const under = [governed.ask('get_thing_state'), governed.ask('get_thing_state')];
    const third = await governed.ask('get_thing_state');
    expect(third.error).toMatchObject({ code: 'E_UNAVAILABLE', retryable: true });
    gate.resolve();
    expect((await Promise.all(under)).map(({ success }) => success)).toEqual([true, true]);
    expect(await governed.ask('get_thing_state')).toMatchObject({ success: true });
  });

  test('count what goes on after its time is up, until it ends', async () => {
    const gate = createDeferred<void>();
    const deaf = tool({
      name: 'get_thing_state',
      description: 'Heeds no signal.',
      safety: 'readonly',
      timeoutMs: 10,
      limit: { concurrent: 1 },
      run: () => gate.promise,
    });
    await using governed = await startGoverned({ tools: [deaf], lint: 'off' });
    const codeOf = async (): Promise<unknown> =>
      (await governed.ask('get_thing_state')).error?.code;
    expect([await codeOf(), await codeOf()]).toEqual(['E_TIMEOUT', 'E_UNAVAILABLE']);
    gate.resolve();
    await expect.poll(() => codeOf()).toBeUndefined();
  });

  test('bound how often, and say when to come back', async () => {
    await using governed = await startGoverned({ limit: { perMinute: 3 } });
    const outcomes: (string | undefined)[] = [];
    for (let n = 0; n < 5; n += 1) {
      outcomes.push((await governed.ask('get_node_info', { nodeUuid: 'lamp' })).error?.code);
    }
    expect(outcomes).toEqual([undefined, undefined, undefined, 'E_UNAVAILABLE', 'E_UNAVAILABLE']);
    const { error } = await governed.ask('get_node_info', { nodeUuid: 'lamp' });
    const { retryAfterMs } = Object(error?.details) as { retryAfterMs: number };
    expect(retryAfterMs).toBeGreaterThan(10_000);
    expect(retryAfterMs).toBeLessThanOrEqual(20_000);
  });

  test('of a tool hold for all its callers, and a refused call leaves no mark', async () => {
    const scarce = tool({
      name: 'get_thing_state',
      description: 'May run twice a minute.',
      safety: 'readonly',
      limit: { perMinute: 2 },
      run: () => 'done',
    });
    await using governed = await startGoverned({
      tools: [scarce],
      lint: 'off',
      limit: { concurrent: 1 },
    });
    const codes: unknown[] = [];
    for (let n = 0; n < 4; n += 1) codes.push((await governed.ask('get_thing_state')).error?.code);
    expect(codes).toEqual([undefined, undefined, 'E_UNAVAILABLE', 'E_UNAVAILABLE']);
  });
});

test('permission is asked with what is to be done and by whom', async () => {
  const asked: unknown[] = [];
  await using governed = await startGoverned({
    permit(request) {
      asked.push(request);
      return request.dryRun || 'only to be looked at';
    },
  });
  const { error } = await governed.ask('set_node_position', move);
  expect(error).toMatchObject({
    code: 'E_PRECONDITION_FAILED',
    message: 'set_node_position is not permitted: only to be looked at',
  });
  expect(await governed.ask('set_node_position', { ...move, dryRun: true })).toMatchObject({
    success: true,
  });
  expect(asked).toMatchObject([
    { tool: 'set_node_position', args: move, dryRun: false, traits: { safety: 'mutating' } },
    { dryRun: true },
  ]);
});

describe('time', () => {
  test('is the least of what caller, tool and set allow', async () => {
    const slow = tool({
      name: 'get_thing_state',
      description: 'Never ends by itself.',
      safety: 'readonly',
      timeoutMs: 20,
      run: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    });
    await using governed = await startGoverned({ tools: [slow], lint: 'off', timeoutMs: 60_000 });
    const { error } = await governed.ask('get_thing_state');
    expect(error).toMatchObject({ code: 'E_TIMEOUT', details: { timeoutMs: 20 } });
    expect(governed.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('that is up while planning means that nothing is done', async () => {
    const gate = createDeferred<void>();
    let writes = 0;
    const made = tool({
      name: 'set_thing_state',
      description: 'Plans for long.',
      safety: 'mutating',
      async plan() {
        await gate.promise;
        return { changes: [] };
      },
      apply() {
        writes += 1;
      },
    });
    await using governed = await startGoverned({ tools: [made], lint: 'off' });
    const { error } = await governed.ask('set_thing_state', { timeoutMs: 20 });
    expect(error?.suggestion).toContain('Nothing was changed.');
    gate.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(writes).toBe(0);
  });
});
