import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KitError } from 'mcp-kit/internal';
import { convertConfig } from './convert.ts';
import { decodeDocument, decodeServer } from './decode.ts';
import { detectDialects } from './detect.ts';
import { dialectOf, dialects } from './dialects/index.ts';
import { parseDocument, type ConfigFormat } from './format/document.ts';
import { encodeEntry } from './encode.ts';
import type { ServerEntry } from './entry.ts';
import { factsOf, type Facts } from './facts.ts';
import { parseStrictJson } from './format/strict-json.ts';
import { parseTemplate } from './template.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);

const keys = [...new Set(dialects.flatMap(({ fields, home }) => [...fields.keys(), ...home]))];
const key = fc.oneof(
  fc.constantFrom(...keys, 'version', 'client', 'roots', '__proto__', 'constructor', ' ', ''),
  fc.string(),
);
const scalar = fc.oneof(
  fc.constantFrom(
    'stdio',
    'http',
    'sse',
    'local',
    'unix',
    'https://x/y',
    'unix:///a#/b',
    '${',
    '1',
  ),
  fc.string(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);
const { tree: anything } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: false }),
  ),
}));
const document = fc.oneof(
  anything,
  fc.dictionary(fc.constantFrom('mcpServers', 'servers', 'mcp', 'extensions', 'version'), anything),
  fc
    .tuple(
      fc.constantFrom(
        'mcpServers',
        'servers',
        'mcp',
        'extensions',
        'mcp_servers',
        'context_servers',
      ),
      fc.dictionary(fc.string(), fc.dictionary(key, anything, { maxKeys: 6 }), { maxKeys: 3 }),
    )
    .map(([root, servers]) => (root === 'servers' ? { servers, version: 1 } : { [root]: servers })),
);

const source = { file: '/f', scope: 'project', rank: 0 } as const;

describe('readers', () => {
  test('throw nothing, and every error has its file and place', () => {
    fc.assert(
      fc.property(document, fc.constantFrom(...dialects), (value, dialect) => {
        const { entries, errors } = decodeDocument(value, dialect, source);
        for (const error of errors) {
          assert.ok(error instanceof KitError);
          assert.equal(error.code, 'invalid_config');
          assert.equal(error.details?.['file'], '/f');
          assert.match(String(error.details?.['pointer']), /^(\/.*)?$/s);
        }
        for (const { entry } of entries) assert.ok(entry.name.trim() !== '');
        assert.ok(detectDialects('/f', value).length > 0);
      }),
      { numRuns },
    );
  });

  test('of texts fail with KitErrors only', async () => {
    const formats = fc.constantFrom<ConfigFormat>('json', 'jsonc', 'toml', 'yaml');
    const content = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(...Array.from('{}[]:,"\'\\#&*!|=-\n a1/')) }),
    );
    await fc.assert(
      fc.asyncProperty(content, formats, async (text, format) => {
        try {
          await parseDocument(text, '/f', format);
        } catch (error) {
          assert.ok(error instanceof KitError);
          assert.equal(error.details?.['file'], '/f');
        }
      }),
      { numRuns: Math.min(numRuns, 20_000) },
    );
  });

  test('take JSON as JSON.parse does, and refuse exactly what has a key twice', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        assert.deepEqual(parseStrictJson(text, '/f'), JSON.parse(text));
      }),
      { numRuns },
    );
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 2 })), fc.json(), (names, value) => {
        const members = names.map((name) => `${JSON.stringify(name)}:${value}`);
        const read = (): unknown => parseStrictJson(`[0,{${members.join()}}]`, '/f');
        if (new Set(names).size === names.length) read();
        else assert.throws(read, /is there twice$/);
      }),
      { numRuns },
    );
  });
});

