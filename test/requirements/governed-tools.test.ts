import { describe, expect, test } from 'vitest';
import { tool, toolSet, type Tool } from 'mcp-kit/tools';
import { governed as govern } from 'mcp-kit/tools/governed';
import { fromListed, lintRules, lintTools, type Finding } from 'mcp-kit/tools/inspect';
import { send } from '../support/http-client.ts';
import { modern, notification, serving, startSession } from '../support/mcp-http.ts';
import { createGoverned, dataOf, Scene, sceneTools, startGoverned } from './governed-fixture.ts';

const position = { x: 5, y: 5, z: 5 };
const all = ['core', 'advanced', 'internal'] as const;

/** What the linter says of one rule about a tool that is right but for what is given. */
function found(rule: Finding['rule'], change: object): readonly string[] {
  const made = {
    name: 'get_node_info',
    description: 'Returns a node.',
    layer: 'core',
    category: 'node',
    safety: 'readonly',
    idempotent: true,
    supportsDryRun: false,
    prerequisites: [],
    examples: [{ input: {} }],
    inputSchema: { type: 'object', additionalProperties: false },
    outputSchema: { type: 'object', properties: { data: { type: 'object' } } },
    ...change,
  };
  const findings = lintTools([made as never]).filter((finding) => finding.rule === rule);
  return findings.map(({ message }) => message);
}

describe('layers', () => {
  test('only core tools are there by default', async () => {
    await using governed = await startGoverned();
    const layers = (await governed.list()).map(({ _meta }) => _meta?.['layer']);
    expect(new Set(layers)).toEqual(new Set(['core']));
  });

  test('advanced tools are there where they are wanted', async () => {
    await using governed = await startGoverned({ visible: ['core', 'advanced'] });
    const names = (await governed.list()).map(({ name }) => name);
    expect(names).toContain('execute_scene_export');
    expect(names).not.toContain('execute_scene_wait');
  });

  test('hidden tools can neither be called nor looked up', async () => {
    await using governed = await startGoverned();
    await expect(governed.call('execute_scene_export')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Unknown tool: execute_scene_export; .* layer advanced/),
    });
    await expect(governed.call('execute_scene_wait')).rejects.toMatchObject({
      message: 'Unknown tool: execute_scene_wait',
    });
    const { error } = await governed.ask('get_tool_manifest', { name: 'execute_scene_export' });
    expect(error).toMatchObject({ code: 'E_NOT_FOUND' });
    const tools = dataOf(await governed.ask('get_tool_manifest'))['tools'] as { layer: string }[];
    expect(tools.filter(({ layer }) => layer !== 'core')).toEqual([]);
    expect(governed.scene.writes).toBe(0);
  });

  test('who asks may decide what is there', async () => {
    const visible = ({ client }: { client: { era: string } }) =>
      client.era === 'modern' ? (['internal'] as const) : (['core'] as const);
    await using governed = await startGoverned({ visible });
    const newer = (await governed.client.requestModern('tools/list')) as { tools: object[] };
    expect(newer.tools).toContainEqual(expect.objectContaining({ name: 'execute_scene_wait' }));
    expect(await governed.list()).not.toContainEqual(
      expect.objectContaining({ name: 'execute_scene_wait' }),
    );
  });

  test('each caller has its own layers, at the same endpoint and in both eras', async () => {
    const visible = ({ principal }: { principal: string | undefined }) =>
      principal === 'ann' ? (['core', 'advanced'] as const) : (['core'] as const);
    const { server, scene } = createGoverned({ visible });
    const identify = (headers: Readonly<Record<string, unknown>>): string =>
      String(headers['x-user']);
    await using served = await serving(server, { identify });
    const hidden = { name: 'execute_scene_export', arguments: {} };
    for (const user of ['ann', 'bob', 'ann']) {
      const headers = { 'x-user': user };
      const session = await startSession(served.url, { headers, ready: false });
      await session.post(notification('notifications/initialized'), headers);
      const sees = user === 'ann';
      const older = await session.request('tools/list', {}, headers);
      const newer = await send(served.url, modern('tools/list', {}, { headers }));
      for (const { message } of [older, newer]) {
        const { tools } = message.result as { tools: { name: string }[] };
        expect(tools.some(({ name }) => name === hidden.name)).toBe(sees);
      }
      const called = await send(served.url, modern('tools/call', hidden, { headers }));
      expect(called.message).toHaveProperty(sees ? 'result' : 'error');
      const inSession = await session.request('tools/call', hidden, headers);
      expect(inSession.message).toHaveProperty(sees ? 'result' : 'error');
    }
    // What ann did, twice in each era.
    expect(scene.writes).toBe(4);
  });

  test('core: the linter wants an output schema and an example', () => {
    expect(found('core-output', { outputSchema: { type: 'object' } })).toHaveLength(1);
    expect(found('core-examples', { examples: [] })).toHaveLength(1);
    expect(found('core-output', {})).toEqual([]);
    expect(found('core-examples', {})).toEqual([]);
  });

  test('advanced: the linter wants a risk level and prerequisites', () => {
    expect(found('advanced-risk', { layer: 'advanced' })).toEqual(['it says no riskLevel']);
    expect(found('advanced-risk', { layer: 'advanced', riskLevel: 'low' })).toHaveLength(1);
    const complete = { layer: 'advanced', riskLevel: 'low', prerequisites: ['sceneReady=true'] };
    expect(found('advanced-risk', complete)).toEqual([]);
  });

  test('more than 40 core tools are remarked upon', () => {
    const tools = Array.from({ length: 42 }, (_, n) => ({
      name: `get_node_info${n}`,
      layer: 'core',
      inputSchema: { type: 'object' },
    }));
    const rules = lintTools(tools as never).filter(({ rule }) => rule === 'core-few');
    expect(rules.map(({ tool: made }) => made)).toEqual(['get_node_info40', 'get_node_info41']);
  });

  test('what is usual needs no other layer: read, create, set, delete are core here', async () => {
    await using governed = await startGoverned();
    const { nodeUuid } = dataOf(
      await governed.ask('create_node_child', { parentUuid: 'root', name: 'Chair' }),
    );
    await governed.ask('set_node_position', { nodeUuid, position });
    const { data } = await governed.ask('get_node_info', { nodeUuid });
    expect(data).toEqual({ name: 'Chair', position });
    expect(await governed.ask('delete_node_tree', { nodeUuid })).toMatchObject({ success: true });
  });

  test('every manifest names the layer', () => {
    const set = toolSet(sceneTools(new Scene()), { contract: govern() });
    for (const { layer } of set.manifests()) expect(all).toContain(layer);
  });
});

