import { gateway, type Decided, type Gateway, type GatewayOptions } from '@mcp-kit/host/gateway';
import { openSession } from 'mcp-kit/client';
import { elicit, type Target } from 'mcp-kit/protocol';
import { createServer, definePrompt, prompts, resources } from 'mcp-kit/server';
import { memoryTarget } from 'mcp-kit/testing';
import { tool, toolSet } from 'mcp-kit/tools';
import { serveHttp } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connectHost, type Session, type Speaker } from '../interop/hosts.ts';
import { makeReady } from '../interop/peers.mjs';
import { readyMs } from '../interop/try-features.ts';

beforeAll(() => makeReady(), readyMs);
const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

/** What was done, in order. */
let done: string[] = [];

function files() {
  done = [];
  const run =
    (name: string) =>
    ({ path = '' }: { path?: string }) => {
      done.push(`${name} ${path}`);
      return name;
    };
  const input = { type: 'object', properties: { path: { type: 'string' } } } as const;
  const own = (name: string, annotations: object) =>
    tool({ name, description: name, input, annotations, run: run(name) });
  return createServer({
    name: 'files',
    version: '1',
    features: [
      toolSet([
        own('read_file', { readOnlyHint: true }),
        own('write_file', { destructiveHint: false }),
        own('delete_file', { destructiveHint: true }),
        own('anything', {}),
        tool({
          name: 'rename_file',
          description: 'Asks itself.',
          input,
          async run({ path }, context) {
            const schema = {
              type: 'object',
              properties: { name: { type: 'string' } },
              required: ['name'],
            };
            const form = elicit({ message: 'Your name', requestedSchema: schema });
            const { to } = await context.ask({ to: form });
            done.push(`rename_file ${String(path)} ${String(to.content?.['name'])}`);
            return 'renamed';
          },
        }),
      ]),
      prompts([
        definePrompt({ name: 'letter', get: () => 'Dear' }),
        definePrompt({ name: 'secret', get: () => 'x' }),
      ]),
      resources({
        resources: [
          { uri: 'file:///open', name: 'open', read: () => 'open' },
          { uri: 'file:///closed', name: 'closed', read: () => 'closed' },
        ],
      }),
    ],
  });
}

interface Stage {
  readonly service: Gateway;
  readonly url: string;
  readonly decided: Decided[];
}

async function open(
  options: GatewayOptions,
  more: Readonly<Record<string, Target>> = {},
): Promise<Stage> {
  const decided: Decided[] = [];
  const service = gateway(
    { files: memoryTarget(files()), ...more },
    { waitMs: 60_000, onDecision: (one) => decided.push(one), ...options },
  );
  const http = await serveHttp(service, {
    identify: (headers) => headers['x-user'] as string | undefined,
    services: (at) => service.server(at.replace('/mcp/', '')),
  });
  opened.push(
    () => service.close(),
    () => http.close(),
  );
  await service.settled();
  return { service, url: http.url, decided };
}

const speakers: Readonly<Record<string, Speaker>> = {
  'SDK v1': { sdk: 'v1' },
  'SDK v2, modern': { sdk: 'v2', mode: { pin: '2026-07-28' } },
};

async function connect(url: string, speaker: Speaker): Promise<Session> {
  const session = await connectHost({ kind: 'http', url }, speaker);
  opened.push(() => session.close());
  return session;
}

const isRefused = { isError: true, _meta: { 'mcp-kit/policy': { server: 'files' } } };

