import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { gateway, type Gateway } from '@mcp-kit/host/gateway';
import { modelTools } from '@mcp-kit/host';
import { openSession } from 'mcp-kit/client';
import { elicit } from 'mcp-kit/protocol';
import { serveHttp } from 'mcp-kit/transport/http';
import { tool, toolSet } from 'mcp-kit/tools';
import { createServer } from 'mcp-kit/server';
import { memoryTarget } from 'mcp-kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectHost, type Speaker } from '../../interop/hosts.ts';
import { makeReady } from '../../interop/peers.mjs';
import { readyMs } from '../../interop/try-features.ts';
import { gatewayOf, namesOf, sessionWith } from './servers.ts';

const small = ['search_tools', 'call_read_tool', 'call_write_tool', 'call_destructive_tool'];
const text = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
} as const;

/** So many tools that are of no use, and one of each effect. */
const fillers = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    tool({ name: `filler_${index}`, description: `Does thing ${index}.`, run: () => 'done' }),
  );
const effects = [
  tool({
    name: 'read_note',
    description: 'Reads a note.',
    annotations: { readOnlyHint: true },
    input: text,
    output: text,
    run: ({ text: said }: { text: string }) => ({ text: said }),
  }),
  tool({
    name: 'add_note',
    description: 'Adds a note.',
    annotations: { readOnlyHint: false, destructiveHint: false },
    input: text,
    run: async ({ text: said }: { text: string }, context) => {
      await context.progress(1, 2, 'half');
      const schema = { type: 'object', properties: { ok: { type: 'boolean' } } } as const;
      const { sure } = await context.ask({
        sure: elicit({ message: 'Sure?', requestedSchema: schema }),
      });
      return `${said} ${sure.action}`;
    },
  }),
  tool({ name: 'wipe_notes', description: 'Deletes all notes.', run: () => 'wiped' }),
];

let all: Gateway;
let served: Awaited<ReturnType<typeof serveHttp>>;
beforeAll(async () => {
  await makeReady();
  all = await gatewayOf({ notes: effects, other: fillers(60) });
  served = await serveHttp(all);
}, readyMs);
afterAll(async () => {
  await served.close();
  await all.close();
});

const speakers: readonly { readonly name: string; readonly speaker: Speaker }[] = [
  { name: 'SDK v1', speaker: { sdk: 'v1' } },
  { name: 'SDK v2, legacy', speaker: { sdk: 'v2' } },
  { name: 'SDK v2, modern', speaker: { sdk: 'v2', mode: { pin: '2026-07-28' } } },
];

describe.each(speakers)('a client of $name', ({ speaker }) => {
  test('sees the small set, finds a tool and calls it', async () => {
    const host = await connectHost({ kind: 'http', url: served.url }, speaker);
    try {
      const { tools } = await host.client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(small);
      expect(tools.map(({ annotations }) => annotations)).toMatchObject([
        { readOnlyHint: true },
        { readOnlyHint: true },
        { readOnlyHint: false, destructiveHint: false },
        { readOnlyHint: false, destructiveHint: true },
      ]);
      const found = await host.call('search_tools', { query: 'remove every note' });
      expect(found.content[0]?.text).toMatch(/^notes__wipe_notes \[destructive\]/);
      const wiped = await host.call('call_destructive_tool', { name: 'notes__wipe_notes' });
      expect(wiped.content[0]?.text).toBe('wiped');
      const args = { name: 'notes__read_note', arguments: { text: 'hello' } };
      expect(await host.call('call_read_tool', args)).toMatchObject({
        structuredContent: { text: 'hello' },
      });
      // What is called by its own name needs no caller.
      const direct = await host.call('notes__read_note', { text: 'again' });
      expect(direct).toMatchObject({ structuredContent: { text: 'again' } });
    } finally {
      await host.close();
    }
  });
});

