import { elicit } from 'mcp-kit/protocol';
import { createServer } from 'mcp-kit/server';
import { defineTool, toolSet } from 'mcp-kit/tools';
import { describe, expect, test } from 'vitest';
import { send } from '../support/http-client.ts';
import { modern, serving, startSession } from '../support/mcp-http.ts';

const whoami = defineTool({
  name: 'whoami',
  description: 'Names the caller.',
  run: (_args, context) => String(context.principal),
});

const confirm = defineTool({
  name: 'confirm',
  description: 'Asks before it answers.',
  async run(_args, context) {
    const requestedSchema = { type: 'object', properties: {} };
    await context.ask({ sure: elicit({ message: 'Sure?', requestedSchema }) });
    return `confirmed by ${context.principal}`;
  },
});

/** Trusts what a proxy in front has found out. */
const start = () =>
  serving(createServer({ name: 'who', version: '1', features: [toolSet([whoami, confirm])] }), {
    identify: (headers) => (typeof headers['x-user'] === 'string' ? headers['x-user'] : undefined),
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
