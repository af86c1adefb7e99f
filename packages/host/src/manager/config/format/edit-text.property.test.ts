import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, test } from 'vitest';
import { isRecord } from 'mcp-kit/internal';
import { parseDocument, type ConfigFormat } from './document.ts';
import { reviseText } from './edit-text.ts';
import { sameValue } from '../values.ts';

const numRuns = Math.ceil(Number(process.env['PROPERTY_RUNS']) / 5);

/** Words that neither format takes for something else. */
const word = fc
  .stringMatching(/^[a-z][a-z0-9_-]{0,6}$/)
  .filter((text) => !/^(true|false|null|yes|no|on|off|y|n|nan|inf|ours)$/.test(text));
const remark = fc.stringMatching(/^[ a-zA-Z0-9{}[\]:,"'=-]{0,12}$/);

/** White space and comments, as they may stand between any two tokens of JSON with comments. */
const gap = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('', ' ', '\n', '\n  ', '\n\t', '\n\n    ') },
  remark.map((text) => ` // ${text}\n`),
  remark.map((text) => ` /* ${text} */ `),
);

type Json = fc.Arbitrary<string>;
const scalar: Json = fc.oneof(
  word.map((text) => JSON.stringify(text)),
  fc.constantFrom('1', 'true', 'null', '"a, b"', '"// no"'),
);

function objectOf(member: Json): Json {
  return fc
    .tuple(
      fc.uniqueArray(word, { maxLength: 4 }),
      fc.array(fc.tuple(gap, gap, gap, gap, member), { minLength: 4, maxLength: 4 }),
      gap,
      fc.boolean(),
    )
    .map(([names, parts, last, trailing]) => {
      const members = names.map((name, at) => {
        const [a, b, c, d, value] = parts[at] ?? ['', '', '', '', 'null'];
        return `${a}${JSON.stringify(name)}${b}:${c}${value}${d}`;
      });
      return `{${members.join(',')}${trailing && members.length > 0 ? ',' : ''}${last}}`;
    });
}

const inner = objectOf(
  fc.oneof(
    scalar,
    fc.tuple(gap, scalar).map(([a, b]) => `[${a}${b}]`),
  ),
);
/** A file of a host: its servers among other things, before or after them, or no servers at all. */
const jsonc: Json = fc
  .tuple(
    objectOf(fc.oneof(scalar, inner)),
    fc.option(objectOf(inner), { nil: undefined }),
    gap,
    fc.constantFrom('', '\n', '\r\n'),
  )
  .map(([around, servers, space, end]) => {
    if (servers === undefined) return around + end;
    const comma = around === '{}' || !/"/.test(around) ? '' : ',';
    return `{${space}"servers":${space}${servers}${comma}${around.slice(1)}${end}`;
  });

const lineRemark = remark.map((text) => `# ${text.replaceAll('\n', '')}`);
const yamlValue = fc.oneof(
  word,
  fc.constantFrom('1', '"a: b"', "'x # y'", '[a, b]', '{a: 1}', '|\n      text\n      more'),
);
const yamlEntry = fc.tuple(
  fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
  fc.array(fc.tuple(yamlValue, fc.option(lineRemark, { nil: undefined })), {
    minLength: 3,
    maxLength: 3,
  }),
);
const yamlServers = fc
  .uniqueArray(word, { maxLength: 3 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc.tuple(fc.constant(name), yamlEntry, fc.option(lineRemark, { nil: undefined })),
      ),
    ),
  );
const yaml = fc
  .tuple(
    fc.uniqueArray(
      word.filter((text) => text !== 'servers'),
      { maxLength: 3 },
    ),
    yamlServers,
    fc.option(lineRemark, { nil: undefined }),
    fc.constantFrom('servers:', 'servers: {}', ''),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([others, servers, note, empty, first, ends]) => {
    const rest = others.map((name) => `${name}: 1${note === undefined ? '' : ` ${note}\n${note}`}`);
    const lines = servers.flatMap(([name, [keys, values], comment]) => [
      ...(comment === undefined ? [] : [`  ${comment}`]),
      `  ${name}:`,
      ...keys.map(
        (key, at) =>
          `    ${key}: ${values[at]?.[0]}${values[at]?.[1] === undefined || values[at][0].startsWith('|') ? '' : ` ${values[at][1]}`}`,
      ),
    ]);
    const own = lines.length > 0 ? ['servers:', ...lines] : empty === '' ? [] : [empty];
    const all = first ? [...own, ...rest] : [...rest, ...own];
    return all.join('\n') + (ends ? '\n' : '');
  });