describe('names', () => {
  test.each(['getNode', 'get_node', 'Get_Node_Info', 'get__node_info', 'get_node_'])(
    '%s is not <verb>_<domain>_<object>',
    (name) => expect(found('name-format', { name })).toHaveLength(1),
  );

  test.each(['get_node_info', 'set_node_position_world', 'workflow_bind_script_to_node'])(
    '%s is',
    (name) => expect(found('name-format', { name })).toEqual([]),
  );

  const verbs = 'get list find create set update delete move validate execute workflow'.split(' ');
  test.each(verbs)('%s is a verb', (verb) => {
    expect(found('name-verb', { name: `${verb}_node_info` })).toEqual([]);
  });

  test.each([
    ['query', 'get'],
    ['remove', 'delete'],
    ['add', 'create'],
    ['moove', 'move'],
  ])('%s is none', (verb, meant) => {
    const [finding] = lintTools([
      { name: `${verb}_node_info`, inputSchema: { type: 'object' } },
    ]).filter(({ rule }) => rule === 'name-verb');
    expect(finding?.hint).toBe(`Use "${meant}".`);
  });

  test('verbs that mean the same are not both used for one thing', () => {
    const named = (name: string): object => ({ name, inputSchema: { type: 'object' } });
    const both = [named('set_node_name'), named('update_node_name')];
    const findings = lintTools(both as never).filter(({ rule }) => rule === 'name-synonym');
    expect(findings.map(({ tool: made }) => made)).toEqual(['update_node_name']);
  });

  test.each(['get', 'list', 'find', 'validate'])('%s only reads', (verb) => {
    const name = `${verb}_node_info`;
    expect(found('name-verb-safety', { name })).toEqual([]);
    expect(found('name-verb-safety', { name, safety: 'mutating' })).toHaveLength(1);
  });

  test.each(['create', 'set', 'update', 'delete', 'move', 'execute', 'workflow'])(
    '%s only writes',
    (verb) => {
      const name = `${verb}_node_info`;
      expect(found('name-verb-safety', { name, safety: 'destructive' })).toEqual([]);
      expect(found('name-verb-safety', { name })).toHaveLength(1);
    },
  );

  test('there are no aliases: a name is one tool', () => {
    const [made] = sceneTools(new Scene());
    expect(() => toolSet([made as Tool, made as Tool], { contract: govern() })).toThrow('twice');
  });
});

