import type { Decided, Gateway, GatewayOptions } from '@mcp-kit/host/gateway';
import { openSession, type Session } from 'mcp-kit/client';
import type { RpcError } from 'mcp-kit/jsonrpc';
import type { Target } from 'mcp-kit/protocol';
import { createServer, definePrompt, prompts, resources } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { serveHttp } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { describe, expect, test } from 'vitest';
import { dead, inMemory } from './memory.ts';
import { start, use } from './opened.ts';

/** A server with one thing of each kind; all of them have the resource `shared:one`. */
function own(name: string): Target {
  const server = createServer({
    name,
    version: '1',
    instructions: `Words of ${name}.`,
    features: [
      toolSet([tool({ name: `${name}_look`, description: 'Looks.', run: () => name })]),
      prompts([definePrompt({ name: `${name}_letter`, get: () => name })]),
      resources({
        resources: [
          { uri: `${name}:one`, name: 'one', read: () => name },
          { uri: 'shared:one', name: 'shared', read: () => name },
        ],
        templates: [
          {
            uriTemplate: `${name}:{part}`,
            name: 'part',
            complete: { part: () => [name] },
            read: () => name,
          },
        ],
      }),
    ],
  });
  return inMemory(server, name);
}

interface Stage {
  readonly service: Gateway;
  readonly url: string;
  readonly decided: Decided[];
  as(user: string, where?: string, era?: 'legacy' | 'modern'): Promise<Session>;
}

async function open(options: GatewayOptions, more: Record<string, Target> = {}): Promise<Stage> {
  const decided: Decided[] = [];
  const service = start(
    { files: own('files'), vault: own('vault'), ...more },
    { waitMs: 60_000, onDecision: (one) => decided.push(one), ...options },
  );
  const http = await serveHttp(service, {
    identify: (headers) => headers['x-user'] as string | undefined,
    services: (at) => {
      const name = at.replace('/mcp/', '');
      return service.server(name) ?? service.group(name);
    },
  });
  use({ [Symbol.asyncDispose]: () => http.close() });
  await service.settled();
  const as: Stage['as'] = async (user, where = '', era = 'modern') => {
    const target = httpTarget(http.url + where, { headers: { 'x-user': user } });
    return use(await openSession(target, { era }));
  };
  return { service, url: http.url, decided, as };
}

/** Nothing of the vault is for guests; nothing that it has is for clerks. */
const policy: GatewayOptions['policy'] = [
  { decision: 'deny', servers: ['vault', 'broken'], principals: ['guest'] },
  { decision: 'deny', tools: ['vault_*'], principals: ['clerk'] },
  { decision: 'deny', prompts: ['vault_*'], principals: ['clerk'] },
  { decision: 'deny', servers: ['vault'], resources: ['*'], principals: ['clerk'] },
  { decision: 'deny', servers: ['vault'], tools: ['*'], principals: ['reader'] },
];

describe.each(['legacy', 'modern'] as const)('Instructions for clients of the %s era', (era) => {
  test.each(['full', 'search'] as const)(
    'name no server of which somebody may use nothing, where they see the tools by: %s',
    async (disclosure) => {
      const { as } = await open({ policy, disclosure }, { broken: dead });
      const told = async (user: string): Promise<string> =>
        (await as(user, '', era)).instructions ?? '';
      expect(await told('ann')).toContain('- broken: ');
      expect(await told('clerk')).toContain('- broken: ');
      expect(await told('guest')).not.toContain('broken');
      for (const user of ['guest', 'clerk']) expect(await told(user)).not.toContain('vault');
      if (disclosure === 'search') return;
      expect(await told('guest')).toContain('Words of files.');
      for (const user of ['ann', 'reader']) expect(await told(user)).toContain('Words of vault.');
    },
  );

  test('name no server of which a file or a group hides everything', async () => {
    const hidden = { '*': { hidden: true } };
    const groups = { looking: { tools: ['files__*'] }, all: {} };
    const settings = { groups, servers: { vault: { prompts: hidden, resources: hidden } } };
    const { as } = await open({ settings });
    expect((await as('ann', '/looking', era)).instructions).not.toContain('vault');
    expect((await as('ann', '/all', era)).instructions).toContain('vault');
  });
});

