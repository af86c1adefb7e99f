// What a build can check about tools: node examples/keep-the-contract.mjs
// Lints them, tries every promise they make on their examples, and compares their manifest with that of an older version.
import { toolContract } from 'mcp-kit/testing';
import { fail, tool, toolSet } from 'mcp-kit/tools';
import { governed } from 'mcp-kit/tools/governed';
import { diffManifests, lintTools } from 'mcp-kit/tools/inspect';

/** The tools of a counter, with a world of their own. */
function counter(most) {
  let value = 0;
  const setCounterValue = tool({
    name: 'set_counter_value',
    description: 'Sets the counter.',
    category: 'counter',
    safety: 'mutating',
    idempotent: true,
    errors: { E_PRECONDITION_FAILED: 'It is locked at 13.' },
    examples: [{ input: { value: 5 } }, { input: { value: 13 }, fails: 'E_PRECONDITION_FAILED' }],
    input: {
      type: 'object',
      properties: {
        value: { type: 'integer', minimum: 0, maximum: most, description: 'The new value.' },
      },
      required: ['value'],
      additionalProperties: false,
    },
    plan({ value: to }) {
      if (to === 13) throw fail('E_PRECONDITION_FAILED', 'Not 13.');
      return {
        changes: [{ type: 'update', target: 'counter', from: value, to }],
        state: value,
        to,
      };
    },
    apply({ to }) {
      value = to;
    },
  });
  return { tools: [setCounterValue], snapshot: () => value };
}

const manifestOf = (tools) => toolSet(tools, { contract: governed() }).manifests();
const { tools } = counter(100);

const findings = lintTools(manifestOf(tools));
console.log('linter:', findings.length, 'findings');
const bad = lintTools([
  {
    name: 'removeThing',
    inputSchema: { type: 'object', properties: { is_ok: { type: 'string' } } },
  },
]);
console.log('linter on a bad tool:', [...new Set(bad.map(({ rule }) => rule))].join(', '));

const cases = toolContract(() => counter(100));
for (const { run } of cases) await run();
console.log('contract:', cases.length, 'promises kept');

const changes = diffManifests(manifestOf(tools), manifestOf(counter(50).tools));
for (const { impact, message } of changes) console.log('next version:', impact, message);
process.exitCode = findings.length === 0 && changes[0].impact === 'breaking' ? 0 : 1;
