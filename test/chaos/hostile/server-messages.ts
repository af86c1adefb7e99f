import { maybe, notification, response, text, versions } from './messages.ts';
import { weighted, type Random } from './random.ts';
import { anyId, anyValue, damaged, members, word } from './values.ts';

/** Schemas that are valid, costly, without end, or none. */
const schemas: readonly string[] = [
  '{"type":"object"}',
  '{"type":"object","properties":{"a":{"type":"string","pattern":"(a+)+$"}}}',
  '{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}',
  '{"$defs":{"a":{"allOf":[{"properties":{"x":{"$ref":"#/$defs/a"}}},{"properties":{"x":{"$ref":"#/$defs/a"}}}]}},"$ref":"#/$defs/a"}',
  '{"type":"object","additionalProperties":{"anyOf":[{"$ref":"#"},{"$ref":"#"},{"type":"string"}]}}',
  '{"type":"array","uniqueItems":true}',
  '{"type":"object","patternProperties":{"^(x+x+)+y$":{}},"unevaluatedProperties":false}',
  `{"anyOf":[${Array.from({ length: 500 }, (_, at) => `{"properties":{"k${at}":{"const":${at}}}}`).join(',')}]}`,
  `${'{"properties":{"x":'.repeat(200)}{}${'}}'.repeat(200)}`,
  `{"properties":{${Array.from({ length: 3000 }, (_, at) => `"p${at}":{"type":"string"}`).join(',')}}}`,
  '{"$ref":"http://127.0.0.1:1/schema.json"}',
  '{"$id":"x","$ref":"x"}',
];

/** Values that cost such schemas the most. */
const costly: readonly string[] = [
  `${'{"x":'.repeat(28)}1${'}'.repeat(28)}`,
  `{"a":"${'a'.repeat(35)}!"}`,
  `{"${'x'.repeat(35)}":1}`,
  `[${Array.from({ length: 3000 }, (_, at) => `{"v":${at}}`).join(',')}]`,
  `${'{"y":'.repeat(60)}1${'}'.repeat(60)}`,
];

const schema = (random: Random): string =>
  random.chance(0.8) ? random.pick(schemas) : anyValue(random);

const content = (random: Random): string =>
  random.chance(0.7)
    ? `[{"type":"text","text":${text(random)}}]`
    : random.pick([
        anyValue(random),
        '[{"type":"image","data":"!","mimeType":"x"}]',
        '[{"type":"resource","resource":{"uri":"x"}}]',
        '[{"type":"made-up"}]',
        '[null]',
      ]);

/** Lists whose pages go on, come again, or never end. */
function list(random: Random, key: string, item: (random: Random) => string): string {
  const count = random.chance(0.98) ? random.below(4) : random.pick([200, 1000]);
  const items =
    count < 10
      ? Array.from({ length: count }, () => item(random))
      : Array.from({ length: count }, (_, at) => `{"name":"n${at}","inputSchema":{}}`);
  return members(random, {
    [key]: `[${items.join(',')}]`,
    ...(random.chance(0.4)
      ? { nextCursor: random.chance(0.5) ? '"same"' : `"${random.below(1e9)}"` }
      : {}),
    resultType: '"complete"',
    ttlMs: random.chance(0.5) ? '1000' : anyValue(random),
  });
}

const tool = (random: Random): string =>
  members(random, {
    name: maybe(random, ['echo', 'add', 'hang', 'count']),
    description: text(random),
    inputSchema: schema(random),
    ...(random.chance(0.6) ? { outputSchema: schema(random) } : {}),
    ...(random.chance(0.1) ? { annotations: anyValue(random), icons: anyValue(random) } : {}),
  });

const resource = (random: Random): string =>
  members(random, { uri: text(random), name: text(random), uriTemplate: text(random) });

const inputs = (random: Random): string =>
  `{"q":{"method":${maybe(random, ['elicitation/create', 'sampling/createMessage', 'roots/list'])},"params":{"mode":"form","message":${text(random)},"requestedSchema":${schema(random)}}}}`;

/** What a server answers to these methods if it means well. */
const answers: Readonly<Record<string, (random: Random) => string>> = {
  initialize: (random) =>
    members(random, {
      protocolVersion: maybe(random, versions),
      capabilities:
        '{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{},"completions":{}}',
      serverInfo: random.chance(0.9) ? '{"name":"hostile","version":"1"}' : anyValue(random),
      ...(random.chance(0.1) ? { instructions: anyValue(random) } : {}),
    }),
  'server/discover': (random) =>
    members(random, {
      supportedVersions: random.chance(0.8) ? '["2026-07-28"]' : anyValue(random),
      capabilities: random.chance(0.9)
        ? '{"tools":{},"resources":{},"prompts":{},"completions":{}}'
        : anyValue(random),
      resultType: '"complete"',
    }),
  'tools/list': (random) => list(random, 'tools', tool),
  'resources/list': (random) => list(random, 'resources', resource),
  'resources/templates/list': (random) => list(random, 'resourceTemplates', resource),
  'prompts/list': (random) => list(random, 'prompts', resource),
  'resources/read': (random) =>
    members(random, {
      contents: random.chance(0.7) ? `[{"uri":"x","text":${text(random)}}]` : anyValue(random),
    }),
  'prompts/get': (random) => members(random, { messages: anyValue(random) }),
  'completion/complete': (random) =>
    members(random, { completion: random.chance(0.5) ? '{"values":["a"]}' : anyValue(random) }),
  'tools/call': (random) =>
    random.chance(0.02)
      ? `{"toolResult":${anyValue(random)}}`
      : members(random, {
          content: content(random),
          structuredContent: random.chance(0.5) ? random.pick(costly) : anyValue(random),
          resultType: random.chance(0.8) ? '"complete"' : '"input_required"',
          ...(random.chance(0.1)
            ? { inputRequests: inputs(random), requestState: text(random) }
            : {}),
        }),
};

/** An answer to a request with this id: right, wrong, or another's. */
export function answerTo(random: Random, method: string, id: string): string {
  const known = Object.hasOwn(answers, method) ? answers[method] : undefined;
  const result = known !== undefined && random.chance(0.85) ? known(random) : anyValue(random);
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
    method: maybe(random, [
      'ping',
      'elicitation/create',
      'sampling/createMessage',
      'roots/list',
      'tools/call',
      'made/up',
    ]),
    params: random.chance(0.5)
      ? members(random, { message: text(random), requestedSchema: schema(random) })
      : anyValue(random),
  });

const serverKind = weighted<(random: Random) => string>([
  [40, notification],
  [25, question],
  [15, response],
  [15, (random) => damaged(random, notification(random))],
  [5, (random) => `${word(random)} is no message`.replaceAll(/[\n\r]/g, ' ')],
]);

/** Something that a server says without being asked; one line. */
export const serverMessage = (random: Random): string => serverKind(random)(random);

/** The same little thing over and over: as many as are wanted, each of them in order. */
export function flood(random: Random, token: string): () => string {
  switch (random.below(4)) {
    case 0:
      return () =>
        `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":${random.below(1000)}}}`;
    case 1:
      return () => '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
    case 2:
      return () => `{"jsonrpc":"2.0","id":${random.below(1e6)},"method":"ping"}`;
    default: {
      const same = serverMessage(random);
      return () => same;
    }
  }
}
