import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createBridge } from 'mcp-kit/bridge';
import { openSession } from 'mcp-kit/client';
import { socketTarget } from 'mcp-kit/transport';
import { childTarget } from 'mcp-kit/transport/child-process';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { afterAll, describe, expect, test } from 'vitest';
import { connectCocos } from '../support/cocos/client.ts';
import { CocosWorld } from '../support/cocos/world.ts';
import { serving } from '../support/mcp-http.ts';

// Where files are on the machine of a server is nobody's business but its owner's.

const folder = mkdtempSync(path.join(tmpdir(), 'mcp-kit-place-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('clients of a bridge are not told where its server is', () => {
  test.each([
    ['a program that is not there', childTarget({ command: path.join(folder, 'missing') })],
    ['a folder that is not there', childTarget({ command: 'node', cwd: path.join(folder, 'no') })],
    [
      'a program that fails, and says where',
      childTarget({
        command: process.execPath,
        args: ['-e', `console.error('${folder}/x'); process.exit(3)`, path.join(folder, 'a')],
      }),
    ],
    ['a socket that is not there', socketTarget(path.join(folder, 'missing.sock'))],
  ])('%s', async (_what, target) => {
    await using bridge = createBridge(target);
    await using front = await serving(bridge, { profile: 'v2' });
    const told: unknown[] = [];
    for (const era of ['legacy', 'modern'] as const) {
      await openSession(httpTarget(front.url), { era }).catch((error: unknown) => {
        const { message, data, hint } = error as {
          message?: string;
          data?: unknown;
          hint?: string;
        };
        told.push({ message, data, hint });
      });
    }
    told.push(bridge.health(), await (await fetch(front.url)).text());
    expect(told).toHaveLength(4);
    expect(JSON.stringify(told)).not.toContain(folder);
    expect(JSON.stringify(told)).not.toContain(path.dirname(process.execPath));
  });
});

describe('callers of the Cocos tools are not told where the project is', () => {
  test('neither by what succeeds nor by what fails', async () => {
    await using world = new CocosWorld();
    await using client = await connectCocos(world.backend);
    const { root } = await world.backend.project();
    symlinkSync(path.join(root, 'gone'), path.join(root, 'assets', 'dangling.scene'));
    const told = [
      await client.succeed('get_project_info', {}),
      await client.fail('create_scene_asset', { assetPath: `assets/${'n'.repeat(300)}.scene` }),
      await client.fail('create_scene_asset', {
        assetPath: `assets/${'long/'.repeat(2000)}a.scene`,
      }),
      await client.fail('execute_scene_open', { scenePath: 'assets/dangling.scene' }),
    ];
    expect(JSON.stringify(told)).not.toContain(root);
  });
});