describe.each(Object.entries(speakers))('A client of %s', (_, speaker) => {
  test.each([
    ['all servers', '', 'files__'],
    ['one server by itself', '/files', ''],
  ])('does not see and cannot use what a rule denies, at %s', async (_where, below, before) => {
    const { url, decided } = await open({
      policy: [
        { decision: 'deny', tools: ['delete_*'], reason: 'nothing is deleted' },
        { decision: 'deny', prompts: ['secret'] },
        { decision: 'deny', resources: ['*closed'] },
        { decision: 'deny', tools: ['write_file'], arguments: { '/path': { glob: '/etc/*' } } },
      ],
    });
    const { client, call } = await connect(url + below, speaker);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      ['anything', 'read_file', 'rename_file', 'write_file'].map((name) => before + name),
    );
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
      `${before}letter`,
    ]);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      'file:///open',
    ]);
    const refused = await call(`${before}delete_file`, { path: '/a' });
    expect(refused).toMatchObject(isRefused);
    expect(refused.content[0]?.text).toContain('nothing is deleted');
    expect(refused.content[0]?.text).toContain('mcpctl policy why files delete_file');
    expect(await call(`${before}write_file`, { path: '/etc/passwd' })).toMatchObject(isRefused);
    expect(await call(`${before}write_file`, { path: '/tmp/a' })).toMatchObject({
      content: [{ text: 'write_file' }],
    });
    await expect(client.getPrompt({ name: `${before}secret` })).rejects.toThrow(/policy/);
    await expect(client.readResource({ uri: 'file:///closed' })).rejects.toThrow(
      /policy|not found/i,
    );
    expect(done).toEqual(['write_file /tmp/a']);
    expect(decided.filter(({ name }) => name === 'delete_file')).toMatchObject([
      { outcome: 'refused', decision: 'deny', rule: { pointer: '/0' } },
    ]);
  });

  test('asks its user about what may destroy, and goes by the answer', async () => {
    const { url, decided } = await open({
      policy: [{ decision: 'ask', effects: ['destructive'], reason: 'look first' }],
    });
    const session = await connect(url, speaker);
    const answers = [{ action: 'accept', content: {} }, { action: 'decline' }];
    session.answers['elicitation/create'] = () => answers.shift();
    expect(await session.call('files__read_file', { path: 'r' })).not.toHaveProperty(
      'isError',
      true,
    );
    const args = { path: 'a', password: 'hunter2' };
    expect(await session.call('files__delete_file', args)).toMatchObject({
      content: [{ text: 'delete_file' }],
    });
    expect(await session.call('files__anything', { path: 'b' })).toMatchObject(isRefused);
    expect(done).toEqual(['read_file r', 'delete_file a']);
    const [first, second, ...others] = session.asked;
    expect(others).toEqual([]);
    expect(String(first?.params['message'])).toMatch(
      /delete_file of files.*"path":"a".*look first/s,
    );
    expect(String(first?.params['message'])).not.toContain('hunter2');
    expect(String(second?.params['message'])).toContain('anything of files');
    expect(decided.at(-1)).toMatchObject({ name: 'anything', outcome: 'refused', decision: 'ask' });
  });

  test('is asked by the tool as well, once it was allowed', async () => {
    const { url } = await open({ policy: [{ decision: 'ask', tools: ['rename_*'] }] });
    const session = await connect(url, speaker);
    const result = await session.call('files__rename_file', { path: 'a' });
    expect(result).toMatchObject({ content: [{ text: 'renamed' }] });
    expect(done).toEqual(['rename_file a Ada']);
    expect(session.asked).toHaveLength(2);
  });

  test('that cannot ask is refused, or somebody at hand is asked', async () => {
    const asked: string[] = [];
    const { url } = await open({
      policy: [{ decision: 'ask', tools: ['delete_file', 'write_file'] }],
      ask: async ({ name }) => {
        asked.push(name);
        return name === 'write_file' ? 'once' : undefined;
      },
    });
    const { call } = await connect(url, { ...speaker, capabilities: {} });
    expect(await call('files__write_file', { path: 'a' })).toMatchObject({
      content: [{ text: 'write_file' }],
    });
    const refused = await call('files__delete_file', { path: 'a' });
    expect(refused).toMatchObject(isRefused);
    expect(refused.content[0]?.text).toContain('cannot be asked');
    expect(asked).toEqual(['write_file', 'delete_file']);
  });
});

test('an answer can be kept for the conversation, and for no other', async () => {
  const { url } = await open({ policy: [{ decision: 'ask', tools: ['delete_*'] }] });
  const answer = () => ({ action: 'accept', content: { remember: true } });
  const first = await connect(url, { sdk: 'v1' });
  first.answers['elicitation/create'] = answer;
  for (const path of ['a', 'b', 'c']) await first.call('files__delete_file', { path });
  expect(first.asked).toHaveLength(1);
  const second = await connect(url, { sdk: 'v1' });
  second.answers['elicitation/create'] = answer;
  await second.call('files__delete_file', { path: 'd' });
  expect(second.asked).toHaveLength(1);
  expect(done).toHaveLength(4);
});

