import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { readImage } from '@mcp-kit/cocos/images';
import { openCocosServer } from '@mcp-kit/cocos/tools';
import { openSession } from 'mcp-kit/client';
import { memoryTarget } from 'mcp-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inMemory } from '../support/cocos/project.ts';
import { tasks } from '../../scripts/cocos-tasks/tasks.mjs';

const sample = path.resolve(import.meta.dirname, '../../packages/cocos/sample');
/** All that a model reads of one task, without pictures. */
const mostCharacters = 25_000;

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(inMemory, 'cocos-task-'));
  cpSync(sample, folder, { recursive: true });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each(tasks)('$name is built in few calls, whose answers are short', async (task) => {
  await using cocos = await openCocosServer({ project: folder });
  await using session = await openSession(memoryTarget(cocos.server), { era: 'legacy' });
  let characters = 0;
  for (const [tool, args] of task.steps) {
    const result = await session.callTool(tool, { ...args });
    characters += JSON.stringify(result).length;
    expect(result.structuredContent, `${tool} ${JSON.stringify(args)}`).toMatchObject({
      success: true,
    });
  }
  console.log(`${task.name}: ${task.steps.length} calls, ${characters} characters`);
  expect(task.steps.length).toBeLessThanOrEqual(task.mostCalls);
  expect(characters).toBeLessThan(mostCharacters);
  const checked = await session.callTool('validate_scene_document', {});
  expect(checked.structuredContent).toMatchObject({ data: { counts: { error: 0, warning: 0 } } });
  const { content } = await session.callTool('get_scene_picture', { pixels: 320 });
  const [, image] = content;
  if (image?.type !== 'image') throw new Error('there is no image');
  expect(readImage(Buffer.from(image.data, 'base64')).width).toBe(320);
});
