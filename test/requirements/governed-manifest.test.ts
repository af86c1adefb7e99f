import { describe, expect, test } from 'vitest';
import { connectInMemory } from 'mcp-kit/testing';
import { tool, toolSet, type Envelope, type Manifest, type Trace } from 'mcp-kit/tools';
import { governed as govern } from 'mcp-kit/tools/governed';
import { modern, serving, startSession } from '../support/mcp-http.ts';
import { send } from '../support/http-client.ts';
import { createGoverned, dataOf, Scene, sceneTools, startGoverned } from './governed-fixture.ts';

const position = { x: 5, y: 5, z: 5 };
const move = { nodeUuid: 'lamp', position };
const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('manifest', () => {
  test('tools/list has the least of it in _meta', async () => {
    await using governed = await startGoverned();
    const [listed] = (await governed.list()).filter(({ name }) => name === 'set_node_position');
    expect(listed?._meta).toEqual({
      layer: 'core',
      category: 'node',
      safety: 'mutating',
      idempotent: true,
      supportsDryRun: true,
    });
  });

  test('the hints of MCP follow from it', async () => {
    await using governed = await startGoverned();
    const hints = new Map(
      (await governed.list()).map(({ name, annotations }) => [name, annotations]),
    );
    expect(hints.get('get_node_info')).toEqual({ readOnlyHint: true });
    expect(hints.get('set_node_position')).toEqual({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
    });
    expect(hints.get('delete_node_tree')).toMatchObject({ destructiveHint: true });
  });

  test('get_tool_manifest has all of it', async () => {
    await using governed = await startGoverned();
    const { data } = await governed.ask('get_tool_manifest', { name: 'set_node_position' });
    expect(data).toMatchObject({
      name: 'set_node_position',
      layer: 'core',
      category: 'node',
      safety: 'mutating',
      idempotent: true,
      supportsDryRun: true,
      prerequisites: ['sceneReady=true'],
      riskLevel: 'low',
      inputSchema: { properties: { nodeUuid: {}, dryRun: { type: 'boolean' } } },
      outputSchema: { required: ['success', 'data', 'error', 'meta'] },
      examples: [{ input: { nodeUuid: 'lamp' } }, { fails: 'E_NOT_FOUND' }],
    });
    const { errors = [] } = data as Manifest;
    expect(errors).toContainEqual({
      code: 'E_NOT_FOUND',
      when: 'There is no such node.',
      retryable: false,
    });
    expect(errors.map(({ code }) => code)).toContain('E_TIMEOUT');
  });

  test('get_tool_manifest without a name has all tools, in short, a page at a time', async () => {
    const many = Array.from({ length: 200 }, (_, at) =>
      tool({ name: `get_node_${at}`, description: 'Looks. '.repeat(20), run: () => 'seen' }),
    );
    await using governed = await startGoverned({ tools: many, lint: 'off' });
    const listed = (await governed.list()).map(({ name }) => name);
    for (const full of [false, true]) {
      const names: string[] = [];
      for (let offset: number | undefined = 0; offset !== undefined;) {
        const sent = await governed.call('get_tool_manifest', { full, offset });
        expect(Buffer.byteLength(JSON.stringify(sent))).toBeLessThan(20_480);
        const answer = dataOf(sent.structuredContent as Envelope);
        const { tools, nextOffset, total } = answer as {
          tools: Manifest[];
          total: number;
          nextOffset?: number;
        };
        expect(total).toBe(listed.length);
        expect(tools.every((each) => 'inputSchema' in each === full)).toBe(true);
        names.push(...tools.map(({ name }) => name));
        offset = nextOffset;
      }
      expect(names).toEqual(listed);
    }
  });

  test('what is read of a manifest says how to call the tool, and is not its data again', async () => {
    await using governed = await startGoverned();
    const { content } = await governed.call('get_tool_manifest', { name: 'get_node_info' });
    expect(content).toEqual([
      {
        type: 'text',
        text: [
          'get_node_info (core, readonly): Returns a node.',
          'Arguments:',
          '  nodeUuid: string, required. Which node.',
          'Failures:',
          '  E_INVALID_ARGUMENT: An argument is missing or wrong.',
          '  E_TIMEOUT: It took longer than allowed.',
          '  E_UNAVAILABLE: Too many calls at once, or something it needs is away.',
          '  E_INTERNAL: A bug of the tool.',
          '  E_NOT_FOUND: There is no such node.',
          'Examples:',
          '  {"nodeUuid":"lamp"}',
          '  {"nodeUuid":"x"} E_NOT_FOUND',
        ].join('\n'),
      },
    ]);
  });

  test('get_tool_manifest is a method of the legacy era, too', async () => {
    await using governed = await startGoverned();
    const manifest = await governed.client.request('get_tool_manifest', { name: 'get_node_info' });
    expect(manifest).toMatchObject({ name: 'get_node_info' });
    const hidden = governed.client.request('get_tool_manifest', { name: 'execute_scene_wait' });
    await expect(hidden).rejects.toMatchObject({ code: -32602 });
  });

  test('every field is there for every tool', () => {
    const set = toolSet(sceneTools(new Scene()), { contract: govern() });
    const fields = [
      'name layer category safety idempotent supportsDryRun prerequisites',
      'inputSchema outputSchema examples',
    ].flatMap((line) => line.split(' '));
    for (const manifest of set.manifests()) {
      for (const field of fields) expect(manifest).toHaveProperty(field);
    }
  });
});

