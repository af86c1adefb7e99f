// Does what a client scenario of the official conformance suites wants of a client:
// MCP_CONFORMANCE_SCENARIO=tools_call node test/conformance/client.mjs http://localhost:3000/mcp
import { openSession } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { authorizerFor } from './client/authorization.mjs';
import { isRefusedIn, scenarioNamed } from './client/scenarios.mjs';

/** Sooner than the suites, which do not always end a client that hangs. */
const limitMs = 20_000;

/** Answers whatever a server asks in return; the library adds the defaults of a form. */
const inputs = {
  elicit: () => ({ action: 'accept', content: {} }),
  sample: () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: 'There is no model here.' },
  }),
  roots: [{ uri: 'file:///workspace', name: 'workspace' }],
};

async function play(url, { scenario, revision, context }) {
  const act = scenarioNamed(scenario);
  const auth = authorizerFor(url, { scenario, context });
  const session = await openSession(httpTarget(url, { ...(auth && { auth }) }), {
    name: 'mcp-kit-conformance',
    version: '1.0.0',
    inputs,
  });
  try {
    const era = revision < '2026-07-28' ? 'legacy' : 'modern';
    // The servers of this extension speak both.
    const isFree = scenario.startsWith('sep-2640');
    if (session.era !== era && !isFree)
      throw new Error(`the session is ${session.era}, not ${era}`);
    await act(session, context);
  } finally {
    await session.close();
  }
}

function fail(reason) {
  console.error(reason);
  process.exitCode = 1;
}

// Not a reason to stay: a session that is closed must leave nothing that keeps the process alive.
setTimeout(() => {
  fail(`not done after ${limitMs} ms`);
  process.exit();
}, limitMs).unref();

const {
  MCP_CONFORMANCE_SCENARIO: scenario = '',
  MCP_CONFORMANCE_PROTOCOL_VERSION: revision = '2025-11-25',
  MCP_CONFORMANCE_CONTEXT: context = '{}',
} = process.env;
try {
  const url = process.argv.at(2);
  if (url === undefined) throw new Error('the URL of a server is missing');
  await play(url, { scenario, revision, context: JSON.parse(context) });
  if (isRefusedIn(scenario)) fail('the server should not have been trusted');
} catch (error) {
  if (!isRefusedIn(scenario) || error.name !== 'KitError') fail(error.stack);
}
