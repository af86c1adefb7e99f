import express from 'express';
import { createEndpoint, createGuard, createListener } from 'mcp-kit/transport/http';
import { server } from './tools.mjs';

const listener = createListener({
  endpoint: createEndpoint(server),
  guard: createGuard(),
  path: '/mcp',
});
const app = express();
app.all('/mcp', listener); // before whatever reads bodies, such as express.json()
const http = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${http.address().port}/mcp`);
});
