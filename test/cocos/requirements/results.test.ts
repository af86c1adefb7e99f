import { renameSync } from 'node:fs';
import type { CocosBackend } from '@mcp-kit/cocos/backend';
import { openCocosServer } from '@mcp-kit/cocos/tools';
import { openSession } from 'mcp-kit/client';
import type { Logger } from 'mcp-kit';
import { memoryTarget } from 'mcp-kit/testing';
import { type Envelope, failureCodes } from 'mcp-kit/tools';
import { describe, expect, test } from 'vitest';
import { client, newWorldForEach, world } from '../../support/cocos/world-client.ts';

const scenePath = 'assets/scenes/main.scene';
const menu = { nodeUuid: 'Canvas/Menu' };

newWorldForEach(scenePath);

/** The code with which a call fails, and whether another try may help. */
const codeOf = ({ error }: Envelope): unknown => [error?.code, error?.retryable];

describe('answers of the Cocos tools', () => {
  test('have success, data, error and meta, whether they succeed or not', async () => {
    for (const answer of [
      await client.ask('get_node_info', menu),
      await client.ask('get_node_info', { nodeUuid: 'Canvas/None' }),
      await client.ask('set_node_transform', { ...menu, position: { x: 5 }, dryRun: true }),
    ]) {
      expect(Object.keys(answer)).toEqual(['success', 'data', 'error', 'meta']);
      expect(answer.success).toBe(answer.error === null);
      expect(answer.meta).toMatchObject({
        traceId: expect.stringMatching(/./),
        tool: expect.stringMatching(/_node_/),
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        durationMs: expect.any(Number),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
    }
  });

  test('succeed with success true, and fail with isError and success false', async () => {
    await using cocos = await openCocosServer({ project: world.backend });
    await using session = await openSession(memoryTarget(cocos.server));
    const done = await session.callTool('get_node_info', { ...menu, scenePath });
    expect(done.isError ?? false).toBe(false);
    expect(done.structuredContent).toMatchObject({ success: true, error: null });
    const failed = await session.callTool('get_node_info', { nodeUuid: 'None', scenePath });
    expect(failed.isError).toBe(true);
    expect(failed.structuredContent).toMatchObject({ success: false, data: null });
  });
});

describe('failures of the Cocos tools', () => {
  const unserved: Readonly<Record<string, () => Promise<Envelope>>> = {
    E_INVALID_ARGUMENT: () => client.ask('get_node_info', {}),
    E_NOT_FOUND: () => client.ask('get_node_info', { nodeUuid: 'Canvas/None' }),
    E_CONFLICT: () =>
      client.ask('create_node_component', { nodeUuid: 'Canvas/Menu/Title', type: 'cc.Sprite' }),
    async E_PRECONDITION_FAILED() {
      const assetPath = 'assets/scenes/bare.scene';
      await client.succeed('create_scene_asset', { assetPath, empty: true });
      return client.ask('create_scene_node', { scenePath: assetPath, element: 'Button' });
    },
    E_TIMEOUT: () => askOf(neverPlanning(), 'create_scene_node', { timeoutMs: 20 }),
    E_INTERNAL: () => askOf(broken(), 'get_scene_tree', {}),
    async E_UNAVAILABLE() {
      await client.succeed('get_project_info');
      renameSync(world.folder, `${world.folder}-away`);
      try {
        return await client.ask('get_project_info');
      } finally {
        renameSync(`${world.folder}-away`, world.folder);
      }
    },
  };

  /** A call of a server that works on another way to the project. */
  async function askOf(project: CocosBackend, name: string, args: object): Promise<Envelope> {
    await using cocos = await openCocosServer({ project });
    await using session = await openSession(memoryTarget(cocos.server));
    const { structuredContent } = await session.callTool(name, { scenePath, ...args });
    return structuredContent as Envelope;
  }

  const otherwise = (methods: object): CocosBackend =>
    new Proxy(world.backend, {
      get: (backend, name, receiver) =>
        Reflect.has(methods, name)
          ? Reflect.get(methods, name)
          : Reflect.get(backend, name, receiver),
    });
  const neverPlanning = (): CocosBackend => otherwise({ plan: () => new Promise(() => {}) });
  const broken = (): CocosBackend =>
    otherwise({
      tree() {
        throw new TypeError('a bug');
      },
    });

  test.each(Object.entries(failureCodes))(
    '%s is answered by a call',
    async (code, { retryable }) => {
      const answer = await unserved[code]?.();
      expect(answer && codeOf(answer)).toEqual([code, retryable]);
      expect(answer?.data).toBeNull();
    },
  );

  test('are of all the codes that there are', () => {
    expect(Object.keys(unserved)).toEqual(Object.keys(failureCodes));
  });

  test('say what is wrong and what to do, for people and programs', async () => {
    const error = await client.fail('get_node_info', { nodeUuid: 'Canvas/Menus' });
    expect(error.message).toContain('Canvas/Menus');
    expect(error.suggestion).toMatch(/\bMenu\b/);
  });
});

describe('writes of the Cocos tools', () => {
  test('that are tried tell what would change, and change nothing', async () => {
    const before = world.snapshot();
    const tried = await client.succeed('delete_scene_node', { ...menu, dryRun: true });
    expect(tried).toMatchObject({ dryRun: true, changes: [expect.anything()] });
    expect(world.snapshot()).toEqual(before);
  });

  test.each([
    ['delete_scene_node', menu],
    ['delete_node_component', { componentUuid: 'Canvas/Menu/Title:cc.Label' }],
    ['delete_asset_file', { assetPath: 'assets/images/spare.png' }],
    ['execute_scene_edits', { edits: [{ tool: 'delete_scene_node', arguments: menu }] }],
  ])('%s tells its risk, tried and done', async (name, args) => {
    const riskLevel = expect.stringMatching(/^(low|medium|high)$/);
    expect(await client.succeed(name, { ...args, dryRun: true })).toMatchObject({ riskLevel });
    expect(await client.succeed(name, args)).toMatchObject({ riskLevel });
  });

  test.each([
    ['create_scene_node', { parentUuid: 'Canvas', name: 'New' }],
    ['update_node_info', { ...menu, name: 'Other' }],
    ['set_component_properties', { componentUuid: 'Canvas/Menu/Title:cc.Label', enabled: false }],
    ['move_asset_file', { assetPath: 'assets/images/spare.png', targetPath: 'assets/spare.png' }],
    ['workflow_safe_set_transform', { ...menu, position: { x: 7 } }],
    ['execute_scene_edits', { edits: [{ tool: 'delete_scene_node', arguments: menu }] }],
  ])('%s answers with what it changed, as it was told before', async (name, args) => {
    const { changes } = await client.succeed(name, { ...args, dryRun: true });
    const done = await client.succeed(name, args);
    expect(done['changes']).toHaveLength((changes as unknown[]).length);
    expect(done['changes']).not.toEqual([]);
  });

  test('of many edits tell which succeeded, failed and were skipped', async () => {
    const edit = (node: string): object => ({
      tool: 'update_node_info',
      arguments: { nodeUuid: node, active: false },
    });
    const edits = [edit('Canvas/Menu'), edit('Canvas/None'), edit('Canvas/Item')];
    const done = await client.succeed('execute_scene_edits', { edits, onError: 'stop' });
    expect(done['succeeded']).toHaveLength(1);
    expect(done['failed']).toHaveLength(1);
    expect(done['skipped']).toHaveLength(1);
  });
});

describe('traces of the Cocos tools', () => {
  test('have an id in every answer, each another', async () => {
    const answers = [
      await client.ask('get_project_info'),
      await client.ask('get_project_info'),
      await client.ask('get_node_info', { nodeUuid: 'None' }),
    ];
    expect(new Set(answers.map(({ meta }) => meta.traceId)).size).toBe(3);
  });

  test('are in the log: arguments in short, duration, outcome, error', async () => {
    const logged: Readonly<Record<string, unknown>>[] = [];
    const note = (message: string, fields: object = {}): void => {
      logged.push({ message, ...fields });
    };
    const logger: Logger = { debug: note, info: note, warn: note, error: note };
    await using cocos = await openCocosServer({ project: world.backend, logger });
    await using session = await openSession(memoryTarget(cocos.server));
    const failed = await session.callTool('get_node_info', { scenePath, nodeUuid: 'None' });
    const { meta } = failed.structuredContent as Envelope;
    const [entry] = logged.filter(({ traceId }) => traceId === meta.traceId);
    expect(entry).toMatchObject({
      tool: 'get_node_info',
      durationMs: expect.any(Number),
      success: false,
      errorCode: 'E_NOT_FOUND',
      argsSummary: { nodeUuid: 'None' },
    });
  });

  test('are told by get_trace_by_id, of a call by its id and of the last one', async () => {
    const { meta } = await client.ask('get_node_info', { nodeUuid: 'None' });
    const trace = { tool: 'get_node_info', success: false, errorCode: 'E_NOT_FOUND' };
    expect(await client.succeed('get_trace_by_id', { traceId: meta.traceId })).toMatchObject(trace);
    await client.ask('get_node_info', menu);
    expect(await client.succeed('get_trace_by_id')).toMatchObject({
      ...trace,
      success: true,
      errorCode: null,
    });
  });
});
