import { afterEach, beforeEach } from 'vitest';
import { type CocosClient, connectCocos } from './client.ts';
import { CocosWorld } from './world.ts';

/** The project of the test that runs, and a client of its server. */
export let world: CocosWorld;
export let client: CocosClient;

/** Lets every test of a file have a new project and a client, with a scene open where one is named. */
export function newWorldForEach(scenePath?: string): void {
  beforeEach(async () => {
    world = new CocosWorld();
    client = await connectCocos(world.backend);
    if (scenePath !== undefined) await client.succeed('execute_scene_open', { scenePath });
  });

  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });
}

/** The paths of the nodes that a query finds. */
export async function nodePaths(query: object): Promise<string[]> {
  const { nodes } = await client.succeed('find_scene_nodes', query);
  return (nodes as { path: string }[]).map((node) => node.path);
}
