import path from 'node:path';
import { isRecord, KitError, silentLogger } from 'mcp-kit/internal';
import { connectInMemory } from 'mcp-kit/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { exitCodeOf, exitCodes } from '../../packages/mcpctl/src/exit-code.ts';
import { commandHelp } from '../../packages/mcpctl/src/help.ts';
import { commands } from '../../packages/mcpctl/src/registry.ts';
import { createSampleServer } from '../../packages/mcpctl/src/samples/server.ts';
import { Child, root } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';
import { FreshUser, isInstalled } from '../support/fresh-user.ts';
import { mcpJson, samples } from '../support/project.ts';
import { sample } from '../support/scale.ts';
import { blocks, read, tableOf } from '../support/markdown.ts';

beforeAll(requireBuild);

const page = 'docs/mcpctl.md';

/** Output as a page shows it, where `…` stands for whatever there is. */
function like(shown: string): RegExp {
  const lines = shown.split('\n').slice(0, -1);
  const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  const patterns = lines.map((line) =>
    line === '…' ? '(?:.*\n)*?' : `${line.split('…').map(literal).join('.*')}\n`,
  );
  return new RegExp(`^${patterns.join('')}`, 'm');
}

interface Step {
  readonly command: string;
  readonly exits: number;
  /** What the page shows of its output. */
  shown: string;
}

/** What is to be tried, by page and section. */
const tried = new Map<string, Step[]>();
const triedPages = [
  page,
  'docs/setup.md',
  'docs/gateway.md',
  'docs/running.md',
  'docs/skills.md',
  'docs/transcripts.md',
];
const blocksTried = triedPages.flatMap((name) =>
  blocks(read(name)).map((block) => ({ ...block, section: `${name}, ${block.section}` })),
);
for (const { info, body, section } of blocksTried) {
  const steps = tried.get(section) ?? [];
  const last = steps.at(-1);
  if (info.startsWith('sh try')) {
    const exits = Number(/exits (\d+)/.exec(info)?.[1] ?? 0);
    tried.set(section, [...steps, { command: body, exits, shown: '' }]);
  } else if (info === 'text output' && last !== undefined) {
    last.shown = body;
  }
}

const sections = sample([...tried], 3);

describe(`the commands on the pages work as they are written, ${sections.share} sections tried`, () => {
  test.for([...sections.tried])('in section %s', async ([, steps], { skip }) => {
    const needsJq = steps.some(({ command }) => command.includes('jq '));
    skip(needsJq && !isInstalled('jq'), 'jq is not installed');
    using user = new FreshUser();
    for (const { command, exits, shown } of steps) {
      const { code, stdout } = await user.run(`exec 2>&1\n${command}`);
      expect(code, `${command}\n${stdout}`).toBe(exits);
      expect(stdout).toMatch(like(shown));
    }
  });

  test('of which there are some', () => {
    expect(tried.size).toBeGreaterThanOrEqual(5);
  });
});

const documents = tableOf(read(page), 'command').filter(([, document = '']) => document !== '');
const some = sample(documents, 4);

test(`${some.share} documents of --json have the members that the page says`, async () => {
  using user = new FreshUser({ 'mcp.json': mcpJson({ demo: samples }) });
  await user.run('mcpctl trust approve demo --yes');
  const wrong: unknown[] = [];
  for (const [command = '', document = ''] of some.tried) {
    const line = command
      .replace('SERVER', 'demo')
      .replace('A B', 'demo demo')
      .replace('TOOL', 'get_time_now')
      .replace('METHOD', 'notifications/odd');
    const { stdout } = await user.run(`mcpctl ${line} --json || true`);
    const members = Object.keys(JSON.parse(stdout) as object);
    const promised = document.replaceAll(/[{}]/g, '').split(', ');
    const missing = promised.filter((name) => !name.endsWith('?') && !members.includes(name));
    const strange = members.filter(
      (name) => !promised.some((one) => one.replace('?', '') === name),
    );
    if (missing.length + strange.length > 0) wrong.push({ command, missing, strange });
  }
  expect(wrong).toEqual([]);
  expect(documents.length).toBeGreaterThan(10);
});

describe('the reference', () => {
  test('is what the definitions of the commands say', async () => {
    const script = path.join(root, 'scripts/mcpctl-docs.mjs');
    await using child = new Child(process.execPath, [script, '--check']);
    expect({ ...(await child.ended), said: child.stderr }).toMatchObject({ code: 0, said: '' });
  });

  test('has an example of every command, whose help says its name and shows it', async () => {
    const entries = Object.entries(commands).filter(([, { hidden }]) => !hidden);
    const bare = entries.map(async ([name, entry]) => {
      const help = commandHelp(name, entry, await entry.load());
      const isTold = help.startsWith(`Usage: mcpctl ${name}`);
      return isTold && new RegExp(`^  .*mcpctl ${name}`, 'm').test(help) ? [] : [name];
    });
    expect((await Promise.all(bare)).flat()).toEqual([]);
  });

  test('has every exit code', () => {
    const listed = tableOf(read(page), 'code').map(([code]) => code);
    expect(listed).toEqual([...Object.values(exitCodes).map(String), '129, 130, 143']);
    expect(exitCodeOf(new KitError('unsafe_bind', ''))).toBe(exitCodes.usage);
    expect(exitCodeOf(new KitError('address_in_use', ''))).toBe(exitCodes.failed);
  });

  test('lists every sample', async () => {
    const server = createSampleServer({ contract: 'plain', logger: silentLogger });
    const client = connectInMemory(server);
    const names = async (method: string, member: string, key: string): Promise<string[]> => {
      const result = await client.requestModern(method);
      const items: unknown = isRecord(result) ? result[member] : [];
      return Array.isArray(items)
        ? items.map((item: Record<string, unknown>) => String(item[key]))
        : [];
    };
    const served = [
      ...(await names('tools/list', 'tools', 'name')).map((name) => `tool ${name}`),
      ...(await names('resources/list', 'resources', 'uri')).map((uri) => `resource ${uri}`),
      ...(await names('resources/templates/list', 'resourceTemplates', 'uriTemplate')).map(
        (uri) => `resource template ${uri}`,
      ),
      ...(await names('prompts/list', 'prompts', 'name')).map((name) => `prompt ${name}`),
    ];
    await client.close();
    expect(tableOf(read(page), 'name').map(([name]) => name)).toEqual(served);
  });
});
