import { isRecord } from 'mcp-kit/internal';
import { modernVersion } from 'mcp-kit/protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { Child, mcpctl } from './support/child-process.ts';
import { initialize, modernMeta, requireBuild } from './support/cli.ts';

beforeAll(requireBuild);

const contentOf = (message: Record<string, unknown>): unknown =>
  isRecord(message['result']) ? message['result']['content'] : message;

describe('mcpctl serve --stdio', () => {
  test('speaks the legacy era: tools, resources, prompts, completion, progress, questions', async () => {
    await using child = Child.mcpctl('serve', '--stdio');
    child.send(initialize({ elicitation: {} }));
    expect(await child.answer('init')).toMatchObject({
      result: { protocolVersion: '2025-11-25', serverInfo: { name: 'mcpctl-samples' } },
    });
    child.send({ method: 'notifications/initialized' });

    child.send({ id: 1, method: 'tools/list' });
    const listed = await child.answer(1);
    const result = listed['result'] as { tools: { name: string }[] };
    expect(result.tools.map(({ name }) => name)).toEqual([
      'get_time_now',
      'get_text_statistics',
      'find_text_matches',
      'execute_timer_countdown',
      'create_text_greeting',
    ]);

    const text = 'Ein Fuß. Zwei Füße! 👩‍👩‍👧';
    child.send({
      id: 2,
      method: 'tools/call',
      params: { name: 'get_text_statistics', arguments: { text } },
    });
    expect(await child.answer(2)).toMatchObject({
      result: { structuredContent: { characters: 21, words: 4, sentences: 3, lines: 1 } },
    });

    const args = { text: 'to be\nor not TO BE', phrase: 'to be', ignoreCase: true };
    child.send({
      id: 3,
      method: 'tools/call',
      params: { name: 'find_text_matches', arguments: args },
    });
    expect(await child.answer(3)).toMatchObject({
      result: {
        structuredContent: {
          total: 2,
          matches: [
            { line: 1, column: 1 },
            { line: 2, column: 8 },
          ],
        },
      },
    });

    const zone = { name: 'get_time_now', arguments: { timeZone: 'Atlantis/Capital' } };
    child.send({ id: 4, method: 'tools/call', params: zone });
    expect(await child.answer(4)).toMatchObject({ result: { isError: true } });

    child.send({ id: 5, method: 'resources/subscribe', params: { uri: 'demo://status' } });
    await child.answer(5);
    child.send({
      id: 6,
      method: 'tools/call',
      params: {
        name: 'execute_timer_countdown',
        arguments: { from: 2, stepMs: 5 },
        _meta: { progressToken: 'p' },
      },
    });
    expect(contentOf(await child.answer(6))).toMatchObject([
      { text: 'Counted down from 2 in 10 ms.' },
    ]);
    const notes = child.messages().filter(({ method }) => method !== undefined);
    expect(notes).toMatchObject([
      { method: 'notifications/resources/updated', params: { uri: 'demo://status' } },
      { method: 'notifications/message', params: { level: 'info', logger: 'countdown' } },
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2 } },
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 2, total: 2 } },
    ]);

    child.send({ id: 7, method: 'resources/read', params: { uri: 'demo://time/Asia/Tokyo' } });
    expect(await child.answer(7)).toMatchObject({
      result: { contents: [{ text: expect.stringMatching(/"timeZone":"Asia\/Tokyo".*\+09:00/) }] },
    });

    const ref = { type: 'ref/prompt', name: 'translate_text' };
    const argument = { name: 'language', value: 'g' };
    child.send({ id: 8, method: 'completion/complete', params: { ref, argument } });
    expect(await child.answer(8)).toMatchObject({ result: { completion: { values: ['German'] } } });

    child.send({
      id: 9,
      method: 'tools/call',
      params: { name: 'create_text_greeting', arguments: {} },
    });
    const question = await child.message(({ method }) => method === 'elicitation/create');
    child.send({ id: question['id'], result: { action: 'accept', content: { name: 'Ada' } } });
    expect(contentOf(await child.answer(9))).toMatchObject([{ text: 'Hello, Ada!' }]);
  });

  test('cancels a call that is no longer wanted', async () => {
    await using child = Child.mcpctl('serve', '--stdio');
    child.send(initialize());
    await child.answer('init');
    child.send({ method: 'notifications/initialized' });
    const params = {
      name: 'execute_timer_countdown',
      arguments: { from: 100, stepMs: 20 },
      _meta: { progressToken: 'p' },
    };
    child.send({ id: 1, method: 'tools/call', params });
    await child.message(({ method }) => method === 'notifications/progress');
    child.send({ method: 'notifications/cancelled', params: { requestId: 1 } });
    child.send({ id: 2, method: 'ping' });
    await child.answer(2);
    const after = child.messages().length;
    child.send({
      id: 3,
      method: 'tools/call',
      params: { name: 'execute_timer_countdown', arguments: { from: 3, stepMs: 20 } },
    });
    await child.answer(3);
    const progress = child
      .messages()
      .slice(after)
      .filter(({ method }) => method === 'notifications/progress');
    expect(progress).toEqual([]);
  });

  test('speaks the modern era on the same pipe, questions included', async () => {
    await using child = Child.mcpctl('serve', '--stdio');
    child.send({ id: 1, method: 'server/discover', params: { _meta: modernMeta } });
    expect(await child.answer(1)).toMatchObject({ result: { supportedVersions: [modernVersion] } });
    const call = { name: 'create_text_greeting', arguments: {}, _meta: modernMeta };
    child.send({ id: 2, method: 'tools/call', params: call });
    const asked = await child.answer(2);
    expect(asked).toMatchObject({
      result: {
        resultType: 'input_required',
        inputRequests: { person: { method: 'elicitation/create' } },
      },
    });
    const { requestState } = asked['result'] as { requestState: string };
    const inputResponses = { person: { action: 'accept', content: { name: 'Grace' } } };
    child.send({ id: 3, method: 'tools/call', params: { ...call, inputResponses, requestState } });
    expect(contentOf(await child.answer(3))).toMatchObject([{ text: 'Hello, Grace!' }]);
    expect(child.stderr).toBe('');
  });

  test('follows the envelope contract in the profile v2', async () => {
    await using child = Child.mcpctl('serve', '--stdio', '--profile', 'v2');
    const call = { name: 'get_time_now', arguments: { timeZone: 'nowhere' }, _meta: modernMeta };
    child.send({ id: 1, method: 'tools/call', params: call });
    expect(await child.answer(1)).toMatchObject({
      result: {
        isError: true,
        structuredContent: { success: false, data: null, error: { code: 'E_INVALID_ARGUMENT' } },
      },
    });
  });

  test('answers what was asked before the input ended, and exits although a timer lives', async () => {
    const timer = 'data:text/javascript,setInterval(() => {}, 1000)';
    await using child = new Child(process.execPath, [
      '--import',
      timer,
      mcpctl,
      'serve',
      '--stdio',
    ]);
    child.send({ id: 1, method: 'tools/list', params: { _meta: modernMeta } });
    const countdown = { name: 'execute_timer_countdown', _meta: modernMeta };
    child.send({
      id: 2,
      method: 'tools/call',
      params: { ...countdown, arguments: { from: 1, stepMs: 50 } },
    });
    child.send({
      id: 3,
      method: 'tools/call',
      params: { ...countdown, arguments: { from: 100, stepMs: 9000 } },
    });
    await child.answer(1);
    child.process.stdin.end();
    expect(await child.ended).toMatchObject({ code: 0 });
    expect(child.messages().map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(child.messages().at(-1)).toMatchObject({ id: 3, error: { code: -32_000 } });
  });

  test('keeps what a tool prints out of the protocol', async () => {
    // The tool for the time makes a formatter: here, a talkative one.
    const talkative = `data:text/javascript,const F = Intl.DateTimeFormat;
      Intl.DateTimeFormat = function (...args) { console.log('stray'); return new F(...args); }`;
    await using child = new Child(process.execPath, [
      '--import',
      talkative.replaceAll(/\s+/g, '%20'),
      mcpctl,
      'serve',
      '--stdio',
    ]);
    child.send({
      id: 1,
      method: 'tools/call',
      params: { name: 'get_time_now', _meta: modernMeta },
    });
    expect(await child.answer(1)).toMatchObject({
      result: { structuredContent: { timeZone: 'UTC' } },
    });
    expect(child.messages()).toHaveLength(1);
    expect(child.stderr).toBe('stray\n');
  });

  test('answers a line that is not JSON, and the line after it', async () => {
    await using child = Child.mcpctl('serve', '--stdio');
    child.process.stdin.write('{"jsonrpc":\n');
    child.send({ id: 1, method: 'ping' });
    await child.answer(1);
    expect(child.messages()).toMatchObject([{ error: { code: -32700 } }, { id: 1, result: {} }]);
  });
});

