import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openHeadless } from '@mcp-kit/cocos/backend';
import { openProject } from '@mcp-kit/cocos/project';
import { openCocosServer } from '@mcp-kit/cocos/tools';
import { openSession } from 'mcp-kit/client';
import { memoryTarget } from 'mcp-kit/testing';
import type { Envelope } from 'mcp-kit/tools';
import { describe, expect, test } from 'vitest';
import { callAndDie, untilKnown } from '../support/cocos/killed.ts';
import { TestProject } from '../support/cocos/project.ts';
import { raceWithSaver } from '../support/cocos/saver.ts';
import { CocosWorld } from '../support/cocos/world.ts';

const rounds = Number(process.env['COCOS_ROUNDS'] ?? 300);

describe('A project that others write as well', () => {
  test('loses none of their saves in place', async () => {
    using game = new TestProject({ 'assets/data/a.json': '0' });
    const { lost, saved, done, refused } = await raceWithSaver(game, 'in place', rounds);
    console.log(`in place: ${saved} saves beside ${done} writes, ${refused} refused, ${lost} lost`);
    expect(done + refused).toBe(rounds);
    expect(lost).toBe(0);
  });

  test('hardly ever loses one by rename: two system calls are between look and replacement', async () => {
    using game = new TestProject({ 'assets/data/a.json': '0' });
    const { lost, saved, done, refused } = await raceWithSaver(game, 'by rename', rounds);
    console.log(
      `by rename: ${saved} saves beside ${done} writes, ${refused} refused, ${lost} lost`,
    );
    expect(lost).toBeLessThanOrEqual(Math.ceil(rounds / 50));
  });

  test('is not blocked by a ticket of another machine whose clock is ahead', async () => {
    const holder = { pid: 1, host: 'elsewhere', place: 'x', start: 1 };
    const ticket = 'local/mcp-kit/lock/ticket-7';
    using game = new TestProject({ [ticket]: JSON.stringify(holder) });
    const future = new Date(Date.now() + 1e9);
    utimesSync(path.join(game.folder, ticket), future, future);
    using project = await openProject(game.folder, { lockWaitMs: 60_000 });
    const draft = project.draft();
    draft.write('assets/data/a.json', '1');
    expect(await project.commit(draft, 'x')).toBeDefined();
  });
});

describe('A process killed at any moment of a call with a key', () => {
  const scenePath = 'assets/scenes/main.scene';
  const node = { scenePath, parentUuid: 'Canvas' };

  test.each([
    ['create_scene_node', node],
    ['workflow_create_ui_node_with_components', { ...node, components: ['cc.Sprite'] }],
  ])('has %s done with its key, or neither', async (tool, given) => {
    await using world = new CocosWorld();
    const named = async (name: string): Promise<string[]> => {
      await using backend = await openHeadless(world.folder);
      return (await backend.findNodes(scenePath, { name })).map(({ nodeUuid }) => nodeUuid);
    };
    let step = 0;
    for (; ; step += 1) {
      const name = `Chair ${String(step).padStart(3, '0')}`;
      const args = { ...given, name, idempotencyKey: name };
      const outcome = await callAndDie(world.folder, { tool, args, step });
      if (outcome !== 'killed') break;
      const left = await named(name);
      const again = await untilKnown(async () => {
        const answer = await callAndDie(world.folder, { tool, args, step: 'never' });
        if (answer === 'killed') throw new Error('it was not to be killed');
        return answer;
      });
      expect(again.error).toBeNull();
      expect(again.meta.replayed === true).toBe(left.length === 1);
      expect(await named(name)).toEqual([(again.data as { nodeUuid: string }).nodeUuid]);
    }
    expect(step).toBeGreaterThan(6);
  });

  test('and where there is no room for more keys, calls without one go on', async () => {
    await using world = new CocosWorld();
    const folder = path.join(world.folder, 'local/mcp-kit/keys');
    mkdirSync(folder, { recursive: true });
    const untilMs = Date.now() + 1e6;
    for (let count = 0; count < 4096; count += 1) {
      const name = count.toString(16).padStart(32, '0');
      const text = JSON.stringify({ key: name, value: '', untilMs: count === 0 ? 1 : untilMs });
      writeFileSync(path.join(folder, `${name}.json`), text);
    }
    await using cocos = await openCocosServer({ project: world.folder });
    const session = await openSession(memoryTarget(cocos.server));
    const ask = async (args: object) =>
      (await session.callTool('create_scene_node', { ...args })).structuredContent as Envelope;
    const keyed = (idempotencyKey: string) => ({ ...node, name: 'Chair', idempotencyKey });
    expect((await ask(keyed('a'))).success).toBe(true);
    expect((await ask(keyed('b'))).error).toMatchObject({
      code: 'E_UNAVAILABLE',
    });
    expect((await ask({ ...node, name: 'Chair' })).success).toBe(true);
    expect(readdirSync(folder)).toHaveLength(4096);
    await session.close();
  });
});
