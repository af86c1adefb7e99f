import { expect, test } from 'vitest';
import { createMemoryStore } from 'mcp-kit/store';
import { tool } from 'mcp-kit/tools';
import { send } from '../support/http-client.ts';
import { modern, serving } from '../support/mcp-http.ts';
import { createGoverned, dataOf, Scene, sceneTools, startGoverned } from './governed-fixture.ts';

const position = { x: 5, y: 5, z: 5 };
const move = { nodeUuid: 'lamp', position };

async function planOf(governed: Awaited<ReturnType<typeof startGoverned>>): Promise<string> {
  const { planToken } = dataOf(await governed.ask('set_node_position', { ...move, dryRun: true }));
  return String(planToken);
}

test('a plan is applied exactly as it was shown, with the names it gave', async () => {
  await using governed = await startGoverned();
  const args = { parentUuid: 'root', name: 'Chair' };
  const tried = dataOf(await governed.ask('create_node_child', { ...args, dryRun: true }));
  const { planToken, changes } = tried as { planToken: string; changes: { target: string }[] };
  const done = dataOf(await governed.ask('create_node_child', { ...args, planToken }));
  expect(done['nodeUuid']).toBe(changes[0]?.target);
  expect(done['changes']).toEqual(changes);
  const again = dataOf(
    await governed.ask('create_node_child', { ...args, name: 'Table', dryRun: true }),
  );
  expect((again as { changes: { target: string }[] }).changes[0]?.target).not.toBe(
    done['nodeUuid'],
  );
});

test('a plan whose state has moved on is refused', async () => {
  await using governed = await startGoverned();
  const planToken = await planOf(governed);
  await governed.ask('set_node_position', { ...move, position: { x: 0, y: 0, z: 0 } });
  const { error } = await governed.ask('set_node_position', { ...move, planToken });
  expect(error).toMatchObject({ code: 'E_CONFLICT', details: { reason: 'stale' } });
  expect(governed.scene.nodes.get('lamp')?.position).toEqual({ x: 0, y: 0, z: 0 });
});

test.each([
  ['another tool', 'delete_node_tree', { nodeUuid: 'lamp' }],
  ['other arguments', 'set_node_position', { ...move, position: { x: 9, y: 9, z: 9 } }],
])('a plan for %s is refused', async (_what, name, args) => {
  await using governed = await startGoverned();
  const planToken = await planOf(governed);
  const { error } = await governed.ask(name, { ...args, planToken });
  expect(error).toMatchObject({ code: 'E_CONFLICT', details: { reason: 'unknown' } });
  expect(governed.scene.writes).toBe(0);
});

test("somebody else's plan is refused", async () => {
  const { server, scene } = createGoverned();
  const identify = (headers: Readonly<Record<string, unknown>>): string =>
    String(headers['x-user']);
  await using served = await serving(server, { identify });
  const ask = async (user: string, args: object): Promise<Record<string, never>> => {
    const params = { name: 'set_node_position', arguments: args };
    const call = modern('tools/call', params, { headers: { 'x-user': user } });
    return (await send(served.url, call)).message.result?.['structuredContent'] as never;
  };
  const { data } = (await ask('ann', { ...move, dryRun: true })) as {
    data?: { planToken: string };
  };
  const planToken = data?.planToken;
  expect(await ask('bob', { ...move, planToken })).toMatchObject({ error: { code: 'E_CONFLICT' } });
  expect(scene.writes).toBe(0);
  expect(await ask('ann', { ...move, planToken })).toMatchObject({ success: true });
});

test('a plan ends after its time', async () => {
  let now = 1_000_000;
  await using governed = await startGoverned({ plans: { ttlMs: 60_000, now: () => now } });
  const planToken = await planOf(governed);
  now += 61_000;
  const { error } = await governed.ask('set_node_position', { ...move, planToken });
  expect(error).toMatchObject({ code: 'E_CONFLICT', details: { reason: 'expired' } });
});

