// The HTTP load generator, a process of its own that carries out commands. A closed loop: each connection has one request
// under way, and every answer is checked.
import { performance } from 'node:perf_hooks';
import { decode, encode, HttpConnection, openSession } from './http-connection.mjs';
import { faultOf, firstId, httpHeaders, request, statelessEra, workRequest } from './messages.mjs';
import { quantile } from './stats.mjs';

let target;
let flavour; // { era, mode, tool?, accept?, protocolVersion? }
let lanes = []; // { connection, session }
let sessions = [];
const streams = []; // connections with an idle event stream

/** Has `count` workers call `work(n)` for n = 0 … `times` - 1. */
async function spread(times, count, work) {
  let next = 0;
  const worker = async (w) => {
    while (next < times) await work(next++, w);
  };
  await Promise.all(Array.from({ length: count }, (_, w) => worker(w)));
}

const workBytes = (what, session, options) => {
  const message = workRequest(flavour.era, what, { tool: flavour.tool, ...options });
  return encode(target, message, httpHeaders(flavour.era, message, session));
};

// A server closes connections that were idle for seconds. They are dialled again before the load: Node accepts one
// connection per turn of its event loop, so that under load a new one may wait for long.
async function redial(some) {
  const closed = some.filter(({ connection }) => !connection.socket);
  if (closed.length === 0) return;
  await Promise.all(closed.map(({ connection }) => connection.dial()));
  await new Promise((resolve) => setTimeout(resolve, 50 + closed.length));
}

const summary = (latencies, failures, elapsedMs) => ({
  requests: latencies.length,
  elapsedMs,
  perSecond: (latencies.length / elapsedMs) * 1000,
  p50: quantile(latencies, 0.5),
  p99: quantile(latencies, 0.99),
  failures,
});

const commands = {
  /** Opens connections, each with a session of its own, or all with one. */
  async open({ url, connections, oneSession, ...rest }) {
    target = new URL(url);
    flavour = rest;
    lanes = [];
    const open = async (session) => {
      const connection = new HttpConnection(target);
      await connection.dial();
      lanes.push({
        connection,
        session: session ?? (await openSession(connection, target, flavour)),
      });
    };
    if (oneSession) await open();
    const session = lanes[0]?.session;
    await spread(connections - lanes.length, 32, () => open(session));
  },

  /** One exchange, checked in every part. */
  async probe({ what, ...options }) {
    const { connection, session } = lanes[0];
    const { mode, message } = decode(await connection.exchange(workBytes(what, session, options)));
    if (flavour.mode !== undefined && mode !== flavour.mode)
      throw new Error(`answered ${mode} instead of ${flavour.mode}`);
    const fault = faultOf(message, what, options);
    if (fault) throw new Error(fault);
  },

  /** Load on the first `connections` for `seconds`. */
  async run({ what, connections, seconds, kib }) {
    const busy = lanes.slice(0, connections);
    await redial(busy);
    const tally = { latencies: [], failures: {}, id: firstId };
    const leastLength = what === 'large' ? kib * 1024 : 20;
    const started = performance.now();
    const deadline = started + seconds * 1000;
    await Promise.all(
      busy.map(({ connection, session }) => {
        const bytes = workBytes(what, session, { kib });
        const check = what === 'call' ? callFault : (reply) => lengthFault(reply, leastLength);
        return runLane(connection, bytes, { deadline, check, tally });
      }),
    );
    return summary(tally.latencies, tally.failures, performance.now() - started);
  },

  /** Sessions opened and deleted on the first `connections` for `seconds`; each such pair counts as one request. */
  async churn({ connections, seconds }) {
    const busy = lanes.slice(0, connections);
    await redial(busy);
    const latencies = [];
    const started = performance.now();
    const deadline = started + seconds * 1000;
    await Promise.all(
      busy.map(async ({ connection }) => {
        for (let now = started; now < deadline;) {
          const session = await openSession(connection, target, flavour);
          const headers = httpHeaders(flavour.era, {}, session);
          const { status } = await connection.exchange(
            encode(target, undefined, headers, 'DELETE'),
          );
          if (status < 200 || status > 204) throw new Error(`DELETE: ${status}`);
          latencies.push(performance.now() - now);
          now = performance.now();
        }
      }),
    );
    return summary(latencies, {}, performance.now() - started);
  },

  /** Creates sessions over the open connections and keeps their ids. */
  async sessions({ count }) {
    sessions = [];
    const started = performance.now();
    await spread(count, lanes.length, async (_, w) => {
      sessions.push(await openSession(lanes[w].connection, target, flavour));
    });
    const distinct = new Set(sessions.map(({ sessionId }) => sessionId)).size;
    if (distinct !== count) throw new Error(`${distinct} distinct sessions of ${count}`);
    return { seconds: (performance.now() - started) / 1000 };
  },

  /** Opens idle event streams: GET on a session each, or subscriptions/listen in the modern era. */
  async streams({ count }) {
    await spread(count, 16, async (n) => {
      const connection = new HttpConnection(target);
      await connection.dial();
      streams.push(connection);
      await new Promise((resolve, reject) => {
        connection.headSeen = (status) =>
          status === 200 ? resolve() : reject(new Error(`stream: ${status}`));
        connection.send(streamBytes(n), null, reject);
      });
    });
    const open = streams.filter(({ socket }) => socket && !socket.destroyed).length;
    if (open !== count) throw new Error(`${open} open streams of ${count}`);
  },
};

function streamBytes(n) {
  const { era } = flavour;
  if (era !== statelessEra) {
    const headers = { ...httpHeaders(era, {}, sessions[n]), accept: 'text/event-stream' };
    return encode(target, undefined, headers, 'GET');
  }
  const params = { notifications: { toolsListChanged: true } };
  const listen = request(era, n + 1, 'subscriptions/listen', params);
  return encode(target, listen, httpHeaders(era, listen));
}

function lengthFault({ status, length }, least) {
  if (status !== 200) return `status ${status}`;
  return length < least ? 'short body' : undefined;
}

function callFault(reply, id) {
  const { status, body } = reply;
  if (status !== 200) return `status ${status}`;
  const bytes = body.length === 1 ? body[0] : Buffer.concat(body);
  if (!bytes.includes(`"id":${id}`)) return 'another id';
  if (bytes.includes('"isError":true') || bytes.includes('"error":{')) return 'error result';
}

function runLane(connection, bytes, { deadline, check, tally }) {
  const idAt = bytes.indexOf(`"id":${firstId}`) + 5;
  const fail = (why) => (tally.failures[why] = (tally.failures[why] ?? 0) + 1);
  return new Promise((resolve) => {
    let sent = 0;
    let id = '';
    const next = () => {
      sent = performance.now();
      if (sent >= deadline) return resolve();
      id = String(++tally.id);
      bytes.latin1Write(id, idAt);
      connection.send(bytes, received, broken);
    };
    const received = (reply) => {
      tally.latencies.push(performance.now() - sent);
      const fault = check(reply, id);
      if (fault) fail(fault);
      next();
    };
    const broken = (error) => {
      if (fail(error.message) > 100) return resolve();
      connection.dial().then(next, () => resolve());
    };
    next();
  });
}

process.on('message', async ({ id, command, ...options }) => {
  try {
    process.send({ id, value: (await commands[command](options)) ?? null });
  } catch (error) {
    process.send({ id, error: String(error?.stack ?? error) });
  }
});
process.on('disconnect', () => process.exit(0));
