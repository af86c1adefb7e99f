import { fastify } from 'fastify';
import { createEndpoint, createGuard, createListener } from 'mcp-kit/transport/http';
import { server } from './tools.mjs';

const listener = createListener({
  endpoint: createEndpoint(server),
  guard: createGuard(),
  path: '/mcp',
});
const app = fastify();
app.register(async (scope) => {
  scope.removeAllContentTypeParsers(); // in this scope bodies are left to the endpoint
  scope.addContentTypeParser('*', (request, body, done) => done(null));
  scope.all('/mcp', (request, reply) => {
    reply.hijack();
    listener(request.raw, reply.raw);
  });
});
const origin = await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });
console.log(`${origin}/mcp`);
