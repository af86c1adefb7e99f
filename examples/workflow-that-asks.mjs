// A workflow that stops in the middle to ask its user: node examples/workflow-that-asks.mjs
// Puts a version on trial, asks whether it is good, and only then releases it. Shown with a client of each era.
import { elicit } from 'mcp-kit/protocol';
import { createServer } from 'mcp-kit/server';
import { fail, toolSet } from 'mcp-kit/tools';
import { governed } from 'mcp-kit/tools/governed';
import { defineWorkflow } from 'mcp-kit/tools/workflow';
import { demo } from './lib/demo.mjs';

const site = { trial: 'v1', live: 'v1' };
let trials = 0;

const updateSiteVersion = defineWorkflow({
  name: 'workflow_update_site_version',
  description: 'Releases a version, once the user has seen it on trial.',
  category: 'site',
  safety: 'mutating',
  errors: { E_PRECONDITION_FAILED: 'The user did not like it.' },
  examples: [{ input: { version: 'v2' } }, { input: { version: 'v3' } }],
  input: {
    type: 'object',
    properties: { version: { type: 'string', description: 'Which version.' } },
    required: ['version'],
    additionalProperties: false,
  },
})
  .stage('trial', {
    timeoutMs: 10_000,
    plan: ({ args: { version } }) => ({
      changes: [{ type: 'update', target: 'trial', from: site.trial, to: version }],
      from: site.trial,
      to: version,
    }),
    apply({ plan }) {
      trials += 1;
      site.trial = plan.to;
      return { url: `https://trial.example/${plan.to}` };
    },
    undo({ plan }) {
      site.trial = plan.from;
    },
  })
  .stage('release', {
    plan: ({ plans: { trial } }) => ({
      changes: [{ type: 'update', target: 'live', from: site.live, to: trial.to }],
      to: trial.to,
    }),
    // Asked when the trial is there. In the modern era the call ends here, and the next one goes on from the journal.
    ask: ({ outputs: { trial } }) => ({
      verdict: elicit({
        message: `Look at ${trial.url}. Release it?`,
        requestedSchema: { type: 'object', properties: {} },
      }),
    }),
    apply({ plan, answers: { verdict } }) {
      if (verdict.action !== 'accept') throw fail('E_PRECONDITION_FAILED', 'The user said no.');
      site.live = plan.to;
    },
  });

const tools = toolSet([updateSiteVersion], { contract: governed() });
const server = createServer({ name: 'site', version: '1.0.0', features: [tools] });

for (const era of ['legacy', 'modern']) {
  for (const action of ['decline', 'accept']) {
    Object.assign(site, { trial: 'v1', live: 'v1' });
    trials = 0;
    const inputs = {
      elicit: () => (action === 'accept' ? { action, content: {} } : { action }),
    };
    const show = async (call) => {
      const { error } = await call('workflow_update_site_version', { version: 'v2' });
      const ended = error === null ? 'released' : `${error.code} at ${error.stage}`;
      console.log(
        `${era}, ${action}:`,
        ended,
        `trial ${site.trial}, live ${site.live},`,
        `${trials} trial`,
      );
    };
    await demo(server, show, { era, inputs });
  }
}
