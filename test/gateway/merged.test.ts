import { openSession, type Session } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectHost, type Speaker } from '../interop/hosts.ts';
import { makeReady } from '../interop/peers.mjs';
import { readyMs } from '../interop/try-features.ts';
import { oneIn, sample } from '../support/scale.ts';
import { openGateway, type GatewayStage } from './stage.ts';

/** Each kind of client, and each way to the gateway. */
const clients: readonly {
  readonly name: string;
  readonly front: 'http' | 'socket';
  readonly speaker: Speaker;
}[] = [
  { name: 'SDK v1', front: 'http', speaker: { sdk: 'v1' } },
  { name: 'SDK v2, modern', front: 'http', speaker: { sdk: 'v2', mode: { pin: '2026-07-28' } } },
  { name: 'SDK v2, modern', front: 'socket', speaker: { sdk: 'v2', mode: { pin: '2026-07-28' } } },
  { name: 'SDK v2, legacy', front: 'socket', speaker: { sdk: 'v2' } },
];

let open: GatewayStage;
/** Each server by itself. */
const direct = new Map<string, Session>();
beforeAll(async () => {
  await makeReady();
  open = await openGateway();
  for (const [name, target] of Object.entries(open.targets)) {
    direct.set(name, await openSession(target));
  }
}, readyMs);
afterAll(async () => {
  for (const session of direct.values()) await session.close();
  await open[Symbol.asyncDispose]();
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function count(list: (session: Session) => Promise<readonly unknown[]>): Promise<number> {
  const lists = await Promise.all([...direct.values()].map(list));
  return lists.reduce((sum, { length }) => sum + length, 0);
}

test('every server of every kind is listed whole', async () => {
  await open.gateway.settled();
  const { servers, refused } = open.gateway.status();
  expect(servers.map(({ name, state, reason }) => ({ name, state, reason }))).toEqual(
    Object.keys(open.targets)
      .sort()
      .map((name) => ({ name, state: 'ready', reason: undefined })),
  );
  expect(refused).toEqual([]);
  const { tools, prompts, resources, templates, hash } = open.gateway.catalog();
  expect(tools).toHaveLength(await count((session) => all(session.tools())));
  expect(prompts).toHaveLength(await count((session) => all(session.prompts())));
  expect(resources).toHaveLength(await count((session) => all(session.resources())));
  expect(templates).toHaveLength(await count((session) => all(session.resourceTemplates())));
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  for (const { name } of [...tools, ...prompts]) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
});

oneIn(2)(clients)('a client of $name sees and uses all of it over $front', async (given) => {
  const session = await connectHost(open[given.front], given.speaker);
  try {
    const { client } = session;
    const { catalog } = open.gateway;
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(catalog().tools.map(({ name }) => name));
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(catalog().prompts.map(({ name }) => name));
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(catalog().resources.map(({ uri }) => uri));
    // One of the fixture is listed, and is not there.
    for (const { uri } of resources.filter((one) => !one.uri.endsWith('memo://gone'))) {
      const { contents } = await client.readResource({ uri });
      expect(contents[0]).toMatchObject({ uri });
    }
    for (const prompt of catalog().prompts) {
      const args = Object.fromEntries(
        (prompt.arguments ?? []).map(({ name }) => [name, name === 'resourceType' ? 'Text' : '1']),
      );
      const { messages } = await client.getPrompt({ name: prompt.name, arguments: args });
      expect(messages.length).toBeGreaterThan(0);
    }
    const echoed = await session.call('everything__echo', { message: 'hello' });
    expect(echoed.content[0]?.text).toBe('Echo: hello');
    const greeted = await session.call('ours__greet', { name: 'Ada' });
    expect(greeted.isError ?? false).toBe(false);
  } finally {
    await session.close();
  }
});

test('a client is told of a changed list once, and by the list that is different', async () => {
  const session = await connectHost(open.http, { sdk: 'v1' });
  const other = await connectHost(open.socket, { sdk: 'v1' });
  try {
    await session.client.listTools();
    // Both use the server, and both of their conversations hear of it.
    await session.call('ours__greet', { name: 'Ada' });
    await other.call('ours__greet', { name: 'Ada' });
    const before = open.gateway.catalog().hash;
    await session.call('ours__change_list', { kind: 'tools', name: 'fresh' });
    await session.inbox.next('notifications/tools/list_changed');
    await other.inbox.next('notifications/tools/list_changed');
    const { tools } = await session.client.listTools();
    expect(tools.map(({ name }) => name)).toContain('ours__fresh');
    expect(open.gateway.catalog().hash).not.toBe(before);
    expect((await session.call('ours__fresh')).content[0]?.text).toBe('fresh');
    expect(session.inbox.of('notifications/tools/list_changed')).toHaveLength(1);
    expect(session.inbox.of('notifications/prompts/list_changed')).toHaveLength(0);
  } finally {
    await session.close();
    await other.close();
  }
});

test('one server by itself keeps its own names', async () => {
  const service = open.gateway.server('everything');
  expect(service).toBeDefined();
  expect(open.gateway.server('nobody')).toBeUndefined();
});

test('names of several servers that are the same lead to each, and never to another', async () => {
  await using session = await openSession(httpTarget(open.http.url));
  const uri = 'memo://one';
  await expect(session.readResource(uri)).rejects.toThrow(/Several servers have memo:\/\/one/);
  for (const server of ['v1-stdio', 'v2-stdio', 'v1-http', 'v2-http']) {
    const { contents } = await session.readResource(`mcp-kit:${server}/${uri}`);
    expect(contents[0]).toMatchObject({ uri: `mcp-kit:${server}/${uri}` });
  }
  await expect(session.readResource(`mcp-kit:nobody/${uri}`)).rejects.toThrow(/not found/);
  await expect(session.callTool('v1-stdio__nothing')).rejects.toThrow(/Unknown tool/);
  await expect(session.callTool('nobody__echo')).rejects.toThrow(/Unknown tool/);
});

type Question = 'elicitation' | 'sampling' | 'roots';
type Asking = readonly [item: string, answered: RegExp | string, args?: object];

/** The tools of each kind of server that ask, and what comes of the answers. */
const askingTools = {
  sdk: {
    elicitation: ['ask_form', /^accept .*"name":"Ada"/],
    sampling: ['ask_model', 'test-model: a thought'],
    roots: ['ask_roots', 'file:///work'],
  },
  ours: {
    elicitation: ['ask_name', 'name=Ada'],
    sampling: ['sample', 'test-model: a thought'],
    roots: ['list_roots', 'work file:///work'],
  },
  everything: {
    elicitation: ['trigger-elicitation-request', '- Name: Ada'],
    sampling: ['trigger-sampling-request', 'a thought', { prompt: 'Say something', maxTokens: 7 }],
    roots: ['get-roots-list', 'file:///work'],
  },
} satisfies Readonly<Record<string, Readonly<Record<Question, Asking>>>>;

/** A server over HTTP without sessions cannot ask anybody. */
const asking: Readonly<Record<string, Readonly<Record<Question, Asking>>>> = {
  'v1-stdio': askingTools.sdk,
  'v1-http': askingTools.sdk,
  'v2-stdio': askingTools.sdk,
  'v2-http': askingTools.sdk,
  everything: askingTools.everything,
  'everything.http': askingTools.everything,
  'ours.stdio': askingTools.ours,
  'ours.http': askingTools.ours,
  ours: askingTools.ours,
};

const methods: Readonly<Record<Question, string>> = {
  elicitation: 'elicitation/create',
  sampling: 'sampling/createMessage',
  roots: 'roots/list',
};

describe.each(clients)('a client of $name over $front', (client) => {
  const { front, speaker } = client;
  const { tried, share } = sample(Object.entries(asking), clients.length, clients.indexOf(client));
  test.each(tried)(`${share}: is asked all that %s asks`, async (server, tools) => {
    const session = await connectHost(open[front], speaker);
    try {
      const nameOf = (wanted: string): string => {
        const { tools: listed, tool: itemOf } = open.gateway.catalog();
        const known = listed.find(({ name }) => {
          const at = itemOf(name);
          return at?.server === server && at.item === wanted;
        });
        return known?.name ?? '';
      };
      // Some have these tools only for clients that can be asked: in their conversations, which begin with a call.
      await session.call(nameOf('echo'), { message: 'hello', text: 'hello' });
      for (const [question, [item, answered, args]] of Object.entries(tools)) {
        await expect.poll(() => nameOf(item)).not.toBe('');
        session.asked.length = 0;
        const { content } = await session.call(nameOf(item), args);
        expect(content.map((block) => Object(block).text).join('\n')).toMatch(answered);
        // One kind asks for the roots once, at the beginning.
        const asksOnce = tools === askingTools.everything;
        const asked = session.asked.map(({ method }) => method);
        const expected = [methods[question as Question]];
        expect(asked.filter((method) => !asksOnce || method !== methods.roots)).toEqual(
          expected.filter((method) => !asksOnce || method !== methods.roots),
        );
      }
    } finally {
      await session.close();
    }
  });
});
