import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { adHocEntry, createManager, type Manager } from '@mcp-kit/host';
import { gateway } from '@mcp-kit/host/gateway';
import { openSession } from 'mcp-kit/client';
import type { Target } from 'mcp-kit/protocol';
import { createServer, prompts, resources } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { expect, onTestFinished, test } from 'vitest';
import { inMemory, namesOf, silent } from './memory.ts';

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-known-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The order of what it lists depends on `order`. */
function docs(order: readonly string[] = ['b', 'a']): Target {
  const tools = order.map((name) => tool({ name, description: name, run: () => name }));
  const template = { uriTemplate: 'page:{name}', name: 'pages', read: () => 'a page' };
  const server = createServer({
    name: 'docs',
    version: '1',
    instructions: 'Ask for pages.',
    features: [
      toolSet(tools),
      prompts([{ name: 'greet', get: () => ({ messages: [] }) }]),
      resources({
        resources: [{ uri: 'a:1', name: 'one', read: () => '1' }],
        templates: [template],
      }),
    ],
  });
  return inMemory(server, 'docs');
}

const managerOf = (folder: string, target: Target, trust?: 'untrusted'): Manager =>
  createManager({
    entries: [adHocEntry({ unix: 'docs' }, 'docs')],
    targets: { docs: target },
    trust: trust ?? 'trusted',
    receipts: false,
    toolCache: folder,
  });

/** Lets a server be seen once; the hash of all it has. */
async function seen(folder: string, target: Target): Promise<string> {
  await using manager = managerOf(folder, target);
  await using service = gateway(manager, { waitMs: 60_000 });
  await expect.poll(() => service.status().servers[0]?.listing).toBe('live');
  // It is kept beside what clients wait for.
  await expect.poll(() => manager.server('docs').recalledOthers()).toBeDefined();
  return service.catalog().hash;
}

test('all that a server had is listed at once after a restart, with the same hash', async () => {
  const folder = await temporaryFolder();
  const hash = await seen(folder, docs());
  await using manager = managerOf(folder, silent());
  await using service = gateway(manager, { waitMs: 3_600_000 });
  await service.settled();
  await using session = await openSession(inMemory(service, 'gateway'), { era: 'modern' });
  expect(await namesOf(session)).toEqual(['docs__a', 'docs__b']);
  expect(service.status()).toMatchObject({
    hash,
    servers: [{ listing: 'cache', tools: 2, prompts: 1, resources: 1, templates: 1 }],
  });
  expect((await session.listPrompts()).prompts).toMatchObject([{ name: 'docs__greet' }]);
  expect((await session.listResources()).resources).toMatchObject([{ uri: 'a:1' }]);
  const { resourceTemplates } = await session.listResourceTemplates();
  expect(resourceTemplates).toMatchObject([{ uriTemplate: 'page:{name}' }]);
  expect(session.instructions).toContain('Ask for pages.');
});

test('the order in which a server lists its tools changes neither the list nor its hash', async () => {
  const [one, other] = [await temporaryFolder(), await temporaryFolder()];
  expect(await seen(one, docs(['a', 'b']))).toBe(await seen(other, docs(['b', 'a'])));
});

test('what a server had is not shown where it may not be used any more', async () => {
  const folder = await temporaryFolder();
  await seen(folder, docs());
  await using manager = managerOf(folder, silent(), 'untrusted');
  expect(await manager.server('docs').recalledOthers()).toBeUndefined();
  expect(await manager.server('docs').recalledTools()).toBeUndefined();
});
