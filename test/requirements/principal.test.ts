import { elicit } from 'mcp-kit/protocol';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { describe, expect, test } from 'vitest';
import { send } from '../support/http-client.ts';
import { modern, serving, startSession } from '../support/mcp-http.ts';

const whoami = tool({
  name: 'whoami',
  description: 'Names the caller.',
  run: (_args, context) => String(context.principal),
});

const confirm = tool({
  name: 'confirm',
  description: 'Asks before it answers.',
  async run(_args, context) {
    const requestedSchema = { type: 'object', properties: {} };
    await context.ask({ sure: elicit({ message: 'Sure?', requestedSchema }) });
    return `confirmed by ${context.principal}`;
  },
});

/** Trusts what a proxy in front has found out. */
const identify = (headers: Readonly<Record<string, unknown>>): string | undefined =>
  typeof headers['x-user'] === 'string' ? headers['x-user'] : undefined;

const start = () =>
  serving(createServer({ name: 'who', version: '1', features: [toolSet([whoami, confirm])] }), {
    identify,
  });

const ann = { 'x-user': 'ann' };
const bob = { 'x-user': 'bob' };
const call = { name: 'whoami' };
const answered = (text: string) => ({ message: { result: { content: [{ text }] } } });

describe('where clients are told apart', () => {
  test('a tool knows who calls, in both eras', async () => {
    await using server = await start();
    const session = await startSession(server.url, { headers: ann, ready: false });
    await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, ann);
    expect(await session.request('tools/call', call, ann)).toMatchObject(answered('ann'));
    const stateless = modern('tools/call', call, { headers: bob });
    expect(await send(server.url, stateless)).toMatchObject(answered('bob'));
  });

  test('a session is of no use to anybody but its owner', async () => {
    await using server = await start();
    const session = await startSession(server.url, { headers: ann, ready: false });
    await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, ann);
    for (const stranger of [bob, {}]) {
      expect(await session.request('tools/list', {}, stranger)).toMatchObject({ status: 404 });
      expect(await session.get({ accept: 'text/event-stream', ...stranger })).toMatchObject({
        status: 404,
      });
      expect(await session.delete(stranger)).toMatchObject({ status: 404 });
    }
    expect(await session.request('tools/call', call, ann)).toMatchObject(answered('ann'));
  });

  test('what is remembered of a call is told to its caller alone, without secrets', async () => {
    const login = tool({
      name: 'set_login_word',
      description: 'Takes a secret.',
      input: { type: 'object', properties: { user: {}, password: {} } },
      run: () => 'kept',
    });
    const tools = toolSet([login], { contract: 'envelope' });
    await using server = await serving(
      createServer({ name: 'who', version: '1', features: [tools] }),
      { identify },
    );
    const ask = async (name: string, args: object, headers: typeof ann): Promise<unknown> => {
      const asked = modern('tools/call', { name, arguments: args }, { headers });
      return (await send(server.url, asked)).message.result;
    };
    await ask('set_login_word', { user: 'ann', password: 'hunter2' }, ann);
    const argsSummary = { user: 'ann', password: '[redacted]' };
    expect(await ask('get_trace_by_id', {}, ann)).toMatchObject({
      structuredContent: { data: { tool: 'set_login_word', argsSummary } },
    });
    expect(await ask('get_trace_by_id', {}, bob)).toMatchObject({
      structuredContent: { error: { code: 'E_NOT_FOUND' } },
    });
  });

  test('what one client carries for us is of no use to another', async () => {
    await using server = await start();
    const capabilities = { elicitation: {} };
    const asked = await send(
      server.url,
      modern('tools/call', { name: 'confirm' }, { capabilities, headers: ann }),
    );
    const { requestState } = asked.message.result ?? {};
    const again = (headers: Record<string, string>) =>
      send(
        server.url,
        modern(
          'tools/call',
          { name: 'confirm', requestState, inputResponses: { sure: { action: 'decline' } } },
          { capabilities, headers },
        ),
      );
    expect(await again(bob)).toMatchObject({ message: { error: { code: -32_602 } } });
    expect(await again(ann)).toMatchObject(answered('confirmed by ann'));
  });
});