test('a plan is known to every process with the same keys, and applied by one of them', async () => {
  const keys = [new Uint8Array(32).fill(7)];
  const store = createMemoryStore();
  await using one = await startGoverned({ plans: { keys }, store });
  await using other = await startGoverned({ plans: { keys }, store, scene: one.scene });
  const planToken = await planOf(one);
  expect(await other.ask('set_node_position', { ...move, planToken })).toMatchObject({
    success: true,
  });
  one.scene.find('lamp').position = { x: 1, y: 2, z: 3 };
  const { error } = await one.ask('set_node_position', { ...move, planToken });
  expect(error).toMatchObject({ code: 'E_CONFLICT', details: { reason: 'used' } });
});

test('a new key may be put in front of the old one', async () => {
  const [older, newer] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  await using before = await startGoverned({ plans: { keys: [older] } });
  await using after = await startGoverned({ plans: { keys: [newer, older] }, scene: before.scene });
  const planToken = await planOf(before);
  expect(await after.ask('set_node_position', { ...move, planToken })).toMatchObject({
    success: true,
  });
});

test.each(['destructive', 'writing'] as const)('%s tools may need a plan', async (requirePlan) => {
  const tools = sceneTools(new Scene()).filter(({ name }) => !name.startsWith('execute_'));
  await using governed = await startGoverned({ tools, requirePlan });
  const args = { nodeUuid: 'lamp' };
  const { error } = await governed.ask('delete_node_tree', args);
  expect(error).toMatchObject({
    code: 'E_PRECONDITION_FAILED',
    suggestion: expect.stringContaining('dryRun: true'),
  });
  const { planToken } = dataOf(await governed.ask('delete_node_tree', { ...args, dryRun: true }));
  expect(await governed.ask('delete_node_tree', { ...args, planToken })).toMatchObject({
    success: true,
  });
  const moved = await governed.ask('set_node_position', { ...move, nodeUuid: 'root' });
  expect(moved.success).toBe(requirePlan === 'destructive');
});

test.each([
  ['no changes', {}, 'it has no changes[]'],
  [
    'a change without target',
    { changes: [{ type: 'update' }] },
    'changes[0] needs a type and a target',
  ],
  [
    'a state that is not JSON',
    { changes: [], state: { at: new Map() } },
    'state.at is not plain JSON',
  ],
])('a plan with %s is a bug', async (_what, plan, fault) => {
  const made = tool({
    name: 'set_thing_state',
    description: 'Plans badly.',
    safety: 'mutating',
    plan: () => plan as never,
    apply() {
      throw new Error('must not come so far');
    },
  });
  await using governed = await startGoverned({ tools: [made], lint: 'off' });
  expect(await governed.ask('set_thing_state')).toMatchObject({ error: { code: 'E_INTERNAL' } });
  const [bug] = governed.logged.filter(({ level }) => level === 'error');
  expect(bug?.fields).toMatchObject({ error: expect.stringContaining(fault) });
});

test('without the store of used plans nothing is applied, and the answer says that a retry may help', async () => {
  const store = createMemoryStore();
  const away = { ...store.kv, cas: () => Promise.reject(new Error('the store is away')) };
  await using governed = await startGoverned({ store: { ...store, kv: away } });
  const planToken = await planOf(governed);
  const { error } = await governed.ask('set_node_position', { ...move, planToken });
  expect(error).toMatchObject({ code: 'E_UNAVAILABLE', retryable: true });
  expect(governed.scene.writes).toBe(0);
});

test.each([0, -1, Number.NaN, Infinity])('plans that last %s ms are refused at once', (ttlMs) => {
  expect(() => createGoverned({ plans: { ttlMs } })).toThrow(/ttlMs must be/);
});

test('a set that requires plans takes no tool that has none and would need one', () => {
  const plain = { name: 'execute_thing_now', description: 'Does it.', run: () => 'done' };
  const setOf = (safety: 'readonly' | 'mutating' | 'destructive') => () =>
    createGoverned({ tools: [tool({ ...plain, safety })], requirePlan: 'destructive' });
  expect(setOf('destructive')).toThrow('tool execute_thing_now is destructive, and has no plan');
  expect(setOf('mutating')).not.toThrow();
  expect(setOf('readonly')).not.toThrow();
});
