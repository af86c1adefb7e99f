// Tries to be led to addresses that must not be reached, every way there is. Runs the build, not the sources.
// Isolated, it runs in a network of its own in which every address leads to its server, so that nothing goes unheard.
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEgress } from '@mcp-kit/host';
import { callMcp, httpTarget, sseTarget } from 'mcp-kit/transport/http-client';

const { isolated, targets: all } = JSON.parse(process.argv[2]);
/** Outside a network of its own only this machine is tried: a failure must not reach anybody else. */
const targets = all.filter((target) => isolated || isThisMachine(target));
const good = '93.184.216.34';
const worlds = new Map();
const hits = [];

function addressOf(target) {
  return new URL(`http://${target}`).hostname.replaceAll(/[[\]]/g, '');
}

function isThisMachine(target) {
  return /^(127\.|0\.0\.0\.0$|::1?$|::ffff:7f|.*localhost\.?$)/.test(addressOf(target));
}

/** Headers have no other letters; hosts mean the same when these are escaped. */
const inAscii = (text) => text.replaceAll(/[^!-~]+/g, encodeURIComponent);

/** Answers as a server does; `connection: close` makes every request look its host up again. */
function answer(request, response, text) {
  const world = worlds.get(request.url);
  const message = text === '' ? {} : JSON.parse(text);
  const what = message.method ?? request.method;
  const close = { connection: 'close' };
  if (world === undefined) return response.writeHead(404, close).end();
  // Of an answer with one bad address not even the good one is used.
  world.inGoodFaith -= 1;
  if (world.inGoodFaith < 0 && world.mode === 'mixed') hits.push(`${good} for ${what}`);
  if (world.redirects.has(what)) {
    world.led += 1;
    return response.writeHead(307, { ...close, location: inAscii(world.bad) }).end();
  }
  const json = (value, headers) => {
    response.writeHead(200, { ...close, 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: value }));
  };
  const stream = (events) => {
    response.writeHead(200, { ...close, 'content-type': 'text/event-stream' });
    response.write(events);
    return response;
  };
  if (what === 'initialize') {
    const value = { protocolVersion: '2025-06-18', capabilities: {} };
    return json(value, { 'mcp-session-id': 'a-session' });
  }
  if (what === 'tools/call') return stream('retry: 5\nid: 1\ndata: \n\n').end();
  if (what === 'GET') return stream(`event: endpoint\ndata: ${world.endpoint}\n\n`);
  if (message.id !== undefined) return json({});
  response.writeHead(202, close).end();
}

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  request.on('end', () => answer(request, response, text));
});
/** The ports that connections came from. */
const accepted = new Set();
server.on('connection', ({ localAddress, remotePort }) => {
  accepted.add(remotePort);
  if (localAddress !== `::ffff:${good}`) hits.push(localAddress);
});
server.listen(isolated ? 80 : 0, isolated ? '::' : '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();

/** A conversation, and how it went wrong. */
async function open(target) {
  const channel = await target.dial();
  const state = { channel, refused: undefined, answers: new Map(), id: 0 };
  channel.start({
    deaf: false,
    message: (value) => state.answers.get(value.id)?.(value),
    malformed: () => {},
    skipped: () => {},
    lost: (id, error) => state.answers.get(id)?.(error),
    failed: () => {},
    released: () => {},
    ended: () => {},
    closed: () => {},
  });
  return state;
}

/** After this something hangs, on any machine. */
const hangMs = 60_000;

/** Asks, and throws when there will be no answer. */
async function ask(state, method, params) {
  const id = ++state.id;
  const message = { jsonrpc: '2.0', id, method, ...(params && { params }) };
  const answered = new Promise((resolve) => state.answers.set(id, resolve));
  state.channel.send(JSON.stringify(message), { message });
  const late = sleep(hangMs, new Error('no answer'), { ref: false });
  const outcome = await Promise.race([answered, late]);
  if (outcome instanceof Error) throw outcome;
}

const hello = (state) =>
  ask(state, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} });
