import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { toFetchHandler } from 'mcp-kit/transport/http';
import { server } from './tools.mjs';

const handle = toFetchHandler(server);
const app = new Hono();
app.all('/mcp', (context) => handle(context.req.raw));
serve(
  { fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' },
  ({ port }) => {
    console.log(`http://127.0.0.1:${port}/mcp`);
  },
);
