// Tools in front of somebody's HTTP API: node examples/http-api-pack.mjs API-URL
// Serves over stdio. `--demo` starts an API of its own instead, one that fails now and then, and shows what callers get:
// deadlines, failures to branch on, retries that do nothing twice, and one trace through all of it.
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'mcp-kit/server';
import { fail, tool, toolSet } from 'mcp-kit/tools';
import { governed } from 'mcp-kit/tools/governed';
import { callWithRetries } from 'mcp-kit/tools/inspect';
import { serveStdio } from 'mcp-kit/transport';
import { demo } from './lib/demo.mjs';

const failureOf = {
  404: 'E_NOT_FOUND',
  409: 'E_CONFLICT',
  429: 'E_UNAVAILABLE',
  503: 'E_UNAVAILABLE',
};
const errors = { E_NOT_FOUND: 'There is no such user.', E_UNAVAILABLE: 'The API is away.' };
const userId = { type: 'string', pattern: '^[a-z]+$', description: 'Which user.' };

/** The tools of an API. */
function apiPack(base) {
  /** Asks the API under the signal and the trace of the call. */
  const ask = (context, [method, route], body) =>
    context.span(`${method} ${route}`, async () => {
      const response = await fetch(new URL(route, base), {
        method,
        signal: context.signal,
        headers: { 'content-type': 'application/json', ...context.traceHeaders },
        body: body && JSON.stringify(body),
      }).catch((cause) => {
        if (context.signal.aborted) throw cause;
        throw fail('E_UNAVAILABLE', 'The API cannot be reached.');
      });
      if (response.ok) return response.json();
      const code = failureOf[response.status] ?? 'E_INTERNAL';
      throw fail(code, `The API answered ${response.status}.`, {
        details: { status: response.status },
      });
    });

  return [
    tool({
      name: 'get_user_profile',
      description: 'Returns the profile of a user.',
      category: 'user',
      safety: 'readonly',
      timeoutMs: 5000,
      errors,
      examples: [{ input: { userId: 'ada' } }],
      input: {
        type: 'object',
        properties: { userId },
        required: ['userId'],
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          credit: { type: 'number' },
          version: { type: 'integer' },
        },
        required: ['name', 'credit', 'version'],
      },
      run: ({ userId: id }, context) => ask(context, ['GET', `/users/${id}`]),
    }),
    tool({
      name: 'update_user_credit',
      description: 'Adds to the credit of a user, or takes from it.',
      category: 'user',
      safety: 'mutating',
      riskLevel: 'medium',
      timeoutMs: 5000,
      errors: { ...errors, E_CONFLICT: 'Somebody else was quicker.' },
      examples: [{ input: { userId: 'ada', amount: 5 } }],
      input: {
        type: 'object',
        properties: {
          userId,
          amount: { type: 'number', description: 'How much; below 0 to take.' },
        },
        required: ['userId', 'amount'],
        additionalProperties: false,
      },
      output: { type: 'object', properties: { credit: { type: 'number' } }, required: ['credit'] },
      async plan({ userId: id, amount }, context) {
        const { credit: from, version } = await ask(context, ['GET', `/users/${id}`]);
        const changes = [{ type: 'update', target: id, field: 'credit', from, to: from + amount }];
        // The version is what the plan was made from: the API refuses the write when it is another.
        return { changes, state: version, id, credit: from + amount, version };
      },
      apply: ({ id, credit, version }, context) =>
        ask(context, ['PUT', `/users/${id}/credit`], { credit, version }),
    }),
  ];
}

const serverFor = (base) =>
  createServer({
    name: 'users',
    version: '1.0.0',
    features: [toolSet(apiPack(base), { contract: governed({ timeoutMs: 10_000 }) })],
  });

/** An API that is away at its second question. */
async function startApi(seen) {
  const ada = { name: 'Ada', credit: 10, version: 1 };
  const api = createHttpServer(async (request, response) => {
    seen.push(request.headers.traceparent);
    const chunks = await request.toArray();
    const answer = (status, body) => response.writeHead(status).end(JSON.stringify(body));
    if (!request.url.startsWith('/users/ada')) return answer(404, {});
    if (seen.length === 2) return answer(503, {});
    if (request.method === 'GET') return answer(200, ada);
    const { credit, version } = JSON.parse(Buffer.concat(chunks).toString());
    if (version !== ada.version) return answer(409, {});
    Object.assign(ada, { credit, version: version + 1 });
    return answer(200, { credit });
  });
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
  return api;
}

if (process.argv.includes('--demo')) {
  const seen = [];
  const api = await startApi(seen);
  const base = `http://127.0.0.1:${api.address().port}`;
  await demo(serverFor(base), async (call, session) => {
    console.log('nobody:', (await call('get_user_profile', { userId: 'nobody' })).error.code);
    const { tools } = await session.listTools();
    const listed = tools.find(({ name }) => name === 'update_user_credit');
    const { result, attempts } = await callWithRetries({
      tool: listed,
      args: { userId: 'ada', amount: 5 },
      call: (args) => session.callTool(listed.name, args),
      delayMs: () => 10,
    });
    console.log('after', attempts, 'attempts:', result.structuredContent.data.credit);
    const { data } = await call('get_trace_by_id');
    const { traceId, spans } = data;
    console.log('in one trace:', seen.at(-1).includes(traceId.slice(4, 36)));
    console.log('steps:', spans.map(({ name }) => name).join(', '));
  });
  api.close();
  api.closeAllConnections();
} else {
  await serveStdio(serverFor(process.argv[2] ?? 'http://127.0.0.1:3000'));
}
