import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { fail, failureCodes, tool, type FailureCode } from 'mcp-kit/tools';
import { post, serving, startSession } from '../support/mcp-http.ts';
import { createGoverned, dataOf, startGoverned } from './governed-fixture.ts';

const position = { x: 5, y: 5, z: 5 };
const move = { nodeUuid: 'lamp', position };

describe('the protocol layer', () => {
  test.each([
    ['-32700, what is not JSON', '{', -32700],
    ['-32600, what is no request', '{"jsonrpc":"2.0","id":1}', -32600],
    ['-32601, an unknown method', '{"jsonrpc":"2.0","id":1,"method":"tools/none"}', -32601],
    [
      '-32602, an unknown tool',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}',
      -32602,
    ],
  ])('%s', async (_what, body, code) => {
    await using served = await serving(createGoverned().server, { profile: 'v2' });
    const session = await startSession(served.url);
    const { message } = await post(served.url, body, session.headers);
    expect(message).toMatchObject({ error: { code } });
    expect(message).not.toHaveProperty('result');
  });

  test('-32603, a bug outside of any tool', async () => {
    const broken = { capabilities: {}, methods: { 'x/broken': () => JSON.parse('{') } };
    const { createServer } = await import('mcp-kit/server');
    const server = createServer({ name: 's', version: '1', features: [broken] });
    const { connectInMemory } = await import('mcp-kit/testing');
    const client = connectInMemory(server);
    await client.initialize();
    await expect(client.request('x/broken')).rejects.toMatchObject({ code: -32603 });
    await client.close();
  });
});

describe('the business layer', () => {
  test('success: structuredContent.success is true, and a text says what was done', async () => {
    await using governed = await startGoverned();
    const result = await governed.call('set_node_position', move);
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toEqual({
      success: true,
      data: {
        after: position,
        changes: [
          {
            type: 'update',
            target: 'lamp',
            field: 'position',
            from: { x: 1, y: 2, z: 3 },
            to: position,
          },
        ],
        riskLevel: 'low',
      },
      error: null,
      meta: {
        traceId: expect.stringMatching(/^trc_[0-9a-f]{32}$/),
        tool: 'set_node_position',
        version: '2.0.0',
        durationMs: expect.any(Number),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
    expect(result.content).toMatchObject([{ text: expect.stringMatching(/^Done: update lamp/) }]);
  });

  test('failure: isError, success false, and the code comes first in the text', async () => {
    await using governed = await startGoverned();
    const result = await governed.call('set_node_position', { ...move, nodeUuid: 'none' });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: 'E_NOT_FOUND: There is no node "none".' }],
      structuredContent: {
        success: false,
        data: null,
        error: { code: 'E_NOT_FOUND', message: 'There is no node "none".', retryable: false },
      },
    });
  });

  test('every answer conforms to the schema its tool is listed with', async () => {
    await using governed = await startGoverned({
      visible: ['core', 'advanced'],
      checkResults: false,
    });
    const schemas = new Map(
      (await governed.list()).map((madeTool) => [madeTool.name, madeTool.outputSchema]),
    );
    const ajv = new Ajv2020({ strict: false });
    const answers = [
      await governed.ask('get_node_info', { nodeUuid: 'lamp' }),
      await governed.ask('get_node_info', {}),
      await governed.ask('set_node_position', { ...move, dryRun: true }),
      await governed.ask('set_node_position', { ...move, idempotencyKey: 'a' }),
      await governed.ask('set_node_position', { ...move, idempotencyKey: 'a' }),
      await governed.ask('update_node_names', { nodeUuids: ['lamp', 'none'], name: 'L' }),
      await governed.ask('execute_scene_export'),
      await governed.ask('get_tool_manifest', { name: 'get_node_info' }),
      await governed.ask('get_tool_manifest'),
      await governed.ask('get_trace_by_id'),
      await governed.ask('delete_node_tree', { nodeUuid: 'lamp' }),
    ];
    for (const answer of answers) {
      expect([
        answer.meta.tool,
        ajv.validate(schemas.get(answer.meta.tool) ?? false, answer),
      ]).toEqual([answer.meta.tool, true]);
    }
    const wrong = { ...answers[3], data: { after: 'there' } };
    expect(ajv.validate(schemas.get('set_node_position') ?? false, wrong)).toBe(false);
  });

  test('by option every answer is checked at run time, and a broken promise is a bug', async () => {
    const broken = tool({
      name: 'set_thing_state',
      description: 'Breaks its promise.',
      safety: 'mutating',
      plan: () => ({ changes: [], riskLevel: 'enormous' as 'low' }),
      apply() {},
    });
    await using governed = await startGoverned({ tools: [broken], lint: 'off' });
    const { error, meta } = await governed.ask('set_thing_state');
    expect(error).toMatchObject({
      code: 'E_INTERNAL',
      message: `Internal error, trace ${meta.traceId}`,
    });
    expect(governed.logged).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('broke its contract') }),
    );
  });

  test('a failure names its stage where there are several', async () => {
    const staged = tool({
      name: 'set_thing_state',
      description: 'Fails in the middle.',
      safety: 'mutating',
      plan() {
        throw fail('E_PRECONDITION_FAILED', 'Not yet.', { stage: 'look', suggestion: 'Wait.' });
      },
      apply() {},
    });
    await using governed = await startGoverned({ tools: [staged], lint: 'off' });
    const { error } = await governed.ask('set_thing_state');
    expect(error).toEqual({
      code: 'E_PRECONDITION_FAILED',
      message: 'Not yet.',
      retryable: false,
      stage: 'look',
      suggestion: 'Wait.',
    });
  });
});