test('an answer is good for the call it was given to, once, and for nobody else', async () => {
  const { url } = await open({ policy: [{ decision: 'ask', tools: ['delete_*', 'anything'] }] });
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  const ask = async (user: string, params: object): Promise<Record<string, unknown>> => {
    const name = (params as { name: string }).name;
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
        'x-user': user,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { ...params, _meta: meta },
      }),
    });
    const text = await response.text();
    return JSON.parse(text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? ''));
  };
  const call = { name: 'files__delete_file', arguments: { path: 'a' } };
  const { result } = await ask('ann', call);
  const { requestState } = result as { requestState: string };
  const inputResponses = { 'mcp-kit/policy': { action: 'accept', content: {} } };
  const answered = { requestState, inputResponses };
  const isBad = { error: { code: -32602 } };
  expect(await ask('bob', { ...call, ...answered })).toMatchObject(isBad);
  expect(await ask('ann', { ...call, arguments: { path: 'b' }, ...answered })).toMatchObject(isBad);
  expect(
    await ask('ann', { name: 'files__anything', arguments: { path: 'a' }, ...answered }),
  ).toMatchObject(isBad);
  expect(await ask('ann', { ...call, requestState: 'made up', inputResponses })).toMatchObject(
    isBad,
  );
  expect(await ask('ann', { ...call, inputResponses })).toMatchObject({
    result: { resultType: 'input_required' },
  });
  expect(done).toEqual([]);
  expect(await ask('ann', { ...call, ...answered })).toMatchObject({
    result: { content: [{ text: 'delete_file' }] },
  });
  expect(await ask('ann', { ...call, ...answered })).toMatchObject({
    result: { resultType: 'input_required' },
  });
  expect(done).toEqual(['delete_file a']);
});

test('who may not use something does not see it, and others do', async () => {
  const { url } = await open({
    policy: [{ decision: 'deny', effects: ['write', 'destructive'], principals: ['guest*'] }],
  });
  const namesFor = async (user: string): Promise<readonly string[]> => {
    await using session = await openSession(httpTarget(url, { headers: { 'x-user': user } }));
    const names: string[] = [];
    for await (const { name } of session.tools()) names.push(name);
    const { isError = false } = await session.callTool('files__write_file', { path: user });
    expect(isError).toBe(user !== 'ann');
    return names;
  };
  expect(await namesFor('guest1')).toEqual(['files__read_file']);
  expect(await namesFor('Guest2')).toEqual(['files__read_file']);
  expect(await namesFor('ann')).toHaveLength(5);
  expect(done).toEqual(['write_file ann']);
});

test('the search tool names no server of which somebody may use no tool', async () => {
  const secrets = ['read_payroll_salary', 'change_payroll_salary'].map((name) =>
    tool({ name, description: name, run: () => name }),
  );
  const vault = createServer({ name: 'vault', version: '1', features: [toolSet(secrets)] });
  const { url } = await open(
    {
      disclosure: 'search',
      policy: [
        { decision: 'deny', servers: ['vault'], principals: ['guest*'] },
        { decision: 'deny', tools: ['*_salary'], principals: ['clerk'] },
        { decision: 'deny', tools: ['*_file'], principals: ['clerk'] },
      ],
    },
    { vault: memoryTarget(vault) },
  );
  const toldTo = async (user: string): Promise<string> => {
    await using session = await openSession(httpTarget(url, { headers: { 'x-user': user } }));
    for await (const { name, description = '' } of session.tools()) {
      if (name === 'search_tools') return description;
    }
    return '';
  };
  expect(await toldTo('ann')).toMatch(/files.*vault \(payroll, salary\)/);
  expect(await toldTo('guest')).toContain('files');
  expect(await toldTo('guest')).not.toMatch(/vault|payroll/);
  expect(await toldTo('clerk')).not.toMatch(/vault|payroll/);
});
