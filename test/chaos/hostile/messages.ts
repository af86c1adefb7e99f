import { weighted, type Random } from './random.ts';
import { anyId, anyValue, damaged, members, word } from './values.ts';

const versions: readonly string[] = [
  '2026-07-28',
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '1.0',
  '',
];

const text = (random: Random): string => JSON.stringify(word(random));
const maybe = (random: Random, known: readonly string[]): string =>
  random.chance(0.9) ? JSON.stringify(random.pick(known)) : text(random);

function envelope(random: Random): string {
  return members(random, {
    'io.modelcontextprotocol/protocolVersion': maybe(random, versions),
    'io.modelcontextprotocol/clientCapabilities': random.chance(0.8) ? '{}' : anyValue(random),
    ...(random.chance(0.2) ? { progressToken: anyId(random) } : {}),
  });
}

/** What a client may ask, and with what. */
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
  'tools/list': (random) => (random.chance(0.5) ? {} : { cursor: anyValue(random) }),
  'tools/call': (random) => ({
    name: maybe(random, ['echo', 'count', 'ask', 'hang']),
    arguments: random.chance(0.6)
      ? anyValue(random)
      : members(random, { nonce: text(random), items: anyValue(random) }),
  }),
  'resources/list': () => ({}),
  'resources/templates/list': () => ({}),
  'resources/read': (random) => ({ uri: maybe(random, ['test://file', 'test://item/1']) }),
  'resources/subscribe': (random) => ({ uri: maybe(random, ['test://file']) }),
  'resources/unsubscribe': (random) => ({ uri: maybe(random, ['test://file']) }),
  'prompts/list': () => ({}),
  'prompts/get': (random) => ({ name: text(random), arguments: anyValue(random) }),
  'completion/complete': (random) => ({
    ref: random.chance(0.5) ? '{"type":"ref/resource","uri":"test://item/{id}"}' : anyValue(random),
    argument: members(random, { name: text(random), value: text(random) }),
  }),
  'logging/setLevel': (random) => ({ level: maybe(random, ['debug', 'error', 'off']) }),
  'subscriptions/listen': (random) => ({ notifications: anyValue(random) }),
  'tasks/get': (random) => ({ taskId: text(random) }),
  'made/up': (random) => ({ anything: anyValue(random) }),
};
const methods = Object.keys(asked);

const told: readonly string[] = [
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
  'notifications/message',
  'notifications/tools/list_changed',
  'notifications/resources/updated',
  'notifications/elicitation/complete',
  'made/up',
];

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

function notification(random: Random): string {
  const params = members(random, {
    requestId: anyId(random),
    progressToken: anyId(random),
    progress: String(random.below(100)),
    uri: '"test://file"',
    level: '"info"',
    data: anyValue(random),
  });
  return members(random, { jsonrpc: '"2.0"', method: JSON.stringify(random.pick(told)), params });
}

function response(random: Random): string {
  const outcome = random.chance(0.5)
    ? { result: anyValue(random) }
    : { error: random.chance(0.6) ? '{"code":-32000,"message":"no"}' : anyValue(random) };
  return members(random, { jsonrpc: '"2.0"', id: anyId(random), ...outcome });
}

const clientKind = weighted<(random: Random) => string>([
  [60, (random) => request(random)],
  [15, notification],
  [10, response],
  [8, (random) => damaged(random, request(random))],
  [7, (random) => request(random, 'tools/call')],
]);

/** The text of something that a client sends; one line. */
export const clientMessage = (random: Random): string => clientKind(random)(random);

/** What a server answers to these methods if it means well. */
const answers: Readonly<Record<string, (random: Random) => string>> = {
  initialize: (random) =>
    members(random, {
      protocolVersion: maybe(random, versions),
      capabilities:
        '{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{}}',
      serverInfo: '{"name":"hostile","version":"1"}',
    }),
  'server/discover': (random) =>
    members(random, {
      supportedVersions: random.chance(0.8) ? '["2026-07-28"]' : anyValue(random),
      capabilities: '{"tools":{},"resources":{},"prompts":{}}',
      resultType: '"complete"',
    }),
  'tools/list': (random) =>
    members(random, {
      tools: `[${Array.from({ length: random.below(4) }, () => tool(random)).join(',')}]`,
      ...(random.chance(0.3) ? { nextCursor: text(random) } : {}),
      resultType: '"complete"',
      ttlMs: random.chance(0.5) ? '1000' : anyValue(random),
    }),
  'tools/call': (random) =>
    members(random, {
      content: random.chance(0.7) ? `[{"type":"text","text":${text(random)}}]` : anyValue(random),
      structuredContent: anyValue(random),
      resultType: random.chance(0.8) ? '"complete"' : '"input_required"',
      ...(random.chance(0.1) ? { inputRequests: inputs(random), requestState: text(random) } : {}),
    }),
};

const schemas: readonly string[] = [
  '{"type":"object"}',
  '{"type":"object","properties":{"a":{"type":"string","pattern":"(a+)+$"}}}',
  '{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}',
  '{"$defs":{"a":{"allOf":[{"properties":{"x":{"$ref":"#/$defs/a"}}},{"properties":{"x":{"$ref":"#/$defs/a"}}}]}},"$ref":"#/$defs/a"}',
  '{"type":"object","additionalProperties":{"anyOf":[{"$ref":"#"},{"$ref":"#"},{"type":"string"}]}}',
];

const tool = (random: Random): string =>
  members(random, {
    name: maybe(random, ['echo', 'add', 'hang']),
    description: text(random),
    inputSchema: random.chance(0.7) ? random.pick(schemas) : anyValue(random),
    ...(random.chance(0.5) ? { outputSchema: random.pick(schemas) } : {}),
  });

const inputs = (random: Random): string =>
  `{"q":{"method":"elicitation/create","params":{"mode":"form","message":${text(random)},"requestedSchema":${random.pick(schemas)}}}}`;

/** An answer to a request with this id: right, wrong, twice, or another's. */
export function answerTo(random: Random, method: string, id: string): string {
  const known = answers[method];
  const result = known !== undefined && random.chance(0.8) ? known(random) : anyValue(random);
  const outcome: Record<string, string> = random.chance(0.9)
    ? { result }
    : { error: random.chance(0.6) ? '{"code":-32601,"message":"no"}' : anyValue(random) };
  return members(random, {
    jsonrpc: '"2.0"',
    id: random.chance(0.95) ? id : anyId(random),
    ...outcome,
  });
}

const question = (random: Random): string =>
  members(random, {
    jsonrpc: '"2.0"',
    id: anyId(random),
    method: JSON.stringify(
      random.pick([
        'ping',
        'elicitation/create',
        'sampling/createMessage',
        'roots/list',
        'made/up',
      ]),
    ),
    params: random.chance(0.5)
      ? members(random, { message: text(random), requestedSchema: random.pick(schemas) })
      : anyValue(random),
  });

const serverKind = weighted<(random: Random) => string>([
  [35, notification],
  [25, question],
  [20, response],
  [20, (random) => damaged(random, notification(random))],
]);

/** Something that a server says without being asked; one line. */
export const serverMessage = (random: Random): string => serverKind(random)(random);