const word = fc.stringMatching(/^[A-Za-z0-9_./:-]{1,12}$/);
/** A text, some of which hosts have to say in their own way, or cannot say at all. */
const spoken = fc.oneof(
  { weight: 3, arbitrary: word },
  fc.constantFrom(
    '${A}',
    'x ${A}',
    '${A:-b}',
    '${MCP_ROOT}/x',
    '${input:q}',
    '$env:A',
    '%A%',
    '$A',
  ),
);
const variable = fc.stringMatching(/^[A-Z_]{1,6}$/);
const texts = fc.dictionary(fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,8}$/), spoken, {
  maxKeys: 3,
  noNullPrototype: true,
});
const seconds = fc.integer({ min: 1, max: 100 }).map((count) => count * 1000);
const names = fc.array(word, { minLength: 1, maxLength: 3 });
const common = {
  enabled: fc.boolean(),
  requestMs: seconds,
  startupMs: seconds,
  allow: names,
  deny: names,
  autoApprove: names,
  title: word,
  description: word,
};
const oauth = fc.oneof(
  fc.constantFrom(false as const, {}),
  fc.record(
    { clientId: word, clientSecret: word, scopes: names, redirectUri: word, callbackPort: seconds },
    { requiredKeys: [] },
  ),
);
const facts: fc.Arbitrary<Facts> = fc.oneof(
  fc.record(
    {
      ...common,
      kind: fc.constant('stdio' as const),
      command: spoken,
      args: fc.array(spoken, { maxLength: 3 }),
      env: texts,
      passEnv: fc.uniqueArray(variable, { maxLength: 2 }),
      cwd: spoken,
      envFile: spoken,
      inheritEnv: fc.boolean(),
    },
    { requiredKeys: ['kind', 'command'] },
  ),
  fc.record(
    {
      ...common,
      kind: fc.constantFrom('http' as const, 'sse' as const),
      url: spoken.map((host) => `https://${host}`),
      headers: texts,
      oauth,
      bearerTokenEnv: variable,
      envHeaders: fc.dictionary(fc.constantFrom('X-A', 'X-B'), variable, { noNullPrototype: true }),
    },
    { requiredKeys: ['kind', 'url'] },
  ),
);

/** An entry of a host that says these facts as far as the host can. */
function entryIn(dialect: (typeof dialects)[number], said: Facts): ServerEntry | undefined {
  const compat = dialects.find(({ id }) => id === 'compat');
  assert.ok(compat);
  const fields = [...compat.fields].map(([name, field]) => [name, field.write(said)] as const);
  const raw = Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  const entry = decodeServer(raw, 's', compat);
  const encoded = encodeEntry(entry, dialect);
  return encoded.raw && decodeServer(encoded.raw, 's', dialect);
}