describe('what every write takes', () => {
  const move = { nodeUuid: 'lamp', position };

  test('is in the schema of every write, and of nothing else', async () => {
    await using governed = await startGoverned();
    for (const { inputSchema, _meta } of await governed.list()) {
      const names = Object.keys(Object(inputSchema['properties']));
      const common = ['dryRun', 'idempotencyKey', 'timeoutMs', 'clientTag'];
      const has = common.filter((name) => names.includes(name));
      expect(has).toEqual(_meta?.['safety'] === 'readonly' ? [] : common);
    }
  });

  test('dryRun: true changes nothing; false is the default', async () => {
    await using governed = await startGoverned();
    const before = governed.scene.snapshot();
    await governed.ask('set_node_position', { ...move, dryRun: true });
    expect(governed.scene.snapshot()).toBe(before);
    await governed.ask('set_node_position', move);
    expect(governed.scene.writes).toBe(1);
  });

  test('idempotencyKey: the same call is done once', async () => {
    await using governed = await startGoverned();
    const args = { parentUuid: 'root', name: 'Chair', idempotencyKey: 'k1' };
    const first = await governed.ask('create_node_child', args);
    const second = await governed.ask('create_node_child', args);
    expect(second.data).toEqual(first.data);
    expect([first.meta.replayed, second.meta.replayed]).toEqual([undefined, true]);
    expect(governed.scene.writes).toBe(1);
  });

  test('timeoutMs: the call ends in time, and the tool is told', async () => {
    await using governed = await startGoverned({ visible: all });
    const { error } = await governed.ask('execute_scene_wait', { ms: 3_600_000, timeoutMs: 30 });
    expect(error).toMatchObject({ code: 'E_TIMEOUT', retryable: true });
    expect(governed.scene.writes).toBe(0);
  });

  test('clientTag: is found again in the trace', async () => {
    await using governed = await startGoverned();
    const { meta } = await governed.ask('set_node_position', { ...move, clientTag: 'run 7' });
    const { data } = await governed.ask('get_trace_by_id', { traceId: meta.traceId });
    expect(data).toMatchObject({ clientTag: 'run 7' });
  });

  test.each([
    ['dryRun', 'yes', 'dryRun: expected boolean, received string'],
    [
      'idempotencyKey',
      '',
      'idempotencyKey: expected a string of 1 to 200 characters, received 0 characters',
    ],
    ['timeoutMs', 0, 'timeoutMs: expected an integer from 1 to 86400000, received 0'],
    ['clientTag', 7, 'clientTag: expected a string of 0 to 100 characters, received 7'],
    ['dry_run', true, 'dry_run: unknown property; did you mean "dryRun"?'],
  ])('%s: %j is refused in words', async (name, value, message) => {
    await using governed = await startGoverned();
    const { error } = await governed.ask('set_node_position', { ...move, [name]: value });
    expect(error).toMatchObject({ code: 'E_INVALID_ARGUMENT', message });
    expect(governed.scene.writes).toBe(0);
  });

  test('a slip in dryRun is not done for good, even where any argument is taken', async () => {
    let writes = 0;
    const open = tool({
      name: 'set_thing_state',
      description: 'Takes any argument.',
      safety: 'mutating',
      input: { type: 'object' },
      plan: () => ({ changes: [] }),
      apply() {
        writes += 1;
      },
    });
    await using governed = await startGoverned({ tools: [open], lint: 'off' });
    for (const slip of ['dryrun', 'dry_run', 'dry-run', 'DryRun', 'dryRunn']) {
      expect((await governed.ask('set_thing_state', { [slip]: true })).success).toBe(false);
    }
    expect((await governed.ask('set_thing_state', { anything: true })).success).toBe(true);
    expect(writes).toBe(1);
  });

  test('a tool cannot use these names for something else', () => {
    const made = tool({
      name: 'set_thing_state',
      description: 'Wants dryRun for itself.',
      safety: 'mutating',
      input: { type: 'object', properties: { dryRun: { type: 'string' } } },
      run: () => 'done',
    });
    expect(() => toolSet([made], { contract: govern() })).toThrow(/input has a property "dryRun"/);
  });
});

