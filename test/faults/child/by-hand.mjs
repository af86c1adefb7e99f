// A legacy server on standard input and output, written by hand so that it can misbehave.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const received = [];
const asked = new Map();
const write = (text) => process.stdout.write(`${text}\n`);
const say = (message) => write(JSON.stringify({ jsonrpc: '2.0', ...message }));
const text = (said) => ({ content: [{ type: 'text', text: String(said) }] });

const tools = {
  echo: ({ said }) => said,
  received: () => JSON.stringify(received),
  environment: ({ name }) => JSON.stringify([process.env[name] ?? null, process.cwd()]),
  pid: () => process.pid,
  async later({ said, ms }) {
    await sleep(ms);
    return said;
  },
  answer_strangers() {
    for (const id of [4711, 'nobody', null]) say({ id, result: text('for nobody') });
    return 'for you';
  },
  tell({ times }) {
    for (let at = 0; at < times; at += 1) say({ method: 'notifications/message', params: { at } });
    return 'told';
  },
  babble() {
    write('Server ready!');
    write('{"jsonrpc":"2.0","id":1,"resu');
    write('[1,2');
    process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a]));
    return 'babbled';
  },
  chatter({ bytes }) {
    process.stderr.write('x'.repeat(bytes));
    return 'chattered';
  },
  async ask_roots() {
    say({ id: 'server 1', method: 'roots/list' });
    return JSON.stringify(await new Promise((resolve) => asked.set('server 1', resolve)));
  },
  hang: () => new Promise(() => {}),
  die({ code }) {
    process.stderr.write('out of cheese\n');
    process.exit(code);
  },
  fall_deaf() {
    // Something to live for.
    setInterval(() => {}, 60_000);
    lines.pause();
    process.stdin.pause();
    return 'deaf now';
  },
  refuse() {
    throw Object.assign(new Error('not like this'), { code: -32602, data: { field: 'name' } });
  },
};

const methods = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'by hand', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
  'tools/call': async ({ name, arguments: args }) => text(await tools[name](args)),
};

async function serve({ id, method, params, result }) {
  if (method === undefined) asked.get(id)?.(result);
  if (id === undefined || method === undefined) return;
  try {
    if (methods[method] === undefined) throw Object.assign(new Error('unknown'), { code: -32601 });
    say({ id, result: await methods[method](params ?? {}) });
  } catch ({ code = -32603, message, data }) {
    say({ id, error: { code, message, data } });
  }
}

const [startMs = '0'] = process.argv.slice(2);
await sleep(Number(startMs));
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  received.push(line);
  void serve(JSON.parse(line));
});
lines.on('close', () => process.exit(0));
