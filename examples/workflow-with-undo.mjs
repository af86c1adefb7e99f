// A workflow that is done as a whole or not at all: node examples/workflow-with-undo.mjs
// Reserves, charges and sends. Shows what happens when a stage fails, and what can be taken back later.
import { createServer } from 'mcp-kit/server';
import { createMemoryStore } from 'mcp-kit/store';
import { fail, toolSet } from 'mcp-kit/tools';
import { governed } from 'mcp-kit/tools/governed';
import { defineWorkflow, workflowTools } from 'mcp-kit/tools/workflow';
import { demo } from './lib/demo.mjs';

const stock = new Map([['tea', 5]]);
const charges = new Map();
const parcels = new Map();
let courierIsAway = false;

// Where runs are written down; one that outlives the process lets another one take them up.
const store = createMemoryStore();

const createShopOrder = defineWorkflow({
  name: 'workflow_create_shop_order',
  description: 'Orders something: reserves it, charges for it, sends it.',
  category: 'shop',
  safety: 'mutating',
  errors: {
    E_PRECONDITION_FAILED: 'There is not enough in stock.',
    E_UNAVAILABLE: 'No courier is there.',
  },
  examples: [{ input: { item: 'tea', count: 1 } }, { input: { item: 'tea', count: 2 } }],
  input: {
    type: 'object',
    properties: {
      item: { type: 'string', description: 'What to order.' },
      count: { type: 'integer', minimum: 1, description: 'How many.' },
    },
    required: ['item', 'count'],
    additionalProperties: false,
  },
  store,
})
  .stage('reserve', {
    plan({ args: { item, count } }) {
      const from = stock.get(item) ?? 0;
      if (from < count) throw fail('E_PRECONDITION_FAILED', `There are only ${from}.`);
      const to = from - count;
      return { changes: [{ type: 'update', target: item, field: 'stock', from, to }], item, count };
    },
    apply({ plan: { item, count } }) {
      stock.set(item, stock.get(item) - count);
    },
    undo({ plan: { item, count } }) {
      stock.set(item, stock.get(item) + count);
    },
  })
  .stage('charge', {
    // What the stages before would do is known before anything is done.
    plan({ plans: { reserve } }, context) {
      const chargeId = context.newId('charge');
      const amount = reserve.count * 5;
      return { changes: [{ type: 'create', target: chargeId, to: amount }], chargeId, amount };
    },
    apply({ plan: { chargeId, amount } }) {
      charges.set(chargeId, amount);
      return { chargeId };
    },
    undo({ plan: { chargeId } }) {
      charges.delete(chargeId);
    },
    // Whoever takes an interrupted run up can see whether this was done.
    find: ({ plan: { chargeId } }) =>
      charges.has(chargeId) ? { output: { chargeId } } : undefined,
  })
  .stage('send', {
    // The courier knows parcels by their key, so asking twice sends one.
    idempotent: true,
    plan: ({ plans: { charge } }) => ({
      changes: [{ type: 'create', target: `parcel for ${charge.chargeId}` }],
    }),
    apply({ outputs: { charge } }, { key }) {
      if (courierIsAway) throw fail('E_UNAVAILABLE', 'No courier is there.');
      parcels.set(key, charge.chargeId);
      return { parcelId: key };
    },
  })
  .returns(
    { type: 'object', properties: { parcelId: { type: 'string' } }, required: ['parcelId'] },
    ({ send }) => ({ parcelId: send.parcelId }),
  );

const tools = toolSet([createShopOrder, ...workflowTools([createShopOrder])], {
  contract: governed({ store }),
});
const server = createServer({ name: 'shop', version: '1.0.0', features: [tools] });
const state = () => `stock ${stock.get('tea')}, charges ${charges.size}, parcels ${parcels.size}`;
const order = { item: 'tea', count: 2 };

await demo(server, async (call) => {
  const { changes } = (await call('workflow_create_shop_order', { ...order, dryRun: true })).data;
  console.log('it would:', changes.map(({ stage, type }) => `${stage} ${type}`).join(', '));
  const { stages, runId } = (await call('workflow_create_shop_order', order)).data;
  console.log('done:', stages.map(({ stage }) => stage).join(', '), '-', state());

  courierIsAway = true;
  const { error } = await call('workflow_create_shop_order', order);
  const ended = error.details.stages.map(({ stage, status }) => `${stage} ${status}`).join(', ');
  console.log('failed:', error.code, 'at', error.stage, '-', ended, '-', state());

  // The first order, after all. What has been sent cannot be taken back, and that is said.
  const { error: left } = await call('execute_workflow_undo', { runId });
  const { notUndone } = left.details;
  console.log('undone:', state(), '- left:', notUndone.map(({ stage }) => stage).join());
});
