// Many writes in one call, with a report for each: node examples/batch-write.mjs
// Shows what is answered when some of them fail, and checks it.
import { createServer } from 'mcp-kit/server';
import { fail, tool, toolSet } from 'mcp-kit/tools';
import { applied, batchSchema, governed, runBatch } from 'mcp-kit/tools/governed';
import { demo } from './lib/demo.mjs';

const labels = new Map([
  ['a', 'old'],
  ['b', 'old'],
  ['c', 'old'],
]);

const updateItemLabels = tool({
  name: 'update_item_labels',
  description: 'Gives many items a label.',
  category: 'item',
  safety: 'mutating',
  idempotent: true,
  examples: [{ input: { items: ['a', 'b'], label: 'new' } }],
  input: {
    type: 'object',
    properties: {
      items: {
        type: 'array',
        items: { type: 'string' },
        maxItems: 100,
        description: 'Which items.',
      },
      label: { type: 'string', description: 'The label.' },
      stopOnError: {
        type: 'boolean',
        description: 'Leave the rest undone after a failure. Default: false.',
      },
    },
    required: ['items', 'label'],
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: batchSchema(),
    required: ['succeeded', 'failed', 'skipped'],
  },
  plan({ items, label, stopOnError = false }) {
    const changes = items.map((target) => ({
      type: 'update',
      target,
      field: 'label',
      from: labels.get(target) ?? null,
      to: label,
    }));
    return { changes, items, label, stopOnError };
  },
  async apply({ changes, items, label, stopOnError }, context) {
    const report = await runBatch({
      items,
      name: (item) => item,
      onError: stopOnError ? 'stop' : 'continue',
      context,
      work(item) {
        if (!labels.has(item)) throw fail('E_NOT_FOUND', `There is no item "${item}".`);
        labels.set(item, label);
      },
    });
    const done = new Set(report.succeeded.map(({ item }) => item));
    // Only what was really changed is told.
    return applied(
      report,
      changes.filter(({ target }) => done.has(target)),
    );
  },
});

const tools = toolSet([updateItemLabels], { contract: governed() });
const server = createServer({ name: 'items', version: '1.0.0', features: [tools] });

await demo(server, async (call) => {
  const names = (list) => list.map(({ item }) => item).join() || '-';
  for (const stopOnError of [false, true]) {
    const { data } = await call('update_item_labels', {
      items: ['a', 'x', 'c'],
      label: 'new',
      stopOnError,
    });
    const { succeeded, failed, skipped, changes } = data;
    console.log(
      stopOnError ? 'stop:' : 'go on:',
      `succeeded ${names(succeeded)}, failed ${names(failed)} (${failed[0].error.code}), skipped ${names(skipped)}, ${changes.length} changed`,
    );
  }
});
