import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { failureCodes, type Envelope } from 'mcp-kit/tools';
import { call, envelopeOf, list, moved, start } from './v2-fixture.ts';

describe('tool results', () => {
  test('success: a text for people, an envelope for programs', async () => {
    await using v2 = await start();
    const { result } = (await call(v2, 'set_node_position', moved)).message;
    expect(result).toEqual({
      content: [{ type: 'text', text: '{"after":{"x":1,"y":2}}' }],
      structuredContent: {
        success: true,
        data: { after: { x: 1, y: 2 } },
        error: null,
        meta: {
          traceId: expect.stringMatching(/^trc_./),
          tool: 'set_node_position',
          version: '2.0.0',
          durationMs: expect.any(Number),
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      },
    });
  });

  test('failure: isError, success false, and an error with an E_ code', async () => {
    await using v2 = await start();
    const { result } = (await call(v2, 'set_node_position', { ...moved, node: 'lost' })).message;
    expect(result).toEqual({
      content: [{ type: 'text', text: 'E_NOT_FOUND: No such node. List them.' }],
      isError: true,
      structuredContent: {
        success: false,
        data: null,
        error: {
          code: 'E_NOT_FOUND',
          message: 'No such node.',
          retryable: false,
          suggestion: 'List them.',
        },
        meta: expect.objectContaining({ tool: 'set_node_position' }),
      },
    });
  });

  test.each([
    ['E_INVALID_ARGUMENT', false],
    ['E_NOT_FOUND', false],
    ['E_CONFLICT', false],
    ['E_PRECONDITION_FAILED', false],
    ['E_TIMEOUT', true],
    ['E_INTERNAL', false],
    ['E_UNAVAILABLE', true],
  ])('%s is known, and retryable is %s', async (code, retryable) => {
    await using v2 = await start();
    const answer = await call(v2, 'execute_test_failure', { code });
    expect(answer.message).not.toHaveProperty('error');
    expect(envelopeOf(answer).error).toEqual({
      code,
      message: `because of ${code}`,
      retryable,
      details: { at: 3 },
    });
    expect(Object.keys(failureCodes)).toHaveLength(7);
  });

  test('wrong arguments are a failure of the tool, not of the protocol', async () => {
    await using v2 = await start();
    const answer = await call(v2, 'set_node_position', { node: 5 });
    expect(answer.message.result).toMatchObject({ isError: true });
    expect(envelopeOf(answer).error).toMatchObject({ code: 'E_INVALID_ARGUMENT' });
  });

  test('a result that says it is an error fails in the envelope, too', async () => {
    await using v2 = await start();
    const answer = await call(v2, 'execute_test_refusal');
    expect(answer.message.result).toMatchObject({ isError: true });
    expect(envelopeOf(answer)).toMatchObject({
      success: false,
      data: null,
      error: { code: 'E_INTERNAL', message: 'not today' },
    });
  });

  test('a bug is E_INTERNAL: the caller learns the trace, the log the rest', async () => {
    await using v2 = await start();
    const answer = await call(v2, 'execute_test_bug');
    const { error, meta } = envelopeOf(answer);
    expect(answer.message.result).toMatchObject({ isError: true });
    expect(error).toMatchObject({ code: 'E_INTERNAL' });
    expect(error?.message).toContain(meta.traceId);
    expect(answer.text).not.toContain('hunter2');
    expect(v2.logged).toMatchObject([
      { traceId: meta.traceId, error: expect.stringContaining('hunter2') },
    ]);
  });

  test.each([
    ['text', 'done', 'done'],
    ['number', 7, '7'],
    ['nothing', null, 'get_value_plain succeeded'],
    ['null', null, 'null'],
    ['list', [1, 2], '[1,2]'],
    ['object', { a: 1 }, '{"a":1}'],
    ['result', { b: 2 }, 'as is'],
    ['empty', null, 'get_value_plain succeeded'],
  ])('a tool that returns %s has that as data, and always a text', async (kind, data, text) => {
    await using v2 = await start();
    const answer = await call(v2, 'get_value_plain', { kind });
    expect(envelopeOf(answer)).toMatchObject({ success: true, data });
    expect(answer.message.result?.['content']).toEqual([{ type: 'text', text }]);
  });

  test('data that looks like a result stays data when a schema describes it', async () => {
    await using v2 = await start();
    const answer = await call(v2, 'get_value_shaped');
    expect(envelopeOf(answer).data).toEqual({ content: ['a', 'b'] });
    expect(answer.message.result?.['content']).toEqual([
      { type: 'text', text: '{"content":["a","b"]}' },
    ]);
  });

  test.each([
    ['an unknown tool', 'get_nothing', {}],
    ['arguments in a list', 'set_node_position', []],
  ])('%s is an error of the protocol, without structuredContent', async (_what, name, args) => {
    await using v2 = await start();
    const { message } = await call(v2, name, args);
    expect(message).toMatchObject({ error: { code: -32602 } });
    expect(message).not.toHaveProperty('result');
  });

  test('every answer conforms to the output schema its tool is listed with', async () => {
    await using v2 = await start();
    const schemas = new Map((await list(v2)).map((tool) => [tool.name, tool.outputSchema]));
    const answers = [
      await call(v2, 'set_node_position', moved),
      await call(v2, 'set_node_position', { ...moved, node: 'lost' }),
      await call(v2, 'execute_test_bug'),
      await call(v2, 'get_value_plain', { kind: 'list' }),
      await call(v2, 'get_value_shaped'),
      await call(v2, 'get_tool_manifest', { name: 'set_node_position' }),
    ];
    const conforms = (envelope: Envelope): boolean => {
      const schema = schemas.get(envelope.meta.tool) ?? false;
      return new Ajv2020({ strict: false }).validate(schema, envelope);
    };
    const envelopes = answers.map(envelopeOf);
    expect(envelopes.filter((envelope) => !conforms(envelope))).toEqual([]);
    const wrong = envelopes.map((envelope) => ({ ...envelope, data: { after: { x: 'one' } } }));
    expect(wrong.slice(0, 1).filter(conforms)).toEqual([]);
  });
});