describe('arguments', () => {
  const withArgument = (name: string, schema: object): object => ({
    inputSchema: { type: 'object', properties: { [name]: schema } },
  });

  test.each([
    ['nodeId', 'nodeUuid'],
    ['parentId', 'parentUuid'],
    ['sceneUrl', 'scenePath'],
    ['assetUrl', 'assetPath'],
    ['assetId', 'assetUuid'],
  ])('%s is called %s', (wrong, right) => {
    expect(found('parameter-name', withArgument(wrong, { type: 'string' }))).toHaveLength(1);
    expect(found('parameter-name', withArgument(right, { type: 'string' }))).toEqual([]);
  });

  test('true and false are booleans, not texts', () => {
    const text = { type: 'string', enum: ['true', 'false'] };
    expect(found('parameter-boolean', withArgument('visible', text))).toHaveLength(1);
    expect(found('parameter-boolean', withArgument('isVisible', { type: 'string' }))).toHaveLength(
      1,
    );
    expect(found('parameter-boolean', withArgument('visible', { type: 'boolean' }))).toEqual([]);
    const words = { type: 'string', enum: ['on', 'dimmed'] };
    expect(found('parameter-boolean', withArgument('light', words))).toEqual([]);
  });

  const vector = {
    type: 'object',
    properties: { x: { type: 'number' }, y: { type: 'number' }, z: { type: 'number' } },
  };
  test.each(['position', 'rotation', 'scale'])('%s is an object of numbers', (name) => {
    expect(found('parameter-coordinates', withArgument(name, { type: 'string' }))).toHaveLength(1);
    expect(found('parameter-coordinates', withArgument(name, { type: 'array' }))).toHaveLength(1);
    expect(found('parameter-coordinates', withArgument(name, vector))).toEqual([]);
  });

  test('a text in place of a point is refused with path, received and expected', async () => {
    await using governed = await startGoverned();
    const args = { nodeUuid: 'lamp', position: '1,2,3' };
    const { error } = await governed.ask('set_node_position', args);
    expect(error).toMatchObject({
      code: 'E_INVALID_ARGUMENT',
      message: 'position: expected object, received string',
      details: [{ path: 'position', expected: 'object', received: 'string' }],
    });
  });

  test('a misspelt argument is told the right one', async () => {
    await using governed = await startGoverned();
    const { error } = await governed.ask('get_node_info', { nodeUUid: 'lamp' });
    expect(error?.message).toContain('nodeUUid');
  });
});

describe('the linter', () => {
  test('has nothing to say about tools that follow the rules', () => {
    const logged: string[] = [];
    const logger = { debug() {}, info() {}, warn: (m: string) => void logged.push(m), error() {} };
    const governance = { visible: all, lint: lintTools };
    const set = toolSet(sceneTools(new Scene()), { contract: govern(governance), logger });
    expect(logged).toEqual([]);
    expect(lintTools(set.manifests())).toEqual([]);
  });

  test('tells the log at registration, or refuses', async () => {
    const logged: string[] = [];
    const logger = { debug() {}, info() {}, warn: (m: string) => void logged.push(m), error() {} };
    const made = tool({ name: 'fetchNode', description: 'Bad.', run: () => '' });
    const remark = 'fetchNode: the name "fetchNode" is not <verb>_<domain>_<object>';
    toolSet([made], { contract: govern(), logger });
    await expect.poll(() => logged).toContain(remark);
    const refuse = { contract: govern({ lint: lintTools }), logger };
    expect(() => toolSet([made], refuse)).toThrow(/fetchNode/);
  });

  test('takes what any server lists, and does not blame it for traits it does not know', () => {
    const foreign = fromListed({ name: 'fetch', inputSchema: { type: 'object' } });
    const rules = new Set(lintTools([foreign]).map(({ rule }) => rule));
    expect(rules).toEqual(new Set(['name-format', 'name-verb', 'description-there']));
    expect(lintTools([foreign], { ignore: [...rules] })).toEqual([]);
  });

  test('finds the same in what a governed server lists as in its manifest', async () => {
    const made = tool({
      name: 'get_node_info',
      description: 'Says it reads, and writes.',
      category: 'node',
      safety: 'destructive',
      supportsDryRun: false,
      input: { type: 'object', additionalProperties: false },
      run: () => 'done',
    });
    await using governed = await startGoverned({ tools: [made], lint: 'off' });
    const [listed] = (await governed.list()).map(fromListed);
    const rules = lintTools(listed === undefined ? [] : [listed]).map(({ rule }) => rule);
    expect(rules).toContain('name-verb-safety');
    expect(rules).toContain('write-changes');
  });

  test('gives every rule a level and a demand', () => {
    for (const { level, demand } of Object.values(lintRules)) {
      expect(['error', 'warning']).toContain(level);
      expect(demand).toMatch(/^[A-Z`].*\.$/s);
    }
  });
});
