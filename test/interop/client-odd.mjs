// A server with one oddity, written by hand, to be started: node client-odd.mjs ODDITY [delay in ms]
// Its tools: `echo` returns its text; `seen` lists the methods this process has received.
import { setTimeout as sleep } from 'node:timers/promises';

const [, , oddity, delayMs = '0'] = process.argv;
const modernVersion = '2026-07-28';
const versionKey = 'io.modelcontextprotocol/protocolVersion';

const info = { name: `odd-${oddity}`, version: '1.0.0' };
const capabilities = { tools: {} };
const seen = [];
let initialized = false;
let probed = false;

// Some platforms begin a stream with a byte order mark, and end lines in two characters.
const lineEnd = oddity === 'bom' ? '\r\n' : '\n';
let prefix = oddity === 'bom' ? '\uFEFF' : '';

function write(value) {
  process.stdout.write(`${prefix}${JSON.stringify(value)}${lineEnd}`);
  prefix = '';
}
const answer = (id, result) => write({ jsonrpc: '2.0', id, result });
const refuse = (id, error) => write({ jsonrpc: '2.0', id, error });

const tools = ['echo', 'seen'].map((name) => ({
  name,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
}));

function resultOf({ method, params }) {
  const modern = params?._meta?.[versionKey] !== undefined;
  const wrap = (result) => (modern ? { resultType: 'complete', ...result } : result);
  const kept = modern ? { ttlMs: 0, cacheScope: 'private' } : {};
  switch (method) {
    case 'ping':
      return {};
    case 'tools/list':
      return wrap({ tools, ...kept });
    case 'tools/call': {
      const text = params.name === 'seen' ? seen.join(' ') : params.arguments.text;
      return wrap({ content: [{ type: 'text', text }] });
    }
    default:
      return undefined;
  }
}

/** As servers of either era do: the handshake, then requests. */
function serve(message) {
  const { id, method } = message;
  if (id === undefined) return;
  if (method === 'initialize') {
    initialized = true;
    const protocolVersion = oddity === 'old' ? '2024-11-05' : '2025-11-25';
    answer(id, { protocolVersion, capabilities, serverInfo: info });
    return;
  }
  const result = resultOf(message);
  if (result === undefined) refuse(id, { code: -32601, message: `Method not found: ${method}` });
  else answer(id, result);
}

function discover(id) {
  probed = true;
  const about = { supportedVersions: [modernVersion], capabilities };
  const kept = { ttlMs: 0, cacheScope: 'private' };
  const _meta = { 'io.modelcontextprotocol/serverInfo': info };
  answer(id, { resultType: 'complete', ...about, ...kept, _meta });
}

/** Whoever speaks before the handshake ends this process. */
function exits(message) {
  if (!initialized && message.method !== 'initialize') {
    process.stderr.write(`expect initialized request, but received ${message.method}\n`);
    process.exit(1);
  }
  serve(message);
}

/** What is not known is not answered. */
function silent(message) {
  if (initialized || message.method === 'initialize') serve(message);
}

/** Knows the newest era only; the probe decides it for good. */
function pins(message) {
  if (message.method === 'server/discover') discover(message.id);
  else if (message.method === 'initialize' && probed) {
    const data = { supported: [modernVersion], requested: message.params.protocolVersion };
    refuse(message.id, { code: -32022, message: 'Unsupported protocol version', data });
  } else serve(message);
}

/** Dies in the middle of every second call. */
let calls = 0;
function dies(message) {
  if (message.method === 'tools/call' && ++calls === 2) {
    process.stderr.write('out of luck\n');
    process.exit(7);
  }
  serve(message);
}

function onlyIds(type) {
  return (message) => {
    if (message.id === undefined || typeof message.id === type) serve(message);
    else refuse(null, { code: -32600, message: `the id is not a ${type}` });
  };
}

/** Prints around each message what does not belong on standard output. */
const megabyte = `${'noise '.repeat(20)}\n`.repeat(9_000);
function noisy(message) {
  process.stdout.write(`[debug] received ${message.method}\r\n`);
  process.stdout.write('{"level":30,"msg":"a log line that is JSON"}\n\n');
  process.stdout.write('{"jsonrpc":"2.0","id":"half a mess\n[1,2,3]\nnull\n"text"\n');
  if (message.method === 'tools/call') process.stdout.write(megabyte);
  serve(message);
  process.stdout.write('\u001b[32mdone\u001b[0m\r\n');
}

const oddities = {
  exits,
  silent,
  pins,
  dies,
  noisy,
  bom: serve,
  old: serve,
  plain: serve,
  'string-ids': onlyIds('string'),
  'number-ids': onlyIds('number'),
};

// Nothing is read until then.
if (oddity === 'noisy') process.stdout.write('  Welcome to the noisy server!\r\n=====\n');
await sleep(Number(delayMs));

let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    seen.push(message.method ?? 'answer');
    oddities[oddity](message);
  }
});
process.stdin.on('end', () => process.exit());
