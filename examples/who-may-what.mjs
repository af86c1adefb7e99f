// Who sees which tools, who may call them, how often, and a layer of one's own: node examples/who-may-what.mjs
// Two callers tell each other apart by a token over HTTP; the program checks what each of them gets.
import { createServer } from 'mcp-kit/server';
import { openSession } from 'mcp-kit/client';
import { tool, toolSet } from 'mcp-kit/tools';
import { governed } from 'mcp-kit/tools/governed';
import { serveHttp } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';

const read = (name, layer, text) =>
  tool({
    name,
    description: `Tells the ${text}.`,
    layer,
    category: 'shop',
    safety: 'readonly',
    riskLevel: 'low',
    prerequisites: layer === 'advanced' ? ['shopOpen=true'] : [],
    examples: [{ input: {} }],
    input: { type: 'object', additionalProperties: false },
    output: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    run: () => ({ text }),
  });

const audit = [];
const tools = toolSet(
  [
    read('get_shop_prices', 'core', 'prices'),
    read('get_shop_margins', 'advanced', 'margins'),
    read('get_shop_secrets', 'internal', 'secrets'),
  ],
  {
    contract: governed({
      // What one does not see one cannot call.
      visible: ({ principal }) => (principal === 'owner' ? ['core', 'advanced'] : ['core']),
      permit: ({ tool: name, principal }) =>
        name !== 'get_shop_prices' || principal !== 'owner' || 'the owner knows the prices',
      limit: { perMinute: 5 },
      layers: [
        {
          name: 'audit',
          before: 'permission',
          wrap: (next, entry) => (call) => {
            audit.push(`${call.context.principal} ${entry.tool.name}`);
            return next(call);
          },
        },
      ],
    }),
  },
);
const server = createServer({ name: 'shop', version: '1.0.0', features: [tools] });
const users = new Map([
  ['Bearer one', 'owner'],
  ['Bearer two', 'guest'],
]);
const http = await serveHttp(server, { identify: ({ authorization }) => users.get(authorization) });

async function as(authorization, use) {
  const session = await openSession(httpTarget(http.url, { headers: { authorization } }), {
    name: 'example',
    version: '1.0.0',
  });
  try {
    await use(session, async (name) => {
      const answer = await session
        .callTool(name)
        .catch(({ code }) => ({ structuredContent: { error: { code } } }));
      const { data, error } = answer.structuredContent;
      return error?.code ?? data.text;
    });
  } finally {
    await session.close();
  }
}

await as('Bearer one', async (session, call) => {
  const listed = (await session.listTools()).tools.filter(({ name }) => name.includes('shop'));
  console.log(
    'owner sees',
    listed.length,
    'tools:',
    await call('get_shop_margins'),
    await call('get_shop_prices'),
  );
});
await as('Bearer two', async (session, call) => {
  const listed = (await session.listTools()).tools.filter(({ name }) => name.includes('shop'));
  console.log(
    'guest sees',
    listed.length,
    'tool:',
    await call('get_shop_margins'),
    await call('get_shop_prices'),
  );
  for (let n = 0; n < 4; n += 1) await call('get_shop_prices');
  console.log('guest is slowed down:', await call('get_shop_prices'));
});
console.log('audited:', audit.slice(0, 3).join(', '));
await http.close();
