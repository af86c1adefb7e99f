import { openCocosServer } from '@mcp-kit/cocos/tools';
import { findingRules } from '@mcp-kit/cocos/validate';
import { listSkills, readSkillFile, type Skill } from 'mcp-kit/client';
import { connectInMemory, type InMemoryClient } from 'mcp-kit/testing';
import type { Envelope } from 'mcp-kit/tools';
import { lintSkills } from 'mcp-kit/tools/inspect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProjectCopy } from '../support/cocos/sample-project.ts';

const names = ['bind-cocos-scripts', 'build-cocos-ui', 'repair-cocos-project'];

/** What the library's own client reads skills by. */
function sourceOf(client: InMemoryClient): Parameters<typeof listSkills>[0] {
  return {
    request: (method, params) => client.request(method, params),
    readResource: async (uri) => (await client.request('resources/read', { uri })) as never,
  };
}

/** A copy of the sample project, its server, and the skills that it serves. */
async function served() {
  const copy = new ProjectCopy();
  const cocos = await openCocosServer({ project: copy.folder });
  const client = connectInMemory(cocos.server);
  await client.initialize();
  return {
    client,
    source: sourceOf(client),
    async close() {
      await client.close();
      await cocos[Symbol.asyncDispose]();
      copy[Symbol.dispose]();
    },
  };
}

let world: Awaited<ReturnType<typeof served>>;
const skills = new Map<string, { readonly skill: Skill; readonly text: string }>();

beforeAll(async () => {
  world = await served();
  for await (const skill of listSkills(world.source)) {
    const text = Buffer.from(await readSkillFile(world.source, skill)).toString();
    skills.set(String(skill.frontmatter['name']), { skill, text });
  }
});
afterAll(() => world.close());

test('The pack serves three skills, in which the linter finds nothing', () => {
  expect([...skills.keys()]).toEqual(names);
  expect(lintSkills([...skills.values()])).toEqual([]);
});

test('The skill for repairs says of every finding what to do', async () => {
  const { skill } = skills.get('repair-cocos-project') ?? {};
  if (skill === undefined) throw new Error('there is no such skill');
  const uri = skill.uri.replace('SKILL.md', 'references/findings.md');
  const text = Buffer.from(await readSkillFile(world.source, skill, uri)).toString();
  const named = new Set(Array.from(text.matchAll(/`(\w+)`/g), ([, name]) => name));
  expect(Object.keys(findingRules).filter((code) => !named.has(code))).toEqual([]);
});

describe('Every call of a skill can be made as it is written, on the sample project', () => {
  test.each(names)('%s', async (name) => {
    const { text = '' } = skills.get(name) ?? {};
    const calls = Array.from(
      text.matchAll(/^```json\n([^]*?)^```$/gm),
      ([, json = '']) => JSON.parse(json) as { readonly name: string; readonly arguments: object },
    );
    expect(calls.length).toBeGreaterThan(4);
    const { client, close } = await served();
    try {
      for (const call of calls) {
        const result = await client.request('tools/call', { ...call });
        const { structuredContent } = result as { readonly structuredContent: Envelope };
        expect({ call, error: structuredContent.error }).toEqual({ call, error: null });
      }
    } finally {
      await close();
    }
  });
});

test('Every tool that a skill names is there', async () => {
  const { tools } = (await world.client.request('tools/list')) as {
    readonly tools: readonly { readonly name: string }[];
  };
  const known = new Set(tools.map((tool) => tool.name));
  for (const [, { text }] of skills) {
    const named = text.match(
      /\b(?:get|list|find|validate|create|set|update|delete|move|execute|workflow)_[a-z_]+\b/g,
    );
    expect(named?.filter((tool) => !known.has(tool))).toEqual([]);
  }
});
