import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { changeFeatures } from './features-changes.ts';
import { contentFeatures } from './features-content.ts';
import { inputFeatures } from './features-inputs.ts';
import { toolFeatures } from './features-tools.ts';
import { connectHost, type Place, type Speaker } from './hosts.ts';
import { makeReady } from './peers.mjs';
import { openPlace, type Wire } from './places.ts';
import { Recorder, type Recorded } from './recorder.ts';
import { readyMs } from './try-features.ts';

/** The official schemas, in a sibling directory that need not be there. */
const specFolder = path.resolve(import.meta.dirname, '../../../shared/spec');

const features = [...toolFeatures, ...inputFeatures, ...contentFeatures, ...changeFeatures];

const resultTypes: Readonly<Record<string, string>> = {
  initialize: 'InitializeResult',
  ping: 'EmptyResult',
  'logging/setLevel': 'EmptyResult',
  'resources/subscribe': 'EmptyResult',
  'resources/unsubscribe': 'EmptyResult',
  'tools/list': 'ListToolsResult',
  'tools/call': 'CallToolResult',
  'resources/list': 'ListResourcesResult',
  'resources/templates/list': 'ListResourceTemplatesResult',
  'resources/read': 'ReadResourceResult',
  'prompts/list': 'ListPromptsResult',
  'prompts/get': 'GetPromptResult',
  'completion/complete': 'CompleteResult',
  'server/discover': 'DiscoverResult',
  'subscriptions/listen': 'SubscriptionsListenResult',
};

type Check = (name: string, value: unknown) => string[];

/** Checks values against the types of one revision. */
function checkerOf(revision: string): Check {
  const file = path.join(specFolder, revision, 'schema.json');
  const schema = JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>;
  const place = '$defs' in schema ? '$defs' : 'definitions';
  const options = { strict: false, validateFormats: false, allErrors: true };
  const ajv = place === '$defs' ? new Ajv2020(options) : new Ajv(options);
  ajv.addSchema(schema, revision);
  const compiled = new Map<string, ValidateFunction>();
  return (name, value) => {
    let validate = compiled.get(name);
    if (validate === undefined) {
      validate = ajv.compile({ $ref: `${revision}#/${place}/${name}` });
      compiled.set(name, validate);
    }
    if (validate(value)) return [];
    return [
      `${name}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value).slice(0, 500)}`,
    ];
  };
}

/** The types a message of the server must have, with the part of it that must have each. */
function typesOf({ message, answers }: Recorded): [string, unknown][] {
  const whole: [string, unknown] = ['JSONRPCMessage', message];
  if ('method' in message) {
    return [whole, ['id' in message ? 'ServerRequest' : 'ServerNotification', message]];
  }
  const { result } = message;
  if (result === undefined) return [whole];
  if ((result as { resultType?: string }).resultType === 'input_required') {
    return [whole, ['InputRequiredResult', result]];
  }
  return [whole, [resultTypes[answers ?? ''] ?? `nothing known answers ${answers}`, result]];
}

/** Uses every feature this revision has words for, and takes down what the server says. */
async function recordAll(over: Wire, speaker: Speaker): Promise<Recorder> {
  const recorder = new Recorder();
  await using open = await openPlace(over, { tap: recorder.tap });
  const place: Place =
    open.place.kind === 'http' ? { ...open.place, fetch: recorder.fetch } : open.place;
  const session = await connectHost(place, speaker);
  const revision = speaker.version ?? '9999';
  for (const { era = session.era, since = '', run } of features) {
    if (era === session.era && revision >= since) await run(session);
  }
  await session.close();
  return recorder;
}

/** Everything the server says of its own accord when all features are used. */
function methodsOf(revision: string): string[] {
  const all = [
    'notifications/progress',
    'notifications/message',
    'notifications/tools/list_changed',
    'notifications/prompts/list_changed',
    'notifications/resources/list_changed',
    'notifications/resources/updated',
  ];
  if (revision === '2026-07-28') return [...all, 'notifications/subscriptions/acknowledged'];
  const asked = ['sampling/createMessage', 'roots/list'];
  return revision < '2025-06-18'
    ? [...all, ...asked]
    : [...all, ...asked, 'elicitation/create', 'notifications/cancelled'];
}

const withoutForms = { roots: { listChanged: true }, sampling: {} };

const revisions: readonly { readonly revision: string; readonly speaker: Speaker }[] = [
  ...['2024-11-05', '2025-03-26'].map((version) => ({
    revision: version,
    speaker: { sdk: 'v1' as const, version, capabilities: withoutForms },
  })),
  ...['2025-06-18', '2025-11-25'].map((version) => ({
    revision: version,
    speaker: { sdk: 'v1' as const, version },
  })),
  { revision: '2026-07-28', speaker: { sdk: 'v2', mode: 'auto' } },
];

describe.skipIf(!existsSync(specFolder))(
  'What the server says is valid by the official schema (needs ../shared/spec)',
  () => {
    beforeAll(makeReady, readyMs);

    for (const { revision, speaker } of revisions) {
      test(`of ${revision}, which tells valid from invalid`, () => {
        const check = checkerOf(revision);
        expect(check('JSONRPCMessage', { jsonrpc: '1.0', id: 1, result: {} })).toHaveLength(1);
        expect(check('ListToolsResult', { tools: [{ name: 'without a schema' }] })).toHaveLength(1);
        expect(check('ServerNotification', { jsonrpc: '2.0', method: 'made/up' })).toHaveLength(1);
      });

      test.each(['socket', 'http'] as const)(`of ${revision}, over %s`, async (kind) => {
        const { messages } = await recordAll(kind, speaker);
        const said = new Set(messages.map(({ message }) => message['method']));
        expect(said).toEqual(new Set([undefined, ...methodsOf(revision)]));
        const check = checkerOf(revision);
        const errors = messages.flatMap((recorded) =>
          typesOf(recorded).flatMap(([type, value]) => check(type, value)),
        );
        expect(errors).toEqual([]);
      });
    }
  },
);