describe('diagnostics', () => {
  test('every answer has a trace id, and no two the same', async () => {
    await using governed = await startGoverned();
    const answers = await Promise.all([
      governed.ask('get_node_info', { nodeUuid: 'lamp' }),
      governed.ask('get_node_info', {}),
      governed.ask('set_node_position', { ...move, dryRun: true }),
      governed.ask('set_node_position', move),
    ]);
    const ids = answers.map(({ meta }) => meta.traceId);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^trc_[0-9a-f]{32}$/);
  });

  test.each([
    ['an unknown tool', 'get_nothing_here', {}],
    ['a hidden tool', 'execute_scene_wait', {}],
    ['arguments in a list', 'get_node_info', []],
  ])('a refusal of the protocol has one, too: %s', async (_what, name, args) => {
    await using governed = await startGoverned();
    const refused = governed.call(name, args);
    const error = (await refused.catch((thrown: unknown) => thrown)) as {
      data: { traceId: string };
    };
    expect(error).toMatchObject({
      code: -32602,
      data: { traceId: expect.stringMatching(/^trc_/) },
    });
    const { data } = await governed.ask('get_trace_by_id', { traceId: error.data.traceId });
    expect(data).toMatchObject({ tool: name, success: false, errorCode: 'RPC-32602' });
  });

  test('a call before the session is ready is refused with one, too', async () => {
    const { server } = createGoverned();
    const client = connectInMemory(server);
    const call = { name: 'get_node_info', arguments: { nodeUuid: 'lamp' } };
    try {
      const refused = await client
        .request('tools/call', call)
        .catch((error: unknown) => error as { data: { traceId: string } });
      expect(refused).toMatchObject({
        code: -32600,
        data: { traceId: expect.stringMatching(/^trc_/) },
      });
    } finally {
      await client.close();
    }
  });

  test('so is one with a requestState that is not ours', async () => {
    await using governed = await startGoverned();
    const call = { name: 'get_node_info', arguments: { nodeUuid: 'lamp' }, requestState: 'x' };
    const refused = (await governed.client
      .requestModern('tools/call', call)
      .catch((error: unknown) => error)) as { data: { traceId: string } };
    expect(refused).toMatchObject({ code: -32602 });
    const { traceId } = refused.data;
    const { data } = await governed.ask('get_trace_by_id', { traceId });
    expect(data).toMatchObject({ tool: 'get_node_info', errorCode: 'RPC-32602' });
  });

  test('the log has every call under its trace id: arguments, duration, outcome', async () => {
    await using governed = await startGoverned();
    const { meta } = await governed.ask('set_node_position', { ...move, nodeUuid: 'none' });
    const entries = governed.logged.filter(({ message }) => message === 'tools/call');
    expect(entries.map(({ fields }) => fields)).toMatchObject([
      {
        traceId: meta.traceId,
        tool: 'set_node_position',
        durationMs: expect.any(Number),
        success: false,
        errorCode: 'E_NOT_FOUND',
        argsSummary: { nodeUuid: 'none', position: 'object(3)' },
      },
    ]);
  });

  test('get_trace_by_id tells how a call went, step by step', async () => {
    await using governed = await startGoverned({ visible: ['core', 'internal'] });
    const { meta } = await governed.ask('execute_scene_wait', { ms: 5, idempotencyKey: 'k' });
    const trace = dataOf(
      await governed.ask('get_trace_by_id', { traceId: meta.traceId }),
    ) as unknown as Trace;
    expect(trace).toMatchObject({ tool: 'execute_scene_wait', success: true, errorCode: null });
    const names = trace.spans?.map(({ name }) => name);
    expect(names).toEqual(['validate', 'idempotency', 'run', 'sleep', 'record']);
    const [sleep] = trace.spans?.filter(({ name }) => name === 'sleep') ?? [];
    expect(trace.spans?.[sleep?.parent ?? -1]?.name).toBe('run');
    expect(sleep?.durationMs).toBeGreaterThanOrEqual(4);
  });

  test('get_trace_by_id without an id tells of the last call, or of the slowest', async () => {
    await using governed = await startGoverned({ visible: ['core', 'internal'] });
    const waited = await governed.ask('execute_scene_wait', { ms: 30 });
    const looked = await governed.ask('get_node_info', { nodeUuid: 'lamp' });
    const last = await governed.ask('get_trace_by_id', {});
    expect(last.data).toMatchObject({ traceId: looked.meta.traceId, tool: 'get_node_info' });
    // Which it is depends on how busy the machine is.
    const longer = waited.meta.durationMs > looked.meta.durationMs ? waited : looked;
    const slowest = await governed.ask('get_trace_by_id', { pick: 'slowest' });
    expect(slowest.data).toMatchObject({ traceId: longer.meta.traceId });
  });

  test('a trace belongs to whoever made the call', async () => {
    const { server } = createGoverned();
    const identify = (headers: Readonly<Record<string, unknown>>): string =>
      String(headers['x-user']);
    await using served = await serving(server, { identify });
    const ask = async (user: string, name: string, args: object): Promise<object> => {
      const call = modern('tools/call', { name, arguments: args }, { headers: { 'x-user': user } });
      return (await send(served.url, call)).message.result?.['structuredContent'] as object;
    };
    const made = (await ask('ann', 'get_node_info', { nodeUuid: 'lamp' })) as {
      meta: { traceId: string };
    };
    const { traceId } = made.meta;
    expect(await ask('ann', 'get_trace_by_id', { traceId })).toMatchObject({ success: true });
    expect(await ask('bob', 'get_trace_by_id', { traceId })).toMatchObject({ success: false });
  });
});