const ready = (state) => {
  const message = { jsonrpc: '2.0', method: 'notifications/initialized' };
  state.channel.send(JSON.stringify(message), { message });
};

/** Runs with a channel that is closed whatever happens. */
async function using(target, run) {
  const state = await open(target);
  try {
    await run(state);
  } finally {
    await state.channel.close();
  }
}

/** Does it once in good faith where the world lets it, turns the world, and does it again. */
async function twice(world, run) {
  if (!world.turned) await run();
  world.turn();
  await run();
}

/** Waits until the world has been asked again, for what nobody hears of. */
async function untilLed(world) {
  for (let left = 400; world.led === 0 && left > 0; left -= 1) await sleep(5);
}

/** The places that fetch; each turns the world right before. */
const sites = {
  post: {
    redirects: ['initialize'],
    run: (world, options) => twice(world, () => using(httpTarget(world.url, options), hello)),
  },
  headers: {
    redirects: ['initialize'],
    run: (world, options) => {
      const headers = async () => ({ 'x-key': 'secret' });
      return twice(world, () => using(httpTarget(world.url, { ...options, headers }), hello));
    },
  },
  call: {
    redirects: ['tools/list'],
    run: (world, options) =>
      using(httpTarget(world.url, options), async (state) => {
        await hello(state);
        world.turn();
        await ask(state, 'tools/list');
      }),
  },
  stream: {
    redirects: ['GET'],
    run: (world, options) =>
      using(httpTarget(world.url, options), async (state) => {
        await hello(state);
        const turning = world.whenLookedUp(1);
        ready(state);
        await turning;
        world.turn();
        await untilLed(world);
      }),
  },
  streamUrl: {
    redirects: ['GET'],
    run: (world, options) =>
      using(httpTarget(world.url, { ...options, streamUrl: world.side }), async (state) => {
        await hello(state);
        const turning = world.whenLookedUp(1);
        ready(state);
        await turning;
        world.turn();
        await untilLed(world);
      }),
  },
  resume: {
    redirects: ['GET'],
    run: (world, options) =>
      using(httpTarget(world.url, options), async (state) => {
        await hello(state);
        const turning = world.whenLookedUp(1);
        void ask(state, 'tools/call', { name: 'x' }).catch(() => {});
        await turning;
        world.turn();
        await untilLed(world);
      }),
  },
  delete: {
    redirects: ['DELETE'],
    run: async (world, options) => {
      await using(httpTarget(world.url, options), async (state) => {
        await hello(state);
        world.turn();
      });
      await untilLed(world);
    },
  },
  sse: {
    redirects: ['GET'],
    run: (world, options) => twice(world, () => using(sseTarget(world.url, options), () => {})),
  },
  endpoint: {
    redirects: ['tools/list'],
    run: (world, options) =>
      using(sseTarget(world.url, options), async (state) => {
        world.turn();
        await ask(state, 'tools/list');
      }),
  },
  callMcp: {
    redirects: ['tools/list'],
    run: (world, { agent }) =>
      twice(world, async () => {
        await callMcp(world.url, 'tools/list', undefined, { agent, timeoutMs: hangMs });
      }),
  },
  plain: {
    redirects: ['GET'],
    // Nothing is followed here: the next request goes where the redirect says.
    run: (world, { agent }) =>
      twice(world, async () => {
        const url = world.turned && world.mode === 'redirect' ? world.bad : world.url;
        const request = get(url, { agent });
        const [response] = await once(request, 'response');
        response.destroy();
      }),
  },
};

let count = 0;

