import { maybe, notification, response, text, versions } from './messages.ts';
import { weighted, type Random } from './random.ts';
import { anyId, anyValue, damaged, listOf, members } from './values.ts';

/** What answers have told and a client can play with: sealed states and cursors, its own and those of others. */
const heard: string[] = [];

/** Looks for what an answer seals or points at, to be sent back, whole or changed. */
export function hear(answer: string): void {
  for (const [, found = ''] of answer.matchAll(/"(?:requestState|nextCursor)":"([^"]{1,2000})"/g)) {
    if (heard.length < 50) heard.push(found);
    else heard[found.length % 50] = found;
  }
}

function heardAgain(random: Random): string {
  const known = heard.length > 0 && random.chance(0.8) ? random.pick(heard) : 'forged';
  return JSON.stringify(
    random.chance(0.5) ? known : `${known.slice(0, random.below(50))}A${known}`,
  );
}

function envelope(random: Random): string {
  return members(random, {
    'io.modelcontextprotocol/protocolVersion': maybe(random, versions),
    'io.modelcontextprotocol/clientCapabilities': random.chance(0.7)
      ? random.pick(['{}', '{"elicitation":{"form":{}},"sampling":{}}'])
      : anyValue(random),
    ...(random.chance(0.2) ? { progressToken: anyId(random) } : {}),
    ...(random.chance(0.1) ? { 'io.modelcontextprotocol/clientInfo': anyValue(random) } : {}),
    ...(random.chance(0.1) ? { 'io.modelcontextprotocol/logLevel': text(random) } : {}),
    ...(random.chance(0.05) ? { traceparent: text(random) } : {}),
  });
}

/** The next round of a question: answers that fit or do not, and a state that may be another's. */
const nextRound = (random: Random): Record<string, string> => ({
  inputResponses: random.chance(0.5)
    ? '{"word":{"action":"accept","content":{"word":"x"}}}'
    : anyValue(random),
  ...(random.chance(0.8) ? { requestState: heardAgain(random) } : {}),
});

const uri = (random: Random): string =>
  random.chance(0.05)
    ? JSON.stringify(`test://item/${'%2e/'.repeat(random.below(5000))}`)
    : maybe(random, ['test://file', 'test://item/1', 'test://item/{id}']);

const page = (random: Random): Record<string, string> =>
  random.chance(0.6) ? {} : { cursor: random.chance(0.5) ? heardAgain(random) : anyValue(random) };

/** What a client may ask in either era, and with what. */
const asked: Readonly<Record<string, (random: Random) => Record<string, string>>> = {
  ping: () => ({}),
  initialize: (random) => ({
    protocolVersion: maybe(random, versions),
    capabilities: random.chance(0.7)
      ? '{"elicitation":{},"sampling":{},"roots":{}}'
      : anyValue(random),
    clientInfo: random.chance(0.7) ? '{"name":"hostile","version":"1"}' : anyValue(random),
  }),
  'server/discover': () => ({}),
  'tools/list': page,
  'tools/call': (random) => ({
    name: maybe(random, ['echo', 'count', 'ask', 'hang', 'progress']),
    arguments: random.chance(0.5)
      ? anyValue(random)
      : members(random, { nonce: text(random), items: anyValue(random) }),
    ...(random.chance(0.15) ? nextRound(random) : {}),
    ...(random.chance(0.05) ? { task: anyValue(random) } : {}),
  }),
  'resources/list': page,
  'resources/templates/list': page,
  'resources/read': (random) => ({ uri: uri(random) }),
  'resources/subscribe': (random) => ({ uri: uri(random) }),
  'resources/unsubscribe': (random) => ({ uri: uri(random) }),
  'prompts/list': page,
  'prompts/get': (random) => ({
    name: maybe(random, ['greet']),
    arguments: anyValue(random),
    ...(random.chance(0.1) ? nextRound(random) : {}),
  }),
  'completion/complete': (random) => ({
    ref: random.chance(0.5) ? '{"type":"ref/resource","uri":"test://item/{id}"}' : anyValue(random),
    argument: members(random, { name: text(random), value: text(random) }),
    ...(random.chance(0.2) ? { context: anyValue(random) } : {}),
  }),
  'logging/setLevel': (random) => ({ level: maybe(random, ['debug', 'error', 'off']) }),
  'subscriptions/listen': (random) => ({
    notifications: random.chance(0.5)
      ? `{"toolsListChanged":true,"resourceSubscriptions":[${listOf(random, () => uri(random))}]}`
      : anyValue(random),
  }),
  'tasks/get': (random) => ({ taskId: text(random) }),
  'tasks/list': page,
  'tasks/result': (random) => ({ taskId: text(random) }),
  'tasks/cancel': (random) => ({ taskId: text(random) }),
  'roots/list': () => ({}),
  'sampling/createMessage': (random) => ({ messages: anyValue(random) }),
  get_tool_manifest: (random) => ({ name: text(random) }),
  get_trace_by_id: (random) => ({ traceId: text(random) }),
  'made/up': (random) => ({ anything: anyValue(random) }),
};
const methods = Object.keys(asked);

function request(random: Random, method = random.pick(methods)): string {
  const params = { ...asked[method]?.(random) };
  if (random.chance(0.5)) params['_meta'] = envelope(random);
  return members(random, {
    jsonrpc: '"2.0"',
    id: anyId(random),
    method: random.chance(0.97) ? JSON.stringify(method) : text(random),
    params: random.chance(0.95) ? members(random, params) : anyValue(random),
  });
}

/** What is longer is refused, whatever it says. */
const maxBatch = 20_000_000;

/** What array a revision allows, and others refuse: small, or of as many as fit. */
function batch(random: Random): string {
  const count = random.chance(0.9) ? random.below(10) : random.pick([1000, 3000]);
  if (count < 10) return `[${Array.from({ length: count }, () => request(random)).join(',')}]`;
  const one = random.chance(0.5)
    ? request(random, 'ping')
    : '{"jsonrpc":"2.0","id":1,"method":"x"}';
  const fitting = Math.min(count, Math.ceil(maxBatch / one.length));
  return `[${Array.from({ length: fitting }, () => one).join(',')}]`;
}

const clientKind = weighted<(random: Random) => string>([
  [58, (random) => request(random)],
  [14, notification],
  [8, response],
  [8, (random) => damaged(random, request(random))],
  [10, (random) => request(random, 'tools/call')],
  [2, batch],
]);

/** The text of something that a client sends; one line. */
export const clientMessage = (random: Random): string => clientKind(random)(random);