describe('W3C trace context', () => {
  test('a call joins the trace that _meta names, and tells its place in it', async () => {
    await using governed = await startGoverned();
    const meta = { traceparent: parent, tracestate: 'vendor=1' };
    const result = await governed.call('get_node_info', { nodeUuid: 'lamp' }, meta);
    expect(result).toMatchObject({
      structuredContent: {
        meta: {
          traceId: expect.stringMatching(/^trc_0af7651916cd43dd8448eb211c80319c_[0-9a-f]{16}$/),
        },
      },
      _meta: {
        traceparent: expect.stringMatching(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/),
        tracestate: 'vendor=1',
      },
    });
    expect(result._meta?.['traceparent']).not.toBe(parent);
    const byTrace = { traceId: 'trc_0af7651916cd43dd8448eb211c80319c' };
    const { data } = await governed.ask('get_trace_by_id', byTrace);
    expect(data).toMatchObject({ tool: 'get_node_info', parentSpanId: 'b7ad6b7169203331' });
  });

  test('a call joins the trace that the HTTP header names, in both eras', async () => {
    await using served = await serving(createGoverned().server);
    const session = await startSession(served.url);
    const params = { name: 'get_node_info', arguments: { nodeUuid: 'lamp' } };
    const headers = { traceparent: parent };
    const joined = { _meta: { traceparent: expect.stringMatching(/^00-0af7651916cd43dd/) } };
    const older = await session.request('tools/call', params, headers);
    expect(older.message.result).toMatchObject(joined);
    const newer = await send(served.url, modern('tools/call', params, { headers }));
    expect(newer.message.result).toMatchObject(joined);
  });

  test.each([
    '',
    'garbage',
    `ff${parent.slice(2)}`,
    `${parent}-more`,
    parent.replace(/-0af[^-]+/, `-${'0'.repeat(32)}`),
  ])('what is none (%j) begins a new one', async (traceparent) => {
    await using governed = await startGoverned();
    const result = await governed.call('get_node_info', { nodeUuid: 'lamp' }, { traceparent });
    expect(result._meta).toBeUndefined();
    expect(JSON.stringify(result)).not.toContain('0af7651916cd43dd');
  });
});
