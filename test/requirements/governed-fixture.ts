import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'mcp-kit/internal';
import type { CallToolResult, Tool as ListedTool } from 'mcp-kit/protocol';
import { createServer, type Server } from 'mcp-kit/server';
import { connectInMemory, type InMemoryClient } from 'mcp-kit/testing';
import { fail, tool, toolSet, type Change, type Envelope, type Tool } from 'mcp-kit/tools';
import {
  applied,
  batchSchema,
  governed,
  runBatch,
  type GovernanceOptions,
} from 'mcp-kit/tools/governed';

interface Point {
  x: number;
  y: number;
  z: number;
}

interface SceneNode {
  name: string;
  parentUuid: string | null;
  position: Point;
}

/** A small world to govern: a tree of nodes, and how often it was written to. */
export class Scene {
  readonly nodes = new Map<string, SceneNode>();
  writes = 0;
  /** What is written out has nowhere to go. */
  diskAway = false;

  constructor() {
    this.nodes.set('root', { name: 'Root', parentUuid: null, position: { x: 0, y: 0, z: 0 } });
    this.nodes.set('lamp', { name: 'Lamp', parentUuid: 'root', position: { x: 1, y: 2, z: 3 } });
  }

  find(nodeUuid: string): SceneNode {
    const node = this.nodes.get(nodeUuid);
    if (node === undefined) throw fail('E_NOT_FOUND', `There is no node "${nodeUuid}".`);
    return node;
  }

  snapshot(): string {
    return JSON.stringify([...this.nodes]);
  }
}

const point = {
  type: 'object',
  description: 'Where it is, in metres.',
  properties: { x: { type: 'number' }, y: { type: 'number' }, z: { type: 'number' } },
  required: ['x', 'y', 'z'],
  additionalProperties: false,
} as const;
const nodeUuid = { type: 'string', description: 'Which node.' } as const;
const closed = { type: 'object', additionalProperties: false } as const;