describe('conversion', () => {
  const ids = fc.constantFrom(...dialects.map(({ id }) => id));
  const pair = fc.tuple(fc.constantFrom(...dialects), fc.constantFrom(...dialects));

  test('to a host and back keeps all facts that are not named as lost', () => {
    fc.assert(
      fc.property(facts, pair, (said, [one, other]) => {
        const entry = entryIn(one, said);
        if (entry === undefined) return;
        const there = encodeEntry(entry, other);
        if (there.raw === undefined) {
          assert.ok(there.notes.some(({ field }) => field === 'transport'));
          return;
        }
        const back = encodeEntry(decodeServer(there.raw, 's', other), one);
        assert.ok(back.raw);
        const lost = new Set(
          [...there.notes, ...back.notes].map(({ field }) => field.split('/')[0]),
        );
        const before = normal(factsOf(entry), one);
        const after = normal(factsOf(decodeServer(back.raw, 's', one)), one);
        for (const fact of Object.keys(before) as (keyof Facts)[]) {
          if (lost.has(fact) || isNamed(fact, lost)) continue;
          if (fact === 'kind' && before.kind !== 'sse') assert.notEqual(after.kind, 'sse');
          else assert.deepEqual([fact, after[fact]], [fact, before[fact]]);
        }
      }),
      { numRuns: Math.min(numRuns, 20_000) },
    );
  });

  test('to a host names all that is not there, and nothing else is said to be kept', async () => {
    await fc.assert(
      fc.asyncProperty(facts, ids, ids, async (said, from, to) => {
        const [one, other] = [dialectOf(from), dialectOf(to)];
        const entry = entryIn(one, said);
        if (entry === undefined || one === other) return;
        const { text, lost, servers } = await convertConfig([entry], other.id);
        const parsed = await parseDocument(text, '/f', other.format);
        const { entries, errors } = decodeDocument(parsed, other, source);
        assert.deepEqual(errors, []);
        assert.deepEqual(
          entries.map(({ entry: read }) => read.name),
          servers,
        );
        const [read] = entries;
        if (read === undefined) {
          assert.ok(lost.some(({ field }) => field === 'transport'));
          return;
        }
        const before = normal(factsOf(entry), one);
        const after = normal(factsOf(read.entry), other);
        const kept = lost.filter(({ why }) => why.includes('kept as it is'));
        const gone = new Set(
          lost.filter((loss) => !kept.includes(loss)).map(({ field }) => field.split('/')[0]),
        );
        for (const { field } of kept) {
          const [fact = '', ...part] = field.split('/');
          assert.ok(textAt(factsOf(read.entry), fact, part) !== undefined, `${field} is kept`);
        }
        const altered = new Set(lost.map(({ field }) => field));
        for (const fact of Object.keys(before) as (keyof Facts)[]) {
          if (gone.has(fact) || isNamed(fact, gone) || fact === 'kind') continue;
          const same = (part: string): boolean => altered.has(part);
          assert.deepEqual(
            [fact, without(after[fact], fact, same)],
            [fact, without(before[fact], fact, same)],
          );
        }
      }),
      { numRuns: Math.ceil(Math.min(numRuns, 100_000) / 20) },
    );
  });

  test('into its own text changes nothing, for every host', async () => {
    await fc.assert(
      fc.asyncProperty(facts, fc.constantFrom(...dialects), async (said, dialect) => {
        const entry = entryIn(dialect, said);
        if (entry === undefined) return;
        const { text, lost } = await convertConfig([entry], dialect.id);
        expect(lost).toEqual([]);
        const again = await convertConfig([entry], dialect.id, { into: text });
        expect(again.text).toBe(text);
        const parsed = await parseDocument(text, '/f', dialect.format);
        const { entries, errors } = decodeDocument(parsed, dialect, source);
        expect(errors).toEqual([]);
        expect(entries.map(({ entry: read }) => factsOf(read))).toEqual([factsOf(entry)]);
      }),
      { numRuns: Math.min(numRuns, 5000) },
    );
  });
});

function textAt(said: Facts, fact: string, part: readonly string[]): unknown {
  const value: unknown = Reflect.get(said, fact);
  return part.length === 0 ? value : Reflect.get(Object(value) as object, part.join('/'));
}

/** The value without the texts that are known to be said otherwise. */
function without(value: unknown, fact: string, isAltered: (part: string) => boolean): unknown {
  if (isAltered(fact)) return undefined;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([part]) => !isAltered(`${fact}/${part}`));
  return Object.fromEntries(entries);
}

/** Facts with variables by name, whichever way they were said. */
function normal(said: Facts, { syntax }: (typeof dialects)[number]): Facts {
  const plain = (text: string): string =>
    parseTemplate(text, syntax)
      .map((part) => (typeof part === 'string' ? part : `<${part.choices[0]?.name}>`))
      .join('');
  const { passEnv = [], bearerTokenEnv, envHeaders = {}, env = {}, headers = {}, ...rest } = said;
  const map = (record: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(record).map(([name, text]) => [name, plain(text)]));
  const { command, args, cwd, envFile, url } = rest;
  const tokens =
    bearerTokenEnv === undefined ? [] : [['Authorization', `Bearer <${bearerTokenEnv}>`]];
  return {
    ...rest,
    command: command && plain(command),
    args: args?.map(plain),
    cwd: cwd && plain(cwd),
    envFile: envFile && plain(envFile),
    url: url && plain(url),
    env: { ...Object.fromEntries(passEnv.map((name) => [name, `<${name}>`])), ...map(env) },
    headers: {
      ...map(headers),
      ...Object.fromEntries(Object.entries(envHeaders).map(([name, to]) => [name, `<${to}>`])),
      ...Object.fromEntries(tokens),
    },
  };
}

/** A fact that is part of another one in the normal form. */
function isNamed(fact: string, lost: ReadonlySet<string | undefined>): boolean {
  if (fact === 'env') return lost.has('passEnv');
  return fact === 'headers' && (lost.has('bearerTokenEnv') || lost.has('envHeaders'));
}