describe.each(['legacy', 'modern'] as const)('through a caller, in the %s era,', (era) => {
  test('progress and questions are as for a direct call', async () => {
    const told: unknown[] = [];
    await using session = await openSession(memoryTarget(all), {
      era,
      name: 'somebody',
      version: '1',
      probeTimeoutMs: 60_000,
      inputs: { elicit: async () => ({ action: 'accept', content: { ok: true } }) },
    });
    const result = await session.callTool(
      'call_write_tool',
      { name: 'notes__add_note', arguments: { text: 'milk' } },
      { onProgress: (progress) => void told.push(progress) },
    );
    expect(result.content[0]).toMatchObject({ text: 'milk accept' });
    expect(told.length).toBeGreaterThan(0);
  });

  test('a tool is refused that may do more than the caller says', async () => {
    await using session = await sessionWith(all, 'somebody', era);
    const refused = async (caller: string, name: string): Promise<string> => {
      const result = await session.callTool(caller, { name, arguments: { text: 'x' } });
      expect(result.isError).toBe(true);
      return String(Object(result.content[0]).text);
    };
    expect(await refused('call_read_tool', 'notes__add_note')).toContain('Use call_write_tool');
    expect(await refused('call_read_tool', 'notes__wipe_notes')).toContain('call_destructive_tool');
    expect(await refused('call_write_tool', 'notes__wipe_notes')).toContain('destructive');
    for (const caller of ['call_read_tool', 'call_write_tool', 'call_destructive_tool']) {
      expect(await refused(caller, 'call_destructive_tool')).toContain('another caller');
    }
    // Names that nobody has, or that are written otherwise, are no way around.
    expect(await refused('call_read_tool', 'notes__nothing')).toContain('There is no tool');
    expect(await refused('call_read_tool', ' notes__wipe_notes')).toContain('There is no tool');
    expect(await refused('call_read_tool', 'NOTES__wipe_notes')).toContain('There is no tool');
    const nested = { name: 'call_destructive_tool', arguments: { name: 'notes__wipe_notes' } };
    expect(await session.callTool('call_read_tool', nested)).toMatchObject({ isError: true });
    // What may do less may be called by what may do more.
    const args = { name: 'notes__read_note', arguments: { text: 'x' } };
    expect(await session.callTool('call_destructive_tool', args)).not.toMatchObject({
      isError: true,
    });
  });
});

describe('what a client sees', () => {
  test.each([
    ['claude-code', 'full'],
    ['codex-mcp-client', 'full'],
    ['claude-code (via mcp-remote 0.1.37)', 'full'],
    ['somebody', 'search'],
  ])('%s: %s', async (name, view) => {
    await using session = await sessionWith(all, name);
    const names = await namesOf(session);
    const known = all.catalog().tools.map((one) => one.name);
    expect(names).toEqual(view === 'search' ? small : known);
  });

  test('is all while there are few tools, and as the option says', async () => {
    await using few = await gatewayOf({ notes: effects });
    await using session = await sessionWith(few);
    expect(await namesOf(session)).toContain('notes__read_note');
    await using search = await gatewayOf({ notes: effects }, { disclosure: 'search' });
    await using other = await sessionWith(search, 'claude-code');
    expect(await namesOf(other)).toEqual(small);
    await using full = await gatewayOf({ other: fillers(60) }, { disclosure: 'full' });
    await using third = await sessionWith(full);
    expect(await namesOf(third)).toHaveLength(60);
  });

  test('changes are told only to those who see other tools', async () => {
    const changing = toolSet(fillers(50));
    const server = createServer({ name: 'one', version: '1', features: [changing] });
    await using changed = gateway({ one: memoryTarget(server) }, { waitMs: 60_000 });
    await changed.settled();
    // Whoever was there has been told of the first list.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const told: string[] = [];
    const listen = async (name: string) => {
      return openSession(memoryTarget(changed), {
        name,
        version: '1',
        era: 'legacy',
        onNotification: ({ method }) => void told.push(`${name} ${method}`),
      });
    };
    await using small1 = await listen('somebody');
    await using full1 = await listen('claude-code');
    await namesOf(small1);
    await namesOf(full1);
    changing.add(tool({ name: 'filler_x', description: 'One more.', run: () => 'x' }));
    await expect.poll(() => told).toEqual(['claude-code notifications/tools/list_changed']);
    expect(await namesOf(full1)).toContain('one__filler_x');
    await namesOf(small1);
    expect(told).toHaveLength(1);
    const found = await small1.callTool('search_tools', { query: 'one__filler_x' });
    expect(Object(found.content[0]).text).toContain('One more.');
  });

  test('the catalog of a gateway has the forms of model APIs, and the way back', () => {
    const { tools, tool: itemOf } = all.catalog();
    const [first] = modelTools(tools, 'anthropic');
    expect(first).toMatchObject({ name: 'notes__add_note', description: 'Adds a note.' });
    expect(itemOf(first?.name ?? '')).toEqual({ server: 'notes', item: 'add_note' });
  });
});

test('500 tools of 20 servers cost a model at most 450 tokens', async () => {
  const servers = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`server-${index}`, fillers(25)]),
  );
  await using many = await gatewayOf(servers);
  await using session = await sessionWith(many);
  const tools = [];
  for await (const one of session.tools()) tools.push(one);
  const seen = JSON.stringify({ instructions: session.instructions, tools });
  expect(countTokens(seen)).toBeLessThanOrEqual(450);
});
