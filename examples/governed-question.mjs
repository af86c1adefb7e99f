// A tool that asks the user while it plans, so that what is asked for is what is done: node examples/governed-question.mjs
// Shows it with a client of each era, and checks that both end alike.
import { elicit } from 'mcp-kit/protocol';
import { createServer } from 'mcp-kit/server';
import { fail, tool, toolSet } from 'mcp-kit/tools';
import { governed } from 'mcp-kit/tools/governed';
import { demo } from './lib/demo.mjs';

const branches = new Map([
  ['main', 'a1'],
  ['draft', 'b2'],
]);

const deleteBranchRef = tool({
  name: 'delete_branch_ref',
  description: 'Deletes a branch, once the user has typed its name.',
  category: 'branch',
  safety: 'destructive',
  riskLevel: 'high',
  errors: {
    E_NOT_FOUND: 'There is no such branch.',
    E_PRECONDITION_FAILED: 'The user did not agree.',
  },
  examples: [{ input: { branchName: 'draft' } }],
  input: {
    type: 'object',
    properties: { branchName: { type: 'string', description: 'Which branch.' } },
    required: ['branchName'],
    additionalProperties: false,
  },
  async plan({ branchName }, context) {
    const commit = branches.get(branchName);
    if (commit === undefined) throw fail('E_NOT_FOUND', `There is no branch "${branchName}".`);
    const { typed } = await context.ask({
      typed: elicit({
        message: `Type "${branchName}" to delete it.`,
        requestedSchema: {
          type: 'object',
          properties: { name: { type: 'string', title: 'Name of the branch' } },
          required: ['name'],
        },
      }),
    });
    if (typed.action !== 'accept' || typed.content.name !== branchName) {
      throw fail('E_PRECONDITION_FAILED', 'The user did not agree.');
    }
    return {
      changes: [{ type: 'delete', target: branchName, from: commit }],
      state: commit,
      branchName,
    };
  },
  apply({ branchName }) {
    branches.delete(branchName);
  },
});

const tools = toolSet([deleteBranchRef], { contract: governed() });
const server = createServer({ name: 'branches', version: '1.0.0', features: [tools] });

for (const era of ['legacy', 'modern']) {
  branches.set('draft', 'b2');
  let questions = 0;
  const inputs = {
    elicit: ({ message }) => {
      questions += 1;
      return { action: 'accept', content: { name: /"(.+)"/.exec(message)[1] } };
    },
  };
  await demo(
    server,
    async (call) => {
      // One key for one wish: the rounds of a question are one call, and asking again asks nobody.
      const wish = { branchName: 'draft', idempotencyKey: `wish of a ${era} client` };
      const first = await call('delete_branch_ref', wish);
      const second = await call('delete_branch_ref', wish);
      console.log(
        era,
        first.success,
        second.meta.replayed,
        `${questions} question`,
        [...branches.keys()].join(),
      );
    },
    { era, inputs },
  );
}
