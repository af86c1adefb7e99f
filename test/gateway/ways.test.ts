import * as fc from 'fast-check';
import type { GatewaySettings } from '@mcp-kit/host';
import type { Session } from 'mcp-kit/client';
import { createServer, type Feature } from 'mcp-kit/server';
import { expect, test } from 'vitest';
import { inMemory } from './memory.ts';
import { clientOf, start } from './opened.ts';

const numRuns = Math.min(500, Number(process.env['PROPERTY_RUNS']) / 10);
const forbidden = ['delete_file', 'delete_all', 'wipe'];

const settings: GatewaySettings = {
  servers: {
    files: {
      tools: { delete_file: { name: 'tidy' }, read_file: { name: 'look' }, wipe: { hidden: true } },
    },
  },
  groups: { some: { servers: ['files'] }, few: { servers: ['files'], tools: ['*__look'] } },
};

/** A server that does whatever it is told, and lists something else each time. */
function fickle(done: string[]): Feature {
  const lists = [['read_file', ...forbidden], ['read_file', 'look', 'wipe'], forbidden, []];
  let asked = 0;
  const annotations = { readOnlyHint: true };
  return {
    capabilities: { tools: { listChanged: true } },
    methods: {
      'tools/list': () => {
        const names = lists[asked % lists.length] ?? [];
        asked += 1;
        return {
          tools: names.map((name) => ({ name, inputSchema: { type: 'object' }, annotations })),
        };
      },
      'tools/call': ({ name }) => {
        done.push(String(name));
        return { content: [{ type: 'text', text: String(name) }] };
      },
    },
  };
}

/** A caller that calls a caller, and so on. */
function wrapped(
  name: string,
  callers: readonly string[],
): readonly [string, Record<string, unknown>] {
  let called: readonly [string, Record<string, unknown>] = [name, {}];
  for (const caller of callers) called = [caller, { name: called[0], arguments: called[1] }];
  return called;
}

/** Most of the time one of the first. */
function often(usual: readonly string[], odd: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );
}

test('what is denied or hidden is done by no way in: by other names, in groups, alone, through callers, while lists change', async () => {
  const done: string[] = [];
  const server = createServer({ name: 'files', version: '1', features: [fickle(done)] });
  const service = start(
    { files: inMemory(server, 'files') },
    {
      settings,
      waitMs: 60_000,
      revalidateMs: 0,
      policy: [{ decision: 'deny', tools: ['delete_*'] }],
    },
  );
  await service.settled();
  const doors = [service, service.group('some'), service.group('few'), service.server('files')];
  const sessions: Session[] = [];
  for (const door of doors) {
    for (const era of ['legacy', 'modern'] as const) {
      if (door !== undefined) sessions.push(await clientOf(door, { era }));
    }
  }
  expect(sessions).toHaveLength(8);
  const own = often(
    [...forbidden, 'tidy', 'look', 'read_file'],
    ['TIDY', 'Wipe', 'w\u0131pe', 'delete_file\u200B', 'files__wipe'],
  );
  const prefix = often(['', 'files__'], ['FILES__', 'files__files__', 'few__', 'mcp-kit:files/']);
  const caller = fc.constantFrom(
    'call_read_tool',
    'call_write_tool',
    'call_destructive_tool',
    'search_tools',
  );
  const act = fc.record({
    session: fc.nat(sessions.length - 1),
    name: fc.tuple(prefix, own).map((parts) => parts.join('')),
    callers: fc.array(caller, { maxLength: 2 }),
    lists: fc.boolean(),
  });
  const allowed = sessions.flatMap((_, session) =>
    ['look', 'files__look'].map((name) => ({ session, name, callers: [], lists: false })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 6 }), async (acts) => {
      const all = acts.map(async ({ session, name, callers, lists }) => {
        const client = sessions[session];
        const [called, args] = wrapped(name, callers);
        const listing = lists ? client?.listTools() : undefined;
        await client?.callTool(called, args).catch(() => undefined);
        await listing?.catch(() => undefined);
      });
      await Promise.all(all);
      expect(done.filter((name) => forbidden.includes(name))).toEqual([]);
    }),
    { numRuns, examples: [[allowed]] },
  );
  // Otherwise this would have shown nothing.
  expect(done).toContain('read_file');
});
