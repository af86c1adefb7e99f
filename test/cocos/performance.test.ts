import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { openCocosServer } from '@mcp-kit/cocos/tools';
import { openSession } from 'mcp-kit/client';
import { memoryTarget } from 'mcp-kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { measuredCalls, targets } from '../../bench/lib/cocos/calls.mjs';
import { largeScene, makeLargeProject } from '../../bench/lib/cocos/project.mjs';
import { inMemory } from '../support/cocos/project.ts';
import { cpuMsOf } from '../support/cpu-time.ts';
import { scaled } from '../support/scale.ts';

const scratch = mkdtempSync(path.join(inMemory, 'cocos-performance-'));
const project = path.join(scratch, 'project');
/** The first two compile, and read what the next have at hand. */
const rounds = 4;
/** A part of it where somebody waits: most of the time goes into making it. */
const size = { nodes: Math.max(500, scaled(5000)), assets: Math.max(1000, scaled(2000)) };

let made: { readonly nodes: number; readonly assets: number };

beforeAll(async () => {
  mkdirSync(project);
  made = await makeLargeProject(project, size);
}, 300_000);

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe(`a project with a scene of ${size.nodes} nodes and ${size.assets} assets`, () => {
  test('is what is measured', () => {
    expect(made.nodes).toBeGreaterThanOrEqual(size.nodes);
    expect(made.assets).toBeGreaterThanOrEqual(size.assets);
    const kinds = measuredCalls(scratch).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== 'workflow').length).toBeGreaterThanOrEqual(20);
    expect(kinds.filter((kind) => kind === 'workflow')).toHaveLength(6);
  });

  test(
    'is worked on in good time, by every tool that is used much',
    { timeout: 600_000 },
    async () => {
      await using served = await openCocosServer({
        project,
        headless: { imageFolders: [scratch] },
        governance: { visible: ['core', 'advanced'] },
      });
      await using session = await openSession(memoryTarget(served.server));
      const calls = measuredCalls(scratch);
      const quickest = new Map(calls.map(({ tool }) => [tool, Infinity]));
      await session.callTool('execute_scene_open', { scenePath: largeScene });
      for (let round = 0; round < rounds; round++) {
        for (const { tool, argumentsIn } of calls) {
          const ms = await cpuMsOf(async () => {
            const { structuredContent } = await session.callTool(tool, argumentsIn(round));
            expect({ tool, structuredContent }).toMatchObject({
              structuredContent: { success: true },
            });
          });
          quickest.set(tool, Math.min(quickest.get(tool) ?? Infinity, ms));
        }
      }
      const slow = calls.filter(({ tool, kind }) => (quickest.get(tool) ?? 0) > targets[kind]);
      expect(slow.map(({ tool }) => `${tool}: ${quickest.get(tool)?.toFixed(0)} ms`)).toEqual([]);
    },
  );
});
