import { RpcError } from 'mcp-kit/jsonrpc';
import { metaKeys, modernVersion } from 'mcp-kit/protocol';
import { describe, expect, test } from 'vitest';
import type { Message } from '../support/http-client.ts';
import { envelope, extensions, oldToNew, text } from './bridge-talk.ts';
import { discovered, metaOf } from './client-script.ts';

describe('a legacy client at a modern server', () => {
  test('initialize is answered from server/discover, in the revision that was asked for', async () => {
    const offered = { tools: { listChanged: true }, extensions };
    await using open = await oldToNew({
      'server/discover': () =>
        discovered([modernVersion], {
          capabilities: offered,
          instructions: 'Be kind.',
          _meta: { [metaKeys.serverInfo]: { name: 'newer', version: '2' } },
        }),
    });
    expect(open.greeting.result).toEqual({
      protocolVersion: '2025-06-18',
      capabilities: offered,
      serverInfo: { name: 'newer', version: '2' },
      instructions: 'Be kind.',
    });
  });

  test('every request says who the client is and what it can do', async () => {
    await using open = await oldToNew({
      'tools/call': () => ({ resultType: 'complete', ...text }),
    });
    await open.ask('tools/call', { name: 'x', _meta: { 'com.example/a': 1, traceparent: '00-a' } });
    const [heard] = open.server.peer.of('tools/call');
    expect(heard && metaOf(heard)).toMatchObject({
      ...envelope,
      'com.example/a': 1,
      traceparent: '00-a',
    });
  });

  test('ping is answered here', async () => {
    await using open = await oldToNew();
    expect((await open.ask('ping')).result).toEqual({});
    expect(open.server.heard).not.toContain('ping');
  });

  test('the log level travels with every request: info, or what the client has set', async () => {
    const offered = { tools: {}, logging: {} };
    await using open = await oldToNew({
      'server/discover': () => discovered([modernVersion], { capabilities: offered }),
      'tools/call': () => ({ resultType: 'complete', ...text }),
    });
    await open.ask('tools/call', { name: 'x' });
    expect((await open.ask('logging/setLevel', { level: 'error' })).result).toEqual({});
    await open.ask('tools/call', { name: 'x' });
    const levels = open.server.peer.of('tools/call').map((one) => metaOf(one)[metaKeys.logLevel]);
    expect(levels).toEqual(['info', 'error']);
    expect(open.server.heard).not.toContain('logging/setLevel');
  });

  test('one subscription asks for all lists and all resources, and is not named to the client', async () => {
    await using open = await oldToNew();
    await open.ask('resources/subscribe', { uri: 'memo://one' });
    await open.ask('resources/subscribe', { uri: 'memo://two' });
    const lists = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
    };
    const wanted = { ...lists, resourceSubscriptions: ['memo://one', 'memo://two'] };
    const last = (): Message | undefined =>
      open.server.peer.of('subscriptions/listen').at(-1) as Message | undefined;
    await expect.poll(() => last()?.params?.['notifications']).toEqual(wanted);
    const _meta = { [metaKeys.subscriptionId]: last()?.id };
    open.server.peer.notify('notifications/resources/updated', { uri: 'memo://two', _meta });
    expect(await open.pipe.next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: 'memo://two' },
    });
    await open.ask('resources/unsubscribe', { uri: 'memo://one' });
    const left = { ...lists, resourceSubscriptions: ['memo://two'] };
    await expect.poll(() => last()?.params?.['notifications']).toEqual(left);
  });

  test('questions in a result are asked, with a name for each visit, and the call is made again', async () => {
    const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
    await using open = await oldToNew({
      'tools/call': ({ inputResponses, requestState }) =>
        inputResponses === undefined
          ? {
              resultType: 'input_required',
              requestState: 'sealed',
              inputRequests: {
                who: { method: 'elicitation/create', params: form },
                page: {
                  method: 'elicitation/create',
                  params: { mode: 'url', message: 'Go', url: 'https://a.example/' },
                },
                place: { method: 'roots/list' },
              },
            }
          : {
              resultType: 'complete',
              ...text,
              structuredContent: { inputResponses, requestState },
            },
    });
    const id = open.begin('tools/call', { name: 'x' });
    const answers: Readonly<Record<string, object>> = {
      form: { action: 'accept', content: { name: 'Ada' } },
      url: { action: 'accept' },
      roots: { roots: [{ uri: 'file:///a' }] },
    };
    const visits: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      const question = await open.pipe.next();
      const isRoots = question.method === 'roots/list';
      const mode = isRoots ? 'roots' : question.params?.['mode'] === 'url' ? 'url' : 'form';
      visits.push(typeof question.params?.['elicitationId']);
      open.pipe.send({ jsonrpc: '2.0', id: question.id, result: answers[mode] });
    }
    expect(visits.sort()).toEqual(['string', 'undefined', 'undefined']);
    const { form: who, url: page, roots: place } = answers;
    expect(await open.pipe.next()).toMatchObject({
      id,
      result: {
        structuredContent: { requestState: 'sealed', inputResponses: { who, page, place } },
      },
    });
  });

  test('a question that the client cannot answer is not asked', async () => {
    await using open = await oldToNew({
      'tools/call': () => ({
        resultType: 'input_required',
        inputRequests: { model: { method: 'sampling/createMessage', params: {} } },
      }),
    });
    const { error } = await open.ask('tools/call', { name: 'x' });
    expect(error).toMatchObject({ code: -32_600 });
    expect(open.told).toEqual([]);
  });

  test('results lose what the legacy era does not know', async () => {
    const fields = { resultType: 'complete', ttlMs: 5, cacheScope: 'public' };
    const info = { [metaKeys.serverInfo]: { name: 'newer', version: '2' } };
    await using open = await oldToNew({
      'tools/list': () => ({ ...fields, tools: [], _meta: info }),
      'prompts/list': () => ({ ...fields, prompts: [], _meta: { ...info, 'com.example/a': 1 } }),
    });
    expect((await open.ask('tools/list')).result).toEqual({ tools: [] });
    const { result } = await open.ask('prompts/list');
    expect(result).toEqual({ prompts: [], _meta: { 'com.example/a': 1 } });
  });

  test.each([
    ['resources/read', -32_602, -32_002, 'a missing resource'],
    ['tools/call', -32_602, -32_602, 'wrong parameters'],
    ['tools/call', -32_021, -32_600, 'a capability that the client lacks'],
  ])('%s: the error %i becomes %i for %s', async (method, said, heard) => {
    await using open = await oldToNew({
      [method]: () => {
        throw new RpcError(said, 'no', { uri: 'a:b' });
      },
    });
    const { error } = await open.ask(method, { uri: 'a:b', name: 'x' });
    expect(error).toMatchObject({ code: heard, data: { uri: 'a:b' } });
  });

  test('what the client cancels is cancelled', async () => {
    await using open = await oldToNew({ 'tools/call': () => undefined });
    const id = open.begin('tools/call', { name: 'x' });
    const asked = await open.server.peer.nth('tools/call');
    open.pipe.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id, reason: 'enough' },
    });
    const cancelled = await open.server.peer.nth('notifications/cancelled');
    expect(cancelled.params).toMatchObject({ requestId: asked.id });
  });
});