const tomlValue = fc.constantFrom(
  '1',
  '"a"',
  '["a", "b"]',
  '[\n  "a", # in\n]',
  '"""\n[not.a.table]\n"""',
  '{ a = 1 }',
);
const toml = fc
  .tuple(
    fc.uniqueArray(word, { maxLength: 2 }),
    fc.uniqueArray(fc.tuple(fc.constantFrom('servers', 'other'), word), {
      maxLength: 4,
      selector: (pair) => pair.join('.'),
    }),
    fc.array(fc.tuple(tomlValue, fc.option(lineRemark, { nil: undefined }), fc.boolean()), {
      minLength: 4,
      maxLength: 4,
    }),
    fc.constantFrom('', '\n', '\n\n# end'),
  )
  .map(
    ([scalars, tables, values, end]) =>
      [
        ...scalars
          .filter((name) => name !== 'servers' && name !== 'other')
          .map((name) => `${name} = 1 # top`),
        ...tables.flatMap(([section, name], at) => {
          const [value, note, deeper] = values[at] ?? ['1', undefined, false];
          return [
            ...(note === undefined ? [] : ['', note]),
            `[${section}.${name}]`,
            `x = ${value}`,
            ...(deeper ? [`[${section}.${name}.deep]`, 'y = 1'] : []),
          ];
        }),
      ].join('\n') + end,
  );

const entry = fc.record({
  command: word,
  args: fc.array(word, { maxLength: 2 }),
  env: fc.dictionary(word, word, { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
});

/** Whether a text is another one with something put in at one place, or, after a comma that was missing, at two. */
function isInserted(text: string, longer: string): boolean {
  let at = 0;
  while (at < text.length && text[at] === longer[at]) at += 1;
  const isOnce = (rest: string, whole: string): boolean => {
    let same = 0;
    while (same < rest.length && rest[same] === whole[same]) same += 1;
    return whole.endsWith(rest.slice(same));
  };
  return (
    isOnce(text, longer) || (longer[at] === ',' && isOnce(text.slice(at), longer.slice(at + 1)))
  );
}

/** White space before a brace that an empty object was closed with, and the end of the last line, do not matter. */
const withoutGaps = (text: string): string =>
  text
    .replace(/\n$/, '')
    .replaceAll(/\s*\}/g, '}')
    .replaceAll(/servers: ?(\{\})?(?=\n|$)/g, 'servers:');

const texts: readonly (readonly [ConfigFormat, fc.Arbitrary<string>])[] = [
  ['jsonc', jsonc],
  ['yaml', yaml],
  ['toml', toml],
];

describe.each(texts)('an entry in %s, whatever is around it', (format, arbitrary) => {
  test('is put in without any other change, and taken out to the byte', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary, entry, async (text, value) => {
        const parsed = await parseDocument(text, '/f', format).catch(() => undefined);
        fc.pre(isRecord(parsed) && text.trim() !== '');
        const before = parsed;
        const servers = isRecord(before['servers']) ? before['servers'] : {};
        fc.pre(
          before['servers'] === undefined ||
            before['servers'] === null ||
            isRecord(before['servers']),
        );
        const after = { ...before, servers: { ...servers, ours: value } };
        const edited = await reviseText({ text, before, after }, format);
        assert.ok(sameValue(await parseDocument(edited, '/f', format), after));
        assert.ok(isInserted(text, edited), `${text}\n=>\n${edited}`);
        const back = await reviseText({ text: edited, before: after, after: before }, format).catch(
          () => undefined,
        );
        const isEmpty = before['servers'] === null;
        if (!isEmpty) assert.equal(withoutGaps(back ?? ''), withoutGaps(text));
      }),
      { numRuns },
    );
  });

  test('is taken out from among others, which stay as they are', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary, fc.nat(), async (text, pick) => {
        const parsed = await parseDocument(text, '/f', format).catch(() => undefined);
        fc.pre(isRecord(parsed) && isRecord(parsed['servers']));
        const before = parsed as { readonly servers: Readonly<Record<string, unknown>> };
        const names = Object.keys(before.servers);
        fc.pre(names.length > 0);
        const gone = names[pick % names.length] ?? '';
        const { [gone]: _, ...servers } = before.servers;
        const after = { ...before, servers };
        fc.pre(format !== 'toml' || Object.keys(servers).length > 0);
        const edited = await reviseText({ text, before, after }, format);
        assert.ok(edited.length < text.length + 4);
        // Those of JSON may be within what goes; the others are on lines of their own.
        const comments = (whole: string): readonly string[] => whole.match(/^\s*#.*$/gm) ?? [];
        const trimmed = (whole: string): readonly string[] =>
          comments(whole).map((line) => line.trim());
        if (format !== 'jsonc') assert.deepEqual(trimmed(edited), trimmed(text));
      }),
      { numRuns },
    );
  });
});