describe('a line', () => {
  test('may carry 16 MiB', async () => {
    await using child = Child.mcpctl('serve', '--stdio');
    child.send(initialize());
    await child.answer('init');
    child.send({ method: 'notifications/initialized' });
    const payload = 'x'.repeat(16 * 1024 * 1024);
    child.send({ id: 1, method: 'ping', params: { _meta: { payload } } });
    expect(await child.answer(1)).toMatchObject({ result: {} });
    child.send({ id: 2, method: 'ping', params: { _meta: { payload: `${payload}${payload}` } } });
    expect(await child.answer(2)).toMatchObject({ error: { code: -32_600 } });
  });

  test('that cannot be read is answered as the revision of the session wants', async () => {
    for (const [version, expected] of [
      ['2025-06-18', { id: null }],
      ['2025-11-25', {}],
    ] as const) {
      await using child = Child.mcpctl('serve', '--stdio');
      const clientInfo = { name: 'test', version: '1' };
      const params = { protocolVersion: version, capabilities: {}, clientInfo };
      child.send({ id: 'init', method: 'initialize', params });
      await child.answer('init');
      child.process.stdin?.write('{\n');
      const line = await child.until(() => /^.*"code":-32700.*$/m.exec(child.stdout)?.[0]);
      const { id } = JSON.parse(line) as { id?: null };
      expect({ ...(id !== undefined && { id }) }).toEqual(expected);
    }
  });
});
