// node bench/operate.mjs [seconds] [rounds]: what authorization, limits and metrics add to a small tools/call over HTTP, and
// what requests cost that are refused. Servers take turns in short slices, and the least CPU time counts, as in run.mjs.
// What answers without looking at what it was asked is as cheap as it gets in Node: nearly all of it is the kernel's.
// A connection that is refused ten times ends with the answer, so that a flood pays for new ones, too.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { openSync, writeSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { HttpConnection } from './lib/http-connection.mjs';
import { httpHeaders, statelessEra, workRequest } from './lib/messages.mjs';
import { cpuSeconds } from './lib/proc.mjs';
import { table } from './lib/table.mjs';
import { benchTools } from './lib/tools.mjs';

const resource = 'https://mcp.example/mcp';
const plenty = '1000000/s';
const connections = 16;

const limits = {
  address: plenty,
  principal: plenty,
  session: plenty,
  tool: plenty,
  calls: 1000,
  callsPerPrincipal: 500,
};
const served = 'token, limits, metrics, logs';

/** What is measured: the settings of a server, or none; what all its answers are; for refusals, what serving them would be. */
const kinds = {
  plain: { status: 200 },
  'metrics only': { settings: {}, status: 200 },
  'token, limits, metrics': { token: true, settings: { limits }, status: 200 },
  [served]: { token: true, logs: true, settings: { limits }, status: 200 },
  'refused by address': {
    token: true,
    logs: true,
    settings: { limits: { ...limits, address: '1/h' } },
    status: 429,
    insteadOf: served,
  },
  'refused by principal': {
    token: true,
    logs: true,
    settings: { limits: { ...limits, principal: '1/h' } },
    status: 429,
    insteadOf: served,
  },
  'answered unseen': { status: 429, insteadOf: served },
};

/** Says the same to all that comes. */
async function refuseUnseen() {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message: 'x'.repeat(80) } });
  const head = ['HTTP/1.1 429 Too Many Requests', 'retry-after: 3600', 'connection: keep-alive'];
  head.push('content-type: application/json', `content-length: ${body.length}`);
  const answer = `${head.join('\r\n')}\r\n\r\n${body}`;
  const server = createSocketServer((socket) => {
    socket.setNoDelay(true).on('data', () => socket.write(answer, 'latin1'));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/mcp` };
}

/** Serves in a process of its own, and tells its parent where, and the token to show. */
async function serve(kind) {
  if (kind === 'answered unseen') return refuseUnseen();
  const { createServer } = await import('mcp-kit/server');
  const { tool, toolSet } = await import('mcp-kit/tools');
  const tools = benchTools(2).map(({ name, description, inputSchema, run }) =>
    tool({ name, description, input: inputSchema, run }),
  );
  const server = createServer({ name: 'bench', version: '1.0.0', features: [toolSet(tools)] });
  const { settings, token, logs } = kinds[kind];
  if (settings === undefined) {
    const { serveHttp } = await import('mcp-kit/transport/http');
    return { url: (await serveHttp(server)).url };
  }
  const { jsonLogger, operateHttp } = await import('@mcp-kit/host/operate');
  const nowhere = openSync(os.devNull, 'w');
  const logger = jsonLogger('info', (line) => writeSync(nowhere, line));
  const options = logs ? { logger, logCalls: true } : {};
  if (!token) return { url: (await operateHttp(server, settings)).url };
  const issuer = await startIssuer();
  const jwt = { issuer: issuer.url, jwksUri: issuer.url, audience: resource };
  const auth = { jwt, scopes: ['mcp'] };
  const { url } = await operateHttp(server, { publicUrl: resource, auth, ...settings }, options);
  return { url, token: issuer.token };
}

/** Publishes a key, and has signed one token with it. */
async function startIssuer() {
  const { exportJWK, generateKeyPair, SignJWT } = await import('jose');
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const keys = JSON.stringify({
    keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' }],
  });
  const server = createHttpServer((_, response) => response.end(keys));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  const token = await new SignJWT({ sub: 'ann', scope: 'mcp files:read', client_id: 'bench' })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'k' })
    .setIssuer(url)
    .setAudience(resource)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
  return { url, token };
}

async function start(kind) {
  const child = fork(fileURLToPath(import.meta.url), ['serve', kind]);
  const [{ url, token }] = await once(child, 'message');
  const target = new URL(url);
  const message = workRequest(statelessEra, 'call');
  const headers = {
    ...httpHeaders(statelessEra, message),
    ...(token && { authorization: `Bearer ${token}` }),
  };
  const lanes = Array.from({ length: connections }, () => new HttpConnection(target));
  await Promise.all(lanes.map((lane) => lane.dial()));
  const body = JSON.stringify(message);
  const head = Object.entries({ host: target.host, ...headers, 'content-length': body.length });
  const lines = ['POST /mcp HTTP/1.1', ...head.map(([name, value]) => `${name}: ${value}`)];
  return { kind, child, lanes, bytes: Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`) };
}

/** CPU time of the server per request, in µs, and per second, in ms. */
async function slice({ kind, child, lanes, bytes }, seconds) {
  const before = cpuSeconds(child.pid);
  const begun = performance.now();
  const deadline = begun + seconds * 1000;
  let count = 0;
  await Promise.all(
    lanes.map(async (lane) => {
      while (performance.now() < deadline) {
        const { status, head } = await lane.exchange(bytes);
        if (status === 429 && /\r\nconnection: close/i.test(head)) lane.close();
        if (status !== kinds[kind].status && count > 0) throw new Error(`${kind}: ${status}`);
        count += 1;
      }
    }),
  );
  const cpu = cpuSeconds(child.pid) - before;
  return { each: (cpu / count) * 1e6, share: (cpu / ((performance.now() - begun) / 1e3)) * 1e3 };
}

async function measure(seconds, rounds) {
  const servers = [];
  try {
    for (const kind of Object.keys(kinds)) servers.push(await start(kind));
    const least = new Map();
    for (const server of servers) await slice(server, 2 * seconds).catch(() => {});
    for (let round = 0; round < rounds; round++) {
      for (const server of servers) {
        const { each, share } = await slice(server, seconds);
        const before = least.get(server.kind) ?? { each: Infinity, share: Infinity };
        const now = { each: Math.min(before.each, each), share: Math.min(before.share, share) };
        least.set(server.kind, now);
      }
    }
    const plain = least.get('plain');
    const rows = [...least].map(([kind, { each, share }]) => {
      const beside = least.get(kinds[kind].insteadOf) ?? plain;
      return [kind, each.toFixed(1), (each / beside.each).toFixed(2), share.toFixed(1)];
    });
    const ratio = '× plain; refused: × served';
    console.log(table(['server', 'µs per request', ratio, 'ms per second of flood'], rows));
  } finally {
    for (const { child, lanes } of servers) {
      for (const { socket } of lanes) socket?.destroy();
      child.kill('SIGTERM');
    }
  }
}

const [, , first, second] = process.argv;
if (first === 'serve') process.send(await serve(second));
else await measure(Number(first ?? 0.5), Number(second ?? 12));
