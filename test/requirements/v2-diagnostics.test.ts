import { describe, expect, test } from 'vitest';
import { call, envelopeOf, list, moved, setPosition, start } from './v2-fixture.ts';

describe('manifest and diagnostics', () => {
  test('tools/list says of each tool layer, category, safety, idempotent and supportsDryRun', async () => {
    await using v2 = await start();
    const metas = new Map((await list(v2)).map((tool) => [tool.name, tool._meta]));
    expect(metas.get('set_node_position')).toEqual({
      'example.org/icon': 'arrows',
      layer: 'advanced',
      category: 'node',
      safety: 'mutating',
      idempotent: true,
      supportsDryRun: true,
    });
    expect(metas.get('get_value_plain')).toEqual({
      layer: 'core',
      category: 'general',
      safety: 'readonly',
      idempotent: true,
      supportsDryRun: false,
    });
    for (const meta of metas.values()) {
      for (const trait of ['layer', 'category', 'safety', 'idempotent', 'supportsDryRun']) {
        expect(meta).toHaveProperty(trait);
      }
    }
  });

  const manifest = {
    name: 'set_node_position',
    description: 'Moves a node.',
    layer: 'advanced',
    category: 'node',
    safety: 'mutating',
    idempotent: true,
    supportsDryRun: true,
    prerequisites: ['sceneReady=true'],
    inputSchema: setPosition.input,
    outputSchema: { type: 'object', required: ['success', 'data', 'error', 'meta'] },
    examples: [{ input: moved }],
  };

  test('get_tool_manifest is a tool that returns all of it, schemas and examples included', async () => {
    await using v2 = await start();
    const answer = await call(v2, 'get_tool_manifest', { name: 'set_node_position' });
    expect(envelopeOf(answer).data).toMatchObject(manifest);
    const unknown = await call(v2, 'get_tool_manifest', { name: 'get_nothing' });
    expect(envelopeOf(unknown).error).toMatchObject({ code: 'E_NOT_FOUND' });
  });

  test('get_tool_manifest is a method, too', async () => {
    await using v2 = await start();
    const answer = await v2.session.request('get_tool_manifest', { name: 'set_node_position' });
    expect(answer.message.result).toMatchObject(manifest);
    const unknown = await v2.session.request('get_tool_manifest', { name: 'get_nothing' });
    expect(unknown.message).toMatchObject({ error: { code: -32602 } });
  });

  test('get_trace_by_id is a tool that tells how a recent call went', async () => {
    await using v2 = await start();
    const long = 'x'.repeat(500);
    const { meta } = envelopeOf(
      await call(v2, 'execute_test_failure', { code: 'E_TIMEOUT', long, list: [1, 2, 3] }),
    );
    const { data } = envelopeOf(await call(v2, 'get_trace_by_id', { traceId: meta.traceId }));
    expect(data).toEqual({
      traceId: meta.traceId,
      tool: 'execute_test_failure',
      timestamp: meta.timestamp,
      durationMs: meta.durationMs,
      success: false,
      errorCode: 'E_TIMEOUT',
      argsSummary: { code: 'E_TIMEOUT', long: `${'x'.repeat(120)}…`, list: 'array(3)' },
    });
    const unknown = await call(v2, 'get_trace_by_id', { traceId: 'trc_nothing' });
    expect(envelopeOf(unknown).error).toMatchObject({ code: 'E_NOT_FOUND' });
  });

  test('get_trace_by_id is a method, too', async () => {
    await using v2 = await start();
    const { meta } = envelopeOf(await call(v2, 'set_node_position', moved));
    const answer = await v2.session.request('get_trace_by_id', { traceId: meta.traceId });
    expect(answer.message.result).toMatchObject({ success: true, errorCode: null });
    const unknown = await v2.session.request('get_trace_by_id', { traceId: 'trc_nothing' });
    expect(unknown.message).toMatchObject({ error: { code: -32602 } });
  });
});
