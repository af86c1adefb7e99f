import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { silentLogger } from '#base';
import type { CallToolResult } from '#protocol';
import { createServer } from '#server';
import { connectInMemory, type InMemoryClient } from '#testing';
import type { Change } from '../changes.ts';
import { tool, type Tool } from '../tool.ts';
import type { Envelope } from '../contract/envelope.ts';
import { toolSet } from '../tool-set.ts';
import { governed, type GovernanceOptions } from './governed-contract.ts';

const numRuns = Math.min(5000, Number(process.env['PROPERTY_RUNS']) / 5);

/** A server with these tools, and a client of it. */
async function serve(
  tools: readonly Tool[],
  governance: GovernanceOptions,
): Promise<InMemoryClient> {
  const set = toolSet(tools, {
    contract: governed({ lint: 'off', ...governance }),
    logger: silentLogger,
  });
  const client = connectInMemory(createServer({ name: 's', version: '1', features: [set] }));
  await client.initialize();
  return client;
}

async function ask(client: InMemoryClient, name: string, args: object): Promise<Envelope> {
  const result = await client.request('tools/call', { name, arguments: args });
  return (result as CallToolResult).structuredContent as Envelope;
}

const dataOf = ({ data }: Envelope): Record<string, unknown> => data as Record<string, unknown>;

// A family of writing tools: any list of steps on a table of numbers.

type Table = Map<string, number>;

interface Step {
  readonly kind: 'set' | 'delete' | 'add' | 'copy';
  readonly key: string;
  readonly other: string;
  readonly value: number;
}

const key = fc.constantFrom('a', 'b', 'c', 'd');
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('set', 'delete', 'add', 'copy'),
  key,
  other: key,
  value: fc.integer({ min: -3, max: 3 }),
});

/** What steps would do to a table, and to which values. */
function follow(table: Table, steps: readonly Step[]): { changes: Change[]; after: Table } {
  const after = new Map(table);
  const changes = steps.flatMap(({ kind, key: target, other, value }) => {
    const from = after.get(target);
    const to = {
      set: value,
      delete: undefined,
      add: (from ?? 0) + value,
      copy: after.get(other),
    }[kind];
    if (to === from) return [];
    if (to === undefined) after.delete(target);
    else after.set(target, to);
    const type = to === undefined ? 'delete' : from === undefined ? 'create' : 'update';
    return [{ type, target, from, to }];
  });
  return { changes, after };
}

interface Member {
  readonly steps: readonly Step[];
  readonly slowPlan: boolean;
  readonly slowApply: boolean;
  readonly tellsState: boolean;
}

function memberOf(table: Table, { steps, slowPlan, slowApply, tellsState }: Member): Tool {
  const later = <T>(slow: boolean, value: T): T | Promise<T> =>
    slow ? Promise.resolve(value) : value;
  return tool({
    name: 'update_table_rows',
    description: 'Follows its steps.',
    safety: 'mutating',
    plan() {
      const { changes, after } = follow(table, steps);
      return later(slowPlan, { changes, after, state: tellsState ? [...table] : undefined });
    },
    apply({ after }) {
      table.clear();
      for (const [name, value] of after) table.set(name, value);
      return later(slowApply, undefined);
    },
  });
}

const member: fc.Arbitrary<Member> = fc.record({
  steps: fc.array(step, { maxLength: 5 }),
  slowPlan: fc.boolean(),
  slowApply: fc.boolean(),
  tellsState: fc.boolean(),
});
const rows = fc.array(fc.tuple(key, fc.integer({ min: 0, max: 3 })), { maxLength: 4 });

test('a dry run changes nothing, and tells exactly what doing it then changes', async () => {
  await fc.assert(
    fc.asyncProperty(member, rows, fc.boolean(), async (made, initial, withToken) => {
      const table: Table = new Map(initial);
      const before = JSON.stringify([...table]);
      const expected = follow(table, made.steps);
      const client = await serve([memberOf(table, made)], {});
      try {
        const tried = dataOf(await ask(client, 'update_table_rows', { dryRun: true }));
        expect(JSON.stringify([...table])).toBe(before);
        expect(tried['changes']).toEqual(expected.changes);
        const token = withToken ? { planToken: tried['planToken'] } : {};
        const done = dataOf(await ask(client, 'update_table_rows', token));
        expect(done['changes']).toEqual(tried['changes']);
        expect(new Map(table)).toEqual(expected.after);
      } finally {
        await client.close();
      }
    }),
    { numRuns },
  );
});

test('a plan token that was tampered with, is expired, foreign, stale or used is refused, and nothing is done', async () => {
  type Spoil =
    | 'tampered'
    | 'expired'
    | 'other arguments'
    | 'other tool'
    | 'stale'
    | 'used'
    | 'other keys';
  const spoils: readonly Spoil[] = [
    'tampered',
    'expired',
    'other arguments',
    'other tool',
    'stale',
    'used',
    'other keys',
  ];
  const setRow = (name: string, table: Table): Tool =>
    tool({
      name,
      description: 'Sets a row.',
      safety: 'mutating',
      input: { type: 'object', properties: { to: { type: 'integer' } }, required: ['to'] },
      plan({ to }) {
        const from = table.get('row') ?? 0;
        return { changes: [{ type: 'update', target: 'row', from, to }], to };
      },
      apply({ to }) {
        table.set('row', to);
        table.set('writes', (table.get('writes') ?? 0) + 1);
      },
    });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...spoils),
      fc.nat({ max: 60 }),
      fc.integer({ min: 1, max: 63 }),
      async (spoil, place, shift) => {
        const table: Table = new Map([['row', 7]]);
        let now = 1_000_000;
        const tools = [setRow('set_row_one', table), setRow('set_row_two', table)];
        const client = await serve(tools, { plans: { ttlMs: 60_000, now: () => now } });
        const others = await serve(tools, {});
        try {
          const { planToken } = dataOf(await ask(client, 'set_row_one', { to: 8, dryRun: true }));
          let token = String(planToken);
          if (spoil === 'tampered') token = tamper(token, place, shift);
          if (spoil === 'expired') now += 120_000;
          if (spoil === 'stale') table.set('row', 6);
          if (spoil === 'used') {
            await ask(client, 'set_row_one', { to: 8, planToken: token });
            table.set('row', 7);
            table.delete('writes');
          }
          const name = spoil === 'other tool' ? 'set_row_two' : 'set_row_one';
          const to = spoil === 'other arguments' ? 9 : 8;
          const asked = spoil === 'other keys' ? others : client;
          const { error } = await ask(asked, name, { to, planToken: token });
          expect([spoil, error?.code]).toEqual([spoil, 'E_CONFLICT']);
          expect(table.get('writes')).toBeUndefined();
        } finally {
          await client.close();
          await others.close();
        }
      },
    ),
    { numRuns },
  );
});

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The token with one of its characters replaced by another. */
function tamper(token: string, place: number, shift: number): string {
  const at = 'plan_'.length + (place % (token.length - 'plan_'.length));
  const other = alphabet[(alphabet.indexOf(token[at] ?? '') + shift) % alphabet.length] ?? '';
  return token.slice(0, at) + other + token.slice(at + 1);
}
