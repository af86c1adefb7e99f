import { all } from '@mcp-kit/cocos/backend';
import { cocosToolList, cocosTools } from '@mcp-kit/cocos/tools';
import { toolContract, type ToolWorld } from 'mcp-kit/testing';
import type { ToolExample } from 'mcp-kit/tools';
import { afterAll, describe, expect, test } from 'vitest';
import { connectCocos } from '../support/cocos/client.ts';
import { forwarding } from '../support/cocos/forwarding.ts';
import { CocosWorld, prepareExample } from '../support/cocos/world.ts';
import { oneIn } from '../support/scale.ts';

let current: CocosWorld;
const tools = cocosToolList(forwarding('headless', () => current.backend));

/** A fresh copy of the sample, which the examples are about. */
function open(): ToolWorld {
  const world = CocosWorld.ofSample();
  current = world;
  return {
    tools,
    snapshot: () => world.snapshot(),
    prepare: (_tool, example) => prepareExample(world, example),
    close: () => world[Symbol.asyncDispose](),
  };
}

/** All but the examples one by one, which are called below as a client calls them. */
const contract = toolContract(open).filter(({ name }) => !/: example \d/.test(name));

describe('every tool of the Cocos pack keeps its contract', () => {
  oneIn(2)(contract)('$name', ({ run }) => run());
});

/** What every tool of every layer says of itself, those included that come with the engine. */
async function allManifests() {
  await using world = CocosWorld.ofSample();
  return cocosTools(world.backend).manifests();
}

const manifests = await allManifests();

const cases = manifests.flatMap((manifest) =>
  (manifest.examples ?? []).map((example, index) => ({
    ...manifest,
    example,
    number: index + 1,
    ends: example.fails ?? 'success',
  })),
);

/** What changes no file of a project that is not open in an editor. */
const opensOrSaves = new Set([
  'execute_scene_open',
  'execute_scene_save',
  'workflow_open_scene_and_validate',
]);

describe('an example that a server tells, on a fresh copy of the sample', () => {
  let ran = 0;
  /** A copy that is as it was made, though others have looked at it. */
  let untouched: CocosWorld | undefined;

  /** A fresh copy, which is kept for the next where `isKept` says so at the end. */
  const use = (isKept: () => boolean): AsyncDisposable & { readonly world: CocosWorld } => {
    const world = untouched ?? CocosWorld.ofSample();
    untouched = undefined;
    const dispose = async (): Promise<void> => {
      if (isKept()) untouched = world;
      else await world[Symbol.asyncDispose]();
    };
    return { world, [Symbol.asyncDispose]: dispose };
  };

  afterAll(() => untouched?.[Symbol.asyncDispose]());

  test.each(cases)('of $name, number $number, ends with $ends', async (manifest) => {
    const { name, example, safety, supportsDryRun } = manifest;
    let isKept = false;
    await using used = use(() => isKept);
    const { world } = used;
    await prepareExample(world, example);
    await using client = await connectCocos(world.backend);
    // A first call, which is remembered: those that tell of tools and calls are not.
    await client.succeed('get_project_info');
    const told = await client.succeed('get_tool_manifest', { name });
    expect(told['examples']).toContainEqual(example);

    const writes = safety !== 'readonly' && example.fails === undefined && !opensOrSaves.has(name);
    const known = new Set(writes ? await findingsOf(world) : []);
    const before = world.snapshot();
    const ending = endingOf(example);
    for (const dry of supportsDryRun ? [{ ...example.input, dryRun: true }] : []) {
      expect((await client.ask(name, dry)).error).toEqual(ending);
      expect(world.snapshot()).toEqual(before);
    }
    expect((await client.ask(name, example.input)).error).toEqual(ending);
    expect(JSON.stringify(world.snapshot()) !== JSON.stringify(before)).toBe(writes);
    const found = writes ? await findingsOf(world) : [];
    expect(found.filter((each) => !known.has(each))).toEqual([]);
    isKept = !writes && example.title?.startsWith('After ') !== true;
    ran += 1;
  });

  test('is never left out: as many ran as are told', async () => {
    const told = await toldExamples();
    expect(ran).toBe(told.flatMap(({ examples }) => examples).length);
  });

  test('is there for every tool; workflows have two that succeed, for different purposes', async () => {
    const told = await toldExamples();
    expect(told.map(({ name }) => name)).toEqual(manifests.map(({ name }) => name));
    const purposes = ({ examples }: Told): Set<string | undefined> =>
      new Set(examples.filter(({ fails }) => fails === undefined).map(({ title }) => title));
    const tooFew = told.filter((tool) =>
      tool.name.startsWith('workflow_') ? purposes(tool).size < 2 : tool.examples.length === 0,
    );
    expect(tooFew.map(({ name }) => name)).toEqual([]);
  });
});

/** What is to be seen in the place of an error. */
const endingOf = ({ fails }: ToolExample): unknown =>
  fails === undefined ? null : expect.objectContaining({ code: fails });

/** All that is wrong with a project, each as a line. */
async function findingsOf({ backend }: CocosWorld): Promise<string[]> {
  const findings = await backend.validate(all);
  return findings.map(({ code, file, message }) => `${code} ${file}: ${message}`);
}

interface Told {
  readonly name: string;
  readonly examples: readonly ToolExample[];
}

/** The examples of all tools, page by page, as a client reads them. */
async function toldExamples(): Promise<readonly Told[]> {
  await using world = CocosWorld.ofSample();
  await using client = await connectCocos(world.backend);
  const told: Told[] = [];
  let offset: unknown = 0;
  while (offset !== undefined) {
    const page = await client.succeed('get_tool_manifest', { full: true, offset });
    expect(JSON.stringify(page).length).toBeLessThanOrEqual(20_480);
    told.push(...(page['tools'] as readonly Told[]));
    offset = page['nextOffset'];
  }
  return told;
}
