import { gateway, type Gateway } from '@mcp-kit/host/gateway';
import { modelTools } from '@mcp-kit/host';
import { createServer } from 'mcp-kit';
import { createBridge } from 'mcp-kit/bridge';
import { openSession, type Session } from 'mcp-kit/client';
import type { Era, Service } from 'mcp-kit/protocol';
import { apps } from 'mcp-kit/server';
import { memoryTarget } from 'mcp-kit/testing';
import { tool } from 'mcp-kit/tools';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inMemory, simple } from '../gateway/memory.ts';

const eras: readonly Era[] = ['legacy', 'modern'];
const mimeTypes = ['text/html;profile=mcp-app'];
const showing = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes } } };
const ui = { resourceUri: 'ui://board/main' };

/** A server with an app, a tool that is only for it, and one that says in its result what shows that. */
function board(name: string, own = 'update_board'): Service {
  return createServer({
    name,
    version: '1',
    features: [
      apps([
        {
          uri: ui.resourceUri,
          name: 'board',
          html: `<p>${name}`,
          csp: { connectDomains: ['https://x.example'] },
        },
      ]),
    ],
    tools: [
      tool({ name: 'get_board', description: 'Shows the board.', app: ui, run: () => name }),
      tool({
        name: own,
        description: 'Changes the board secretly.',
        app: { visibility: ['app'] },
        run: () => ({ content: [{ type: 'text', text: `${name} ${own}` }], _meta: { ui } }),
      }),
      tool({
        name: 'get_former_board',
        description: 'Shows it as servers once said it.',
        _meta: { 'ui/resourceUri': ui.resourceUri },
        run: () => ({
          content: [{ type: 'resource_link', uri: ui.resourceUri, name: 'board' }],
          structuredContent: { large: 'x'.repeat(200_000) },
        }),
      }),
    ],
  });
}

async function opened(
  service: Service,
  era: Era,
  capabilities: object = showing,
): Promise<Session> {
  const who = { name: 't', version: '1', era, capabilities };
  const session = await openSession(memoryTarget(service), who);
  onTestFinished(() => session.close());
  return session;
}

async function ofTwo(disclosure: 'full' | 'search' = 'full'): Promise<Gateway> {
  const all = gateway(
    {
      one: inMemory(board('one'), 'one'),
      'the other': inMemory(board('other', 'update_other'), 'other'),
      none: simple('none', 'update_none', 'get_note_text'),
    },
    { disclosure },
  );
  onTestFinished(() => all.close());
  await all.settled();
  return all;
}

async function uisOf(session: Session): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for await (const { name, _meta } of session.tools()) found[name] = _meta;
  return found;
}

const textIn = (result: unknown): unknown =>
  (result as { content: [{ text: string }] }).content[0].text;

describe('Apps come through', () => {
  for (const server of eras) {
    test.each(eras)(`a bridge to a ${server} server as they are, for a %s client`, async (era) => {
      let seen: unknown;
      const watching = createServer({
        name: 'w',
        version: '1',
        features: [apps([{ uri: 'ui://w', name: 'w', html: '<p>' }])],
        tools: [
          tool({
            name: 'get_w',
            description: 'W',
            app: { resourceUri: 'ui://w' },
            run: (_args, { client }) => {
              seen = client.capabilities.extensions;
              return { content: [], _meta: { ui: { resourceUri: 'ui://w' } } };
            },
          }),
        ],
      });
      const bridge = createBridge(memoryTarget(watching), { era: server });
      onTestFinished(() => bridge.close());
      const session = await opened(bridge, era);
      const direct = await opened(watching, era);
      expect(await uisOf(session)).toEqual(await uisOf(direct));
      expect(await session.readResource('ui://w')).toMatchObject({
        contents: (await direct.readResource('ui://w')).contents,
      });
      const called = await session.callTool('get_w', {});
      expect(called).toMatchObject({ _meta: { ui: { resourceUri: 'ui://w' } } });
      expect(seen).toMatchObject(showing.extensions);
      expect(session.capabilities.extensions).toMatchObject({ 'io.modelcontextprotocol/ui': {} });
    });
  }

  test.each(eras)('a gateway, each at a URI of its own, for a %s client', async (era) => {
    const session = await opened(await ofTwo(), era);
    const uis = await uisOf(session);
    for (const [name, server] of [
      ['one', 'one'],
      ['other', 'the%20other'],
    ] as const) {
      const uri = `ui://${server}/board/main`;
      const { contents } = await session.readResource(uri);
      expect(contents).toMatchObject([
        {
          uri,
          text: `<p>${name}`,
          _meta: { ui: { csp: { connectDomains: ['https://x.example'] } } },
        },
      ]);
      expect(Object.values(uis)).toContainEqual({ ui: { resourceUri: uri } });
      expect(Object.values(uis)).toContainEqual({ 'ui/resourceUri': uri });
    }
    await expect(session.readResource('ui://board/main')).rejects.toThrow('ui://board/main');
    // What the app calls by the name that its server has for it.
    const update = await session.callTool('update_board', {});
    expect(update).toMatchObject({ _meta: { ui: { resourceUri: 'ui://one/board/main' } } });
    expect(textIn(update)).toBe('one update_board');
    expect(textIn(await session.callTool('update_other', {}))).toBe('other update_other');
    await expect(session.callTool('get_board', {})).rejects.toThrow(
      /Several servers have get_board: name one of one__get_board, the_other_/,
    );
    // A server without apps has no pages that could call it so.
    await expect(session.callTool('update_none', {})).rejects.toThrow('Unknown tool');
    // Its page gets the whole result, and links that lead back to it.
    expect(await session.callTool('one__get_former_board', {})).toMatchObject({
      content: [{ uri: 'ui://one/board/main' }],
      structuredContent: { large: 'x'.repeat(200_000) },
    });
  });

  test.each(eras)('and what is only for them is for nobody else, for a %s client', async (era) => {
    const names = async (service: Service, capabilities?: object): Promise<readonly string[]> =>
      Object.keys(await uisOf(await opened(service, era, capabilities)));
    const all = await ofTwo();
    expect(await names(all)).toContain('one__update_board');
    const plain = await names(all, {});
    expect(plain).toContain('one__get_board');
    expect(plain).not.toContain('one__update_board');
    const models = modelTools(all.catalog().tools, 'anthropic').map(({ name }) => name);
    expect(models).toContain('one__get_board');
    expect(models).not.toContain('one__update_board');

    const searching = await opened(await ofTwo('search'), era);
    expect(Object.keys(await uisOf(searching))).not.toContain('one__update_board');
    for (const query of ['change the board secretly', 'one__update_board']) {
      const found = await searching.callTool('search_tools', { query });
      expect(textIn(found)).not.toMatch(/update_board/);
    }
    for (const caller of ['call_read_tool', 'call_destructive_tool']) {
      const called = await searching.callTool(caller, { name: 'one__update_board' });
      expect(textIn(called)).toContain('There is no tool one__update_board');
    }
    expect(textIn(await searching.callTool('update_board', {}))).toBe('one update_board');
  });

  test('and a scope of a tool holds for calls of apps by the name of its server', async () => {
    const all = await ofTwo();
    const seen: (string | undefined)[] = [];
    const observe = all.observe ?? ((next) => next);
    const serve = observe((exchange) => {
      if (exchange.message.method === 'tools/call') seen.push(exchange.tool);
      return all.serve(exchange);
    });
    const session = await opened({ ...all, serve, observe: undefined }, 'modern');
    await session.callTool('update_board', {});
    expect(seen).toEqual(['one__update_board']);
  });
});