/** Tools of every kind on a scene. */
export function sceneTools(scene: Scene): readonly Tool[] {
  return [
    tool({
      name: 'get_node_info',
      description: 'Returns a node.',
      layer: 'core',
      category: 'node',
      safety: 'readonly',
      errors: { E_NOT_FOUND: 'There is no such node.' },
      examples: [
        { input: { nodeUuid: 'lamp' } },
        { input: { nodeUuid: 'x' }, fails: 'E_NOT_FOUND' },
      ],
      input: { ...closed, properties: { nodeUuid }, required: ['nodeUuid'] },
      output: {
        type: 'object',
        properties: { name: { type: 'string' }, position: point },
        required: ['name', 'position'],
      },
      run({ nodeUuid: uuid }) {
        const { name, position } = scene.find(uuid);
        return { name, position };
      },
    }),
    tool({
      name: 'set_node_position',
      description: 'Puts a node somewhere.',
      layer: 'core',
      category: 'node',
      safety: 'mutating',
      idempotent: true,
      prerequisites: ['sceneReady=true'],
      errors: { E_NOT_FOUND: 'There is no such node.' },
      examples: [
        { input: { nodeUuid: 'lamp', position: { x: 1, y: 1, z: 1 } } },
        { input: { nodeUuid: 'x', position: { x: 1, y: 1, z: 1 } }, fails: 'E_NOT_FOUND' },
      ],
      input: {
        ...closed,
        properties: { nodeUuid, position: point },
        required: ['nodeUuid', 'position'],
      },
      output: { type: 'object', properties: { after: point }, required: ['after'] },
      plan({ nodeUuid: uuid, position }) {
        const { position: from } = scene.find(uuid);
        const changes = [{ type: 'update', target: uuid, field: 'position', from, to: position }];
        return { changes, state: from, uuid, position };
      },
      apply({ uuid, position }) {
        scene.find(uuid).position = position;
        scene.writes += 1;
        return { after: position };
      },
    }),
    tool({
      name: 'create_node_child',
      description: 'Adds a node below another.',
      layer: 'core',
      category: 'node',
      safety: 'mutating',
      errors: { E_NOT_FOUND: 'There is no such parent.', E_CONFLICT: 'The name is taken.' },
      examples: [
        { input: { parentUuid: 'root', name: 'Chair' } },
        { input: { parentUuid: 'x', name: 'Chair' }, fails: 'E_NOT_FOUND' },
        { input: { parentUuid: 'root', name: 'Lamp' }, fails: 'E_CONFLICT' },
      ],
      input: {
        ...closed,
        properties: {
          parentUuid: { type: 'string', description: 'Below which node.' },
          name: { type: 'string', description: 'Its name.', minLength: 1 },
        },
        required: ['parentUuid', 'name'],
      },
      output: {
        type: 'object',
        properties: { nodeUuid: { type: 'string' } },
        required: ['nodeUuid'],
      },
      plan({ parentUuid, name }, context) {
        scene.find(parentUuid);
        const siblings = [...scene.nodes.values()].filter((node) => node.parentUuid === parentUuid);
        if (siblings.some((node) => node.name === name)) {
          throw fail('E_CONFLICT', `"${name}" is there already.`);
        }
        const uuid = context.newId('node');
        const changes = [{ type: 'create', target: uuid, to: { parentUuid, name } }];
        return { changes, state: siblings.map((node) => node.name), uuid, parentUuid, name };
      },
      apply({ uuid, parentUuid, name }) {
        scene.nodes.set(uuid, { name, parentUuid, position: { x: 0, y: 0, z: 0 } });
        scene.writes += 1;
        return { nodeUuid: uuid };
      },
    }),
    tool({
      name: 'delete_node_tree',
      description: 'Deletes a node and all below it.',
      layer: 'core',
      category: 'node',
      safety: 'destructive',
      riskLevel: 'high',
      errors: { E_NOT_FOUND: 'There is no such node.', E_PRECONDITION_FAILED: 'It is the root.' },
      examples: [
        { input: { nodeUuid: 'lamp' } },
        { input: { nodeUuid: 'x' }, fails: 'E_NOT_FOUND' },
        { input: { nodeUuid: 'root' }, fails: 'E_PRECONDITION_FAILED' },
      ],
      input: { ...closed, properties: { nodeUuid }, required: ['nodeUuid'] },
      plan({ nodeUuid: uuid }) {
        const node = scene.find(uuid);
        if (node.parentUuid === null) throw fail('E_PRECONDITION_FAILED', 'The root stays.');
        return { changes: [{ type: 'delete', target: uuid, from: node.name }], state: node, uuid };
      },
      apply({ uuid }) {
        scene.nodes.delete(uuid);
        scene.writes += 1;
      },
    }),
    ...furtherTools(scene),
  ];
}

