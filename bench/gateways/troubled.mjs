// A gateway before a good server of this process and one that is in trouble all the time: node troubled.mjs TROUBLE; prints its URL.
import { gateway } from '@mcp-kit/host/gateway';
import { openSession } from 'mcp-kit/client';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { memoryPair, serveChannel } from 'mcp-kit/transport';
import { childTarget } from 'mcp-kit/transport/child-process';
import { serveHttp } from 'mcp-kit/transport/http';
import { shellServer } from '../lib/shell-server.mjs';
import { benchTools } from '../lib/tools.mjs';

const atOnce = 20;

function inThisProcess(name, serve) {
  const dial = async () => {
    const [near, far] = memoryPair();
    serve(far);
    return near;
  };
  return { label: name, key: name, wire: 'stream', dial };
}

const serverOf = (name, tools) => createServer({ name, version: '1', features: [tools] });
const [{ inputSchema: input, ...echo }] = benchTools();
const good = serverOf('good', toolSet([tool({ ...echo, input })]));
const named = (name, run = () => name) => tool({ name, description: name, run });

/** Answers everything twice, and what was never asked. */
function lies(channel) {
  const say = (message) => channel.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const tools = [{ name: 'lie', inputSchema: { type: 'object' } }];
  const results = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'liar', version: '1' },
    },
    'tools/list': { tools },
    'tools/call': { content: [{ type: 'text', text: 'a lie' }] },
  };
  channel.start({
    message({ id, method }) {
      if (id === undefined) return;
      const result = results[method];
      say({ id: 99_999, result: results['tools/call'] });
      for (const _ of [1, 2]) {
        say(result ? { id, result } : { id, error: { code: -32601, message: 'no' } });
      }
    },
    ended() {},
    closed() {},
  });
}

/** Each has the server that is in trouble, and what is done to it every so often; `call` calls one of its tools. */
const troubles = {
  none: () => ({ target: inThisProcess('bad', (far) => serveChannel(good, far)) }),
  killed: () => ({
    target: childTarget(shellServer(0)),
    // To start a process stops this one for some milliseconds, whoever does it.
    everyMs: 500,
    trouble({ call, pid }) {
      void call('any');
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    },
  }),
  stopped: () => ({
    target: childTarget(shellServer(0)),
    begin: ({ call, pid }) => {
      process.kill(pid, 'SIGSTOP');
      for (let n = 0; n < atOnce; n++) void call('any');
    },
  }),
  slow: () => {
    const slow = named('slow', () => new Promise((resolve) => setTimeout(resolve, 500, 'slow')));
    const server = serverOf('bad', toolSet([slow]));
    return {
      target: inThisProcess('bad', (far) => serveChannel(server, far)),
      trouble: ({ call }) => void call('slow'),
    };
  },
  lying: () => ({
    target: inThisProcess('bad', lies),
    trouble: ({ call }) => void call('lie'),
  }),
  changing: () => {
    const tools = toolSet([named('t0')]);
    const server = serverOf('bad', tools);
    let at = 0;
    return {
      target: inThisProcess('bad', (far) => serveChannel(server, far)),
      trouble() {
        tools.remove(`t${at}`);
        tools.add(named(`t${(at += 1)}`));
      },
    };
  },
};

const { target, begin, trouble, everyMs = 50 } = troubles[process.argv[2]]();
const goodTarget = inThisProcess('good', (far) => serveChannel(good, far));
const service = gateway({ good: goodTarget, bad: target });
await service.settled();
const client = await openSession(inThisProcess('gateway', (far) => serveChannel(service, far)));
const about = () => ({
  call: (name) => client.callTool(`bad__${name}`).catch(() => {}),
  pid: service.status().servers.find(({ name }) => name === 'bad')?.pid,
});
begin?.(about());
if (trouble !== undefined) setInterval(() => trouble(about()), everyMs);
const { url } = await serveHttp(service);
console.log(url);
