import { openEditorBackend, openFakeEditor } from '@mcp-kit/cocos/backend';
import { openCocosServer } from '@mcp-kit/cocos/tools';
import { openSession } from 'mcp-kit/client';
import { memoryTarget } from 'mcp-kit/testing';
import type { Envelope } from 'mcp-kit/tools';
import { expect, test } from 'vitest';
import { CocosWorld } from '../../support/cocos/world.ts';

const scenePath = 'assets/scenes/main.scene';

test.each([
  ['the scene in the editor', 'create_scene_node', { parentUuid: 'Canvas', name: 'Chair' }],
  ['a file', 'create_scene_asset', { assetPath: 'assets/scenes/other.scene' }],
])('the key of a write to %s that was undone says so', async (_, tool, args) => {
  await using world = new CocosWorld();
  await using editor = await openFakeEditor(world.folder, { scene: scenePath });
  await using backend = await openEditorBackend(editor, world.folder, { timeoutMs: 5000 });
  await using cocos = await openCocosServer({ project: backend });
  await using session = await openSession(memoryTarget(cocos.server));
  const ask = async (name: string, given: object): Promise<Envelope> =>
    (await session.callTool(name, { ...given })).structuredContent as Envelope;
  const keyed = { ...args, idempotencyKey: 'k' };
  expect(await ask(tool, keyed)).toMatchObject({ success: true });
  expect(await ask(tool, keyed)).toMatchObject({ success: true, meta: { replayed: true } });
  expect(await ask('execute_project_undo', {})).toMatchObject({ success: true });
  const { error } = await ask(tool, keyed);
  expect(error).toMatchObject({ code: 'E_CONFLICT', message: expect.stringContaining('undone') });
  expect(await ask(tool, { ...args, idempotencyKey: 'l' })).toMatchObject({ success: true });
});