function furtherTools(scene: Scene): readonly Tool[] {
  const names = { type: 'array', items: { type: 'string' }, description: 'Which nodes.' } as const;
  return [
    tool({
      name: 'update_node_names',
      description: 'Gives several nodes another name.',
      layer: 'core',
      category: 'node',
      safety: 'mutating',
      errors: {},
      examples: [{ input: { nodeUuids: ['lamp'], name: 'Light' } }],
      input: {
        ...closed,
        properties: {
          nodeUuids: names,
          name: { type: 'string', description: 'The name.' },
          stopOnError: { type: 'boolean', description: 'Default: false.' },
        },
        required: ['nodeUuids', 'name'],
      },
      output: {
        type: 'object',
        properties: batchSchema(),
        required: ['succeeded', 'failed', 'skipped'],
      },
      plan({ nodeUuids, name, stopOnError = false }) {
        const changes = nodeUuids.map((target) => {
          const from = scene.nodes.get(target)?.name;
          return { type: 'update', target, field: 'name', ...(from && { from }), to: name };
        });
        return { changes, nodeUuids, name, stopOnError };
      },
      async apply({ changes, nodeUuids, name, stopOnError }, context) {
        const report = await runBatch({
          items: nodeUuids,
          name: (uuid) => uuid,
          onError: stopOnError ? 'stop' : 'continue',
          context,
          work(uuid) {
            scene.find(uuid).name = name;
            scene.writes += 1;
          },
        });
        const done = new Set(report.succeeded.map(({ item }) => item));
        return applied(
          report,
          changes.filter(({ target }: Change) => done.has(target)),
        );
      },
    }),
    tool({
      name: 'execute_scene_export',
      description: 'Writes the scene out; cannot be tried.',
      layer: 'advanced',
      category: 'scene',
      safety: 'mutating',
      supportsDryRun: false,
      riskLevel: 'low',
      prerequisites: ['sceneReady=true'],
      errors: { E_UNAVAILABLE: 'The disk is away.' },
      examples: [{ input: {} }, { title: 'no disk', input: {}, fails: 'E_UNAVAILABLE' }],
      input: { ...closed, properties: {} },
      output: {
        type: 'object',
        properties: { changes: { type: 'array', items: { type: 'object' } } },
        required: ['changes'],
      },
      run() {
        if (scene.diskAway) throw fail('E_UNAVAILABLE', 'The disk is away.');
        scene.writes += 1;
        return { changes: [{ type: 'create', target: 'scene.json' }] };
      },
    }),
    tool({
      name: 'execute_scene_wait',
      description: 'Takes its time.',
      layer: 'internal',
      category: 'scene',
      safety: 'mutating',
      supportsDryRun: false,
      errors: {},
      input: {
        ...closed,
        properties: { ms: { type: 'integer', description: 'How long, in milliseconds.' } },
        required: ['ms'],
      },
      output: {
        type: 'object',
        properties: { changes: { type: 'array', items: { type: 'object' } } },
        required: ['changes'],
      },
      async run({ ms }, context) {
        await context.span('sleep', () => sleep(ms, undefined, { signal: context.signal }));
        scene.writes += 1;
        return { changes: [] };
      },
    }),
    tool({
      name: 'validate_scene_tree',
      description: 'Breaks, to see what a bug looks like.',
      layer: 'internal',
      category: 'scene',
      safety: 'readonly',
      errors: {},
      run() {
        throw new Error('password=hunter2');
      },
    }),
  ];
}

/** A governed server on a scene, and a client of it. */
export interface Governed {
  readonly scene: Scene;
  readonly server: Server;
  readonly client: InMemoryClient;
  readonly logged: readonly {
    readonly level: string;
    readonly message: string;
    readonly fields: object;
  }[];
  call(name: string, args?: object, meta?: object): Promise<CallToolResult>;
  /** The envelope of a call. */
  ask(name: string, args?: object, meta?: object): Promise<Envelope>;
  list(): Promise<readonly ListedTool[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface GovernedOptions extends GovernanceOptions {
  readonly scene?: Scene;
  readonly tools?: readonly Tool[];
}

export function createGoverned({
  scene = new Scene(),
  tools,
  ...governance
}: GovernedOptions = {}): {
  readonly server: Server;
  readonly scene: Scene;
  readonly logged: { level: string; message: string; fields: object }[];
} {
  const logged: { level: string; message: string; fields: object }[] = [];
  const keep =
    (level: string) =>
    (message: string, fields: object = {}): void =>
      void logged.push({ level, message, fields });
  const logger: Logger = {
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  };
  const set = toolSet(tools ?? sceneTools(scene), {
    contract: governed({ checkResults: true, ...governance }),
    version: '2.0.0',
    logger,
  });
  return {
    server: createServer({ name: 'scene', version: '2.0.0', features: [set] }),
    scene,
    logged,
  };
}

export async function startGoverned(options: GovernedOptions = {}): Promise<Governed> {
  const { server, scene, logged } = createGoverned(options);
  const client = connectInMemory(server);
  await client.initialize();
  const call: Governed['call'] = async (name, args = {}, meta) =>
    (await client.request('tools/call', {
      name,
      arguments: args,
      ...(meta && { _meta: meta }),
    })) as CallToolResult;
  return {
    scene,
    server,
    client,
    logged,
    call,
    ask: async (...args) => (await call(...args)).structuredContent as Envelope,
    list: async () => ((await client.request('tools/list')) as { tools: ListedTool[] }).tools,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The data of a successful answer. */
export function dataOf({ data }: Envelope): Readonly<Record<string, unknown>> {
  return data as Readonly<Record<string, unknown>>;
}
