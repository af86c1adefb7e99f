import assert from 'node:assert/strict';
import { silentLogger, type MaybePromise } from '#base';
import type { CallToolResult } from '#protocol';
import { createServer, type Server } from '#server';
import { toolSet, type Envelope, type Tool, type ToolExample } from '#tools';
import { governed } from '#tools/governed';
import { lintTools } from '#tools/inspect';
import { connectInMemory } from './in-memory-client.ts';

/** Tools with a world of their own to act on. */
export interface ToolWorld {
  readonly tools: readonly Tool[];
  /** All that the tools can change, as JSON: what a dry run must leave as it is. */
  readonly snapshot?: (() => unknown) | undefined;
  /** Makes the world so that an example ends as it says. */
  readonly prepare?: ((tool: string, example: ToolExample) => MaybePromise<void>) | undefined;
  readonly close?: (() => MaybePromise<void>) | undefined;
}

/** One promise of one tool, as a test of any runner: `test(name, run)`. */
export interface ToolCase {
  readonly name: string;
  run(): Promise<void>;
}

/** What governed tools promise, tried on their examples; `open` makes a fresh world for each. */
export function toolContract(open: () => ToolWorld): readonly ToolCase[] {
  const { tools, close } = open();
  void close?.();
  const cases: ToolCase[] = [];
  for (const tool of tools) {
    for (const [index, example] of (tool.examples ?? []).entries()) {
      cases.push(exampleCase(open, tool, { example, index }));
    }
    cases.push(declaredCase(tool));
    if (tool.plan !== undefined) cases.push(dryRunCase(open, tool));
  }
  return [...cases, lintCase(tools)];
}

interface Numbered {
  readonly example: ToolExample;
  readonly index: number;
}

function exampleCase(open: () => ToolWorld, tool: Tool, { example, index }: Numbered): ToolCase {
  const { fails } = example;
  const ends = fails === undefined ? 'succeeds' : `fails with ${fails}`;
  return {
    name: `${tool.name}: example ${index + 1} ${ends}`,
    run: () =>
      within(open, async (world, ask) => {
        await world.prepare?.(tool.name, example);
        const { error } = await ask(tool.name, example.input);
        assert.equal(error?.code, fails, error?.message);
      }),
  };
}

/** With the case of each example this shows that every failure a tool declares can happen. */
function declaredCase({ name, errors = {}, examples = [] }: Tool): ToolCase {
  return {
    name: `${name}: every failure it declares is shown by an example`,
    async run() {
      const shown = new Set(examples.map(({ fails }) => fails));
      const unshown = Object.keys(errors).filter((code) => !shown.has(code as never));
      assert.deepEqual(unshown, []);
      const undeclared = [...shown].filter((code) => code !== undefined && !(code in errors));
      assert.deepEqual(
        undeclared.filter((code) => code !== 'E_INVALID_ARGUMENT'),
        [],
      );
    },
  };
}

function dryRunCase(open: () => ToolWorld, tool: Tool): ToolCase {
  const examples = (tool.examples ?? []).filter(({ fails }) => fails === undefined);
  return {
    name: `${tool.name}: a dry run changes nothing, and its plan is done exactly so, once`,
    async run() {
      assert.notEqual(examples.length, 0, 'there is no example that succeeds');
      for (const example of examples) {
        await within(open, async (world, ask) => {
          await world.prepare?.(tool.name, example);
          const before = JSON.stringify(world.snapshot?.());
          const tried = dataOf(await ask(tool.name, { ...example.input, dryRun: true }));
          assert.equal(JSON.stringify(world.snapshot?.()), before, 'the dry run changed something');
          const { planToken } = tried;
          const done = dataOf(await ask(tool.name, { ...example.input, planToken }));
          assert.deepEqual(done['changes'], tried['changes']);
          const again = await ask(tool.name, { ...example.input, planToken });
          assert.equal(again.error?.code, 'E_CONFLICT', 'a plan was applied twice');
        });
      }
    },
  };
}

function lintCase(tools: readonly Tool[]): ToolCase {
  return {
    name: 'the linter finds no error',
    async run() {
      const set = toolSet(tools, { contract: governed({ lint: 'off' }) });
      const findings = lintTools(set.manifests()).filter(({ level }) => level === 'error');
      assert.deepEqual(
        findings.map(({ tool, rule, message }) => `${tool}: ${rule}: ${message}`),
        [],
      );
    },
  };
}

type Ask = (name: string, args: object) => Promise<Envelope>;

/** The servers of tools that several worlds share: their schemas are compiled once. */
const servers = new WeakMap<readonly Tool[], Server>();

function serverOf(tools: readonly Tool[]): Server {
  const known = servers.get(tools);
  if (known !== undefined) return known;
  const visible = ['core', 'advanced', 'internal'] as const;
  const governance = { checkResults: true, lint: 'off', visible } as const;
  const set = toolSet(tools, { contract: governed(governance), logger: silentLogger });
  const server = createServer({ name: 'test', version: '1', features: [set] });
  servers.set(tools, server);
  return server;
}

/** Serves a fresh world, with every answer checked against its schema, for as long as it is used. */
async function within(
  open: () => ToolWorld,
  use: (world: ToolWorld, ask: Ask) => Promise<void>,
): Promise<void> {
  const world = open();
  const client = connectInMemory(serverOf(world.tools));
  try {
    await client.initialize();
    await use(world, async (name, args) => {
      const result = await client.request('tools/call', { name, arguments: args });
      return (result as CallToolResult).structuredContent as Envelope;
    });
  } finally {
    await client.close();
    await world.close?.();
  }
}

function dataOf({ data, error }: Envelope): Record<string, unknown> {
  assert.equal(error, null, error?.message);
  return data as Record<string, unknown>;
}