describe('business error codes', () => {
  const codes: readonly [FailureCode, boolean][] = [
    ['E_INVALID_ARGUMENT', false],
    ['E_NOT_FOUND', false],
    ['E_CONFLICT', false],
    ['E_PRECONDITION_FAILED', false],
    ['E_TIMEOUT', true],
    ['E_INTERNAL', false],
    ['E_UNAVAILABLE', true],
  ];

  test.each(codes)('%s can be returned by a tool; retryable is %s', async (code, retryable) => {
    const failing = tool({
      name: 'get_thing_state',
      description: 'Fails as told.',
      safety: 'readonly',
      run() {
        throw fail(code, 'No.');
      },
    });
    await using governed = await startGoverned({ tools: [failing], lint: 'off' });
    const { error } = await governed.ask('get_thing_state');
    expect(error).toEqual({ code, message: 'No.', retryable });
  });

  test('each of them is one the framework itself can answer', async () => {
    await using governed = await startGoverned({
      visible: ['core', 'advanced', 'internal'],
      limit: { concurrent: 1 },
      permit: ({ tool: madeTool }) => madeTool !== 'execute_scene_export',
    });
    const wait = governed.ask('execute_scene_wait', { ms: 60_000, timeoutMs: 100 });
    const seen = new Set<string | undefined>([
      (await governed.ask('get_node_info', { nodeUuid: 'lamp' })).error?.code,
      (await wait).error?.code,
    ]);
    for (const [name, args] of [
      ['get_node_info', {}],
      ['get_node_info', { nodeUuid: 'none' }],
      ['set_node_position', { ...move, planToken: 'made up' }],
      ['execute_scene_export', {}],
      ['validate_scene_tree', {}],
    ] as const) {
      seen.add((await governed.ask(name, args)).error?.code);
    }
    expect(seen).toEqual(new Set(Object.keys(failureCodes)));
  });

  test('a bug is E_INTERNAL: the caller learns the trace, the log the rest', async () => {
    await using governed = await startGoverned({ visible: ['internal'] });
    const result = await governed.call('validate_scene_tree');
    expect(JSON.stringify(result)).not.toContain('hunter2');
    const [bug] = governed.logged.filter(({ level }) => level === 'error');
    expect(bug?.fields).toMatchObject({ error: expect.stringContaining('hunter2') });
  });
});

describe('writes', () => {
  test('a dry run tells what would change and does not do it', async () => {
    await using governed = await startGoverned();
    const before = governed.scene.snapshot();
    const { data } = await governed.ask('delete_node_tree', { nodeUuid: 'lamp', dryRun: true });
    expect(data).toEqual({
      dryRun: true,
      changes: [{ type: 'delete', target: 'lamp', from: 'Lamp' }],
      riskLevel: 'high',
      planToken: expect.stringMatching(/^plan_[\w-]{48}$/),
      expiresAt: expect.stringMatching(/Z$/),
    });
    expect(governed.scene.snapshot()).toBe(before);
  });

  test('what deletes answers with its risk level, tried or done', async () => {
    await using governed = await startGoverned();
    const args = { nodeUuid: 'lamp' };
    const tried = dataOf(await governed.ask('delete_node_tree', { ...args, dryRun: true }));
    const done = dataOf(await governed.ask('delete_node_tree', args));
    expect([tried['riskLevel'], done['riskLevel']]).toEqual(['high', 'high']);
  });

  test('every write answers with its changes: done, they are those of the dry run', async () => {
    await using governed = await startGoverned();
    const tried = dataOf(await governed.ask('set_node_position', { ...move, dryRun: true }));
    const done = dataOf(await governed.ask('set_node_position', move));
    expect(done['changes']).toEqual(tried['changes']);
  });

  const several = { nodeUuids: ['root', 'none', 'lamp'], name: 'Same' };

  test('a batch tells what succeeded, failed and was skipped', async () => {
    await using governed = await startGoverned();
    const data = dataOf(await governed.ask('update_node_names', several));
    expect(data).toMatchObject({
      succeeded: [{ item: 'root' }, { item: 'lamp' }],
      failed: [{ item: 'none', error: { code: 'E_NOT_FOUND', retryable: false } }],
      skipped: [],
      changes: [{ target: 'root' }, { target: 'lamp' }],
    });
  });

  test('a batch stops at the first failure where that is wanted', async () => {
    await using governed = await startGoverned();
    const args = { ...several, stopOnError: true };
    const data = dataOf(await governed.ask('update_node_names', args));
    expect(data).toMatchObject({
      succeeded: [{ item: 'root' }],
      failed: [{ item: 'none' }],
      skipped: [{ item: 'lamp', reason: 'none failed' }],
      changes: [{ target: 'root' }],
    });
    expect(governed.scene.nodes.get('lamp')?.name).toBe('Lamp');
  });
});