/** Somebody's attempt: a server that is good at first, or bad from the beginning. */
function createWorld(target, mode, site) {
  const name = `c${(count += 1)}.example`;
  const path = `/c/${count}`;
  const at = (host) => `http://${host}:${port}${path}`;
  const isName = /[a-z]/i.test(target) && !/^(\[|0x)/i.test(target);
  const address = isName ? '127.0.0.1' : addressOf(target);
  // These have a good server beside the bad one, whatever the mode.
  const besides = site === 'endpoint' || site === 'streamUrl';
  const world = {
    mode,
    bad: at(target),
    url: mode === 'direct' && !besides ? at(target) : at(name),
    side: mode === 'direct' ? at(target) : at(`side.${name}`),
    endpoint: mode === 'direct' && site === 'endpoint' ? at(target) : path,
    redirects: new Set(),
    turned: !isolated || (mode !== 'rebinding' && mode !== 'redirect' && !besides),
    led: 0,
    inGoodFaith: 0,
    turn: () => {
      world.turned = true;
      if (mode === 'redirect') world.redirects = new Set(sites[site].redirects);
    },
    whenLookedUp: (times) => {
      let left = times;
      return new Promise((resolve) => {
        world.lookedUp = () => {
          left -= 1;
          if (left === 0) resolve();
        };
        // Where names are not looked up, or no longer.
        setTimeout(resolve, mode === 'direct' ? 0 : 1000).unref();
      });
    },
    resolve: async () => {
      const turned = world.turned;
      world.lookedUp?.();
      if (!turned || mode === 'redirect') {
        world.inGoodFaith += 1;
        return [good];
      }
      world.led += 1;
      return mode === 'mixed' ? [good, address] : [address];
    },
  };
  worlds.set(path, world);
  return world;
}

const outcomes = { refused: 0, redirected: 0, led: 0 };
const wrong = [];

async function attempt(target, mode, site) {
  const world = createWorld(target, mode, site);
  const policy = { requireHttps: false, ...(!isolated && { allowedPorts: [port] }) };
  const egress = createEgress(policy, { server: site, resolve: world.resolve });
  const options = { agent: egress.agentFor(world.url), closeTimeoutMs: 1000 };
  let error;
  try {
    await sites[site].run(world, options);
  } catch (failure) {
    error = failure;
  } finally {
    egress.destroy();
  }
  const isPolicy = error?.code === 'refused_by_policy';
  const isRedirect = error?.code === 'http_status' && /another origin/.test(error.message);
  if (isPolicy) outcomes.refused += 1;
  else if (isRedirect) outcomes.redirected += 1;
  else if (error === undefined && world.led > 0) outcomes.led += 1;
  else wrong.push(`${target} ${mode} ${site}: ${error?.message ?? 'nothing happened'}`);
}

/** How many of the addresses the server would hear from. */
async function audible() {
  const before = hits.length;
  for (const target of targets) {
    if (/^[a-z]+\.?[a-z]*$/i.test(target)) continue;
    const host = addressOf(target);
    const socket = connect(port, host);
    await Promise.race([once(socket, 'connect'), sleep(50)]).catch(() => {});
    socket.destroy();
  }
  // Connections are accepted in the order they were made: once this one is, all before it were.
  const last = connect(port, isolated ? good : '127.0.0.1');
  await once(last, 'connect');
  while (!accepted.has(last.localPort)) await once(server, 'connection');
  last.destroy();
  return hits.splice(before).length;
}

const heard = await audible();
const modes = isolated
  ? ['direct', 'redirect', 'rebinding', 'mixed', 'cname']
  : ['direct', 'mixed', 'cname'];
const names = Object.keys(sites).filter(
  (site) => isolated || !['endpoint', 'streamUrl'].includes(site),
);
const cases = targets.flatMap((target) =>
  modes.flatMap((mode) => names.map((site) => [target, mode, site])),
);
const queue = cases.values();
// Most of them wait for what does not come.
await Promise.all(
  Array.from({ length: 128 }, async () => {
    for (const [target, mode, site] of queue) await attempt(target, mode, site);
  }),
);
// Whatever is still on its way arrives now.
await sleep(200);
process.stdout.write(JSON.stringify({ cases: cases.length, outcomes, wrong, hits, heard }));
server.closeAllConnections();
server.close();