/** What becomes of asking for things of a server, without the names that were asked for. */
async function answers(session: Session, server: string): Promise<readonly string[]> {
  const asked = [
    session.callTool(`${server}__vault_look`, {}),
    session.getPrompt(`${server}__vault_letter`),
    session.readResource(`mcp-kit:${server}/vault:one`),
    session.complete(
      { type: 'ref/prompt', name: `${server}__vault_letter` },
      { name: 'x', value: '' },
    ),
    session.complete(
      { type: 'ref/resource', uri: `mcp-kit:${server}/vault:{part}` },
      { name: 'part', value: '' },
    ),
  ];
  const outcomes = await Promise.all(
    asked.map((one) =>
      Promise.resolve(one).then(
        (result) => JSON.stringify(result),
        ({ code, message, data }: RpcError) => JSON.stringify({ code, message, data }),
      ),
    ),
  );
  return outcomes.map((text) => text.replaceAll(/vault|nowhere/g, 'SERVER'));
}

test.each(['legacy', 'modern'] as const)(
  'what somebody asks of a server that is kept from them is answered as if there were none, to %s clients',
  async (era) => {
    const { as, decided } = await open({ policy });
    for (const user of ['guest', 'clerk']) {
      const session = await as(user, '', era);
      expect(await answers(session, 'vault')).toEqual(await answers(session, 'nowhere'));
    }
    const seen = decided.filter(({ outcome }) => outcome === 'refused');
    expect(seen.map(({ principal, kind }) => `${principal} ${kind}`)).toContain('guest tool');
    const reader = await answers(await as('reader', '', era), 'vault');
    expect(reader[0]).toContain('the policy does not allow it');
    expect(reader[2]).toContain('"text":"SERVER"');
  },
);

test('what a file hides cannot be read in a group either, by whatever URI', async () => {
  const servers = { vault: { resources: { 'vault:*': { hidden: true } } } };
  const { as } = await open({ settings: { groups: { all: {} }, servers } });
  for (const where of ['', '/all']) {
    const session = await as('ann', where);
    for (const uri of ['vault:one', 'mcp-kit:vault/vault:one', 'mcp-kit:vault/vault:two']) {
      await expect(session.readResource(uri)).rejects.toThrow('Resource not found');
    }
  }
});

test('who sees one of several servers with a resource need not name it, and hears of no other', async () => {
  const { as } = await open({ policy });
  const guest = await as('guest');
  expect(await guest.readResource('shared:one')).toMatchObject({ contents: [{ text: 'files' }] });
  const ann = await as('ann');
  await expect(ann.readResource('shared:one')).rejects.toThrow('mcp-kit:vault/shared:one');
});

test('a server by itself is not there for whom all of it is kept from', async () => {
  const { as, url, service } = await open({ policy });
  const post = async (user: string, name: string): Promise<string> => {
    const response = await fetch(`${url}/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-user': user },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    return `${response.status} ${await response.text()}`;
  };
  expect((await as('ann', '/vault')).instructions).toBe('Words of vault.');
  for (const user of ['guest', 'clerk']) {
    expect(await post(user, 'vault')).toBe(await post(user, 'nowhere'));
    expect(await post(user, 'vault')).toMatch(/^404 /);
  }
  const alone = service.server('vault');
  expect(alone?.isFor?.('guest')).toBe(false);
  expect(alone?.isFor?.('ann')).toBe(true);
  // Those who could use it before still can.
  expect(await (await as('ann', '/vault')).callTool('vault_look', {})).toMatchObject({
    content: [{ text: 'vault' }],
  });
});
