import * as fc from 'fast-check';
import type { PolicyDecision, PolicyRule } from '@mcp-kit/host';
import { describe, expect, test } from 'vitest';
import { createPolicy, type PolicySubject } from './policy.ts';

const numRuns = Math.ceil(Number(process.env['PROPERTY_RUNS']) / 4);
const remove: PolicySubject = {
  server: 'files',
  kind: 'tool',
  name: 'delete_file',
  effect: 'destructive',
  args: {},
};

function decide(
  rules: readonly PolicyRule[],
  subject: Partial<PolicySubject> = {},
): PolicyDecision {
  return createPolicy([{ rules }]).decide({ ...remove, ...subject }).decision;
}

describe('In a file the first rule that fits decides', () => {
  test.each<[string, readonly PolicyRule[], Partial<PolicySubject>, PolicyDecision]>([
    ['nothing fits', [{ decision: 'deny', servers: ['other'] }], {}, 'allow'],
    ['the first', [{ decision: 'ask', tools: ['delete_*'] }, { decision: 'deny' }], {}, 'ask'],
    ['by effect', [{ decision: 'deny', effects: ['write', 'destructive'] }], {}, 'deny'],
    ['by another effect', [{ decision: 'deny', effects: ['write'] }], {}, 'allow'],
    [
      'without annotations',
      [{ decision: 'deny', effects: ['destructive'] }],
      { effect: undefined },
      'deny',
    ],
    [
      'by principal',
      [{ decision: 'deny', principals: ['ann@*'] }],
      { principal: 'ann@example' },
      'deny',
    ],
    [
      'by another principal',
      [{ decision: 'deny', principals: ['ann@*'] }],
      { principal: 'bob@example' },
      'allow',
    ],
    ['of nobody', [{ decision: 'deny', principals: ['ann'] }], {}, 'allow'],
    ['tools are no prompts', [{ decision: 'deny', tools: ['*'] }], { kind: 'prompt' }, 'allow'],
    [
      'effects are of tools',
      [{ decision: 'deny', effects: ['destructive'] }],
      { kind: 'resource' },
      'allow',
    ],
    ['all of a server', [{ decision: 'deny', servers: ['files'] }], { kind: 'resource' }, 'deny'],
  ])('%s', (...[, given, about, decision]) => {
    expect(decide(given, about)).toBe(decision);
  });
});

describe('Conditions on arguments', () => {
  const deny = (pointer: string, condition: object): readonly PolicyRule[] => [
    { decision: 'deny', arguments: { [pointer]: condition as never } },
  ];
  const allow = (pointer: string, condition: object): readonly PolicyRule[] => [
    { decision: 'allow', arguments: { [pointer]: condition as never } },
    { decision: 'deny' },
  ];
  test.each<[readonly PolicyRule[], unknown, PolicyDecision]>([
    [deny('/path', { glob: '/etc/*' }), { path: '/etc/passwd' }, 'deny'],
    [deny('/path', { glob: '/etc/*' }), { path: '/ETC/passwd' }, 'deny'],
    [deny('/path', { glob: '/etc/*' }), { path: ['/tmp/a', '/etc/b'] }, 'deny'],
    [deny('/path', { glob: '/etc/*' }), { path: '/tmp' }, 'allow'],
    [deny('/count', { equals: 5 }), { count: '5' }, 'deny'],
    [deny('/a/b', { oneOf: ['x', 'y'] }), { a: { b: 'Y' } }, 'deny'],
    [deny('/files/*/path', { equals: 'x' }), { files: [{ path: 'a' }, { path: 'x' }] }, 'deny'],
    [deny('/force', { absent: true }), {}, 'deny'],
    [deny('/force', { absent: true }), { force: null }, 'deny'],
    [deny('/force', { absent: true }), { force: false }, 'allow'],
    [deny('/a~1b', { equals: 1 }), { 'a/b': 1 }, 'deny'],
    [deny('/path', { glob: 'x' }), { path: 'y'.repeat(100_000) }, 'deny'],
    [deny('/all/*', { equals: 1 }), { all: Array.from({ length: 5000 }, () => 0) }, 'deny'],
    [allow('/path', { glob: '/data/*' }), { path: '/data/a' }, 'allow'],
    [allow('/path', { glob: '/data/*' }), { path: '/Data/a' }, 'deny'],
    [allow('/path', { glob: '/data/*' }), { path: '/data/../etc/passwd' }, 'deny'],
    [allow('/path', { glob: '/data/*' }), { path: ['/data/a', '/etc/b'] }, 'deny'],
    [allow('/path', { glob: '/data/*' }), { path: [] }, 'deny'],
    [allow('/path', { glob: '/data/*' }), {}, 'deny'],
    [allow('/count', { equals: 5 }), { count: '5' }, 'deny'],
    [allow('/force', { absent: true }), { force: null }, 'deny'],
    [allow('/__proto__/x', { equals: 1 }), {}, 'deny'],
  ])('%j and %j: %s', (rules, args, decision) => {
    expect(decide(rules, { args })).toBe(decision);
  });
});

test('no way to write a name leads around a rule that forbids it', () => {
  const invisible = fc.constantFrom(
    '',
    '\u200b',
    '\u00ad',
    '\u202e',
    '\ufeff',
    '\u0301',
    ' ',
    '\u0000',
  );
  const mark = fc.tuple(fc.boolean(), fc.boolean(), invisible);
  const written = fc.array(mark, { minLength: 11, maxLength: 11 }).map((marks) =>
    Array.from('delete_file', (letter, at) => {
      const [isUpper, isWide, hidden] = marks[at] ?? [false, false, ''];
      const cased = isUpper ? letter.toUpperCase() : letter;
      const wide = String.fromCodePoint((cased.codePointAt(0) ?? 0) + 0xfee0);
      return (isWide && letter !== '_' ? wide : cased) + hidden;
    }).join(''),
  );
  fc.assert(
    fc.property(written, fc.constantFrom('files', 'FILES', 'ﬁles'), (name, server) => {
      const rules = [{ decision: 'deny', servers: ['files'], tools: ['delete_*'] }] as const;
      expect(decide(rules, { name, server })).toBe('deny');
      // What allows it does not fit anything else than what it names.
      const only = [{ decision: 'allow', tools: ['delete_file'] }, { decision: 'deny' }] as const;
      expect(decide(only, { name })).toBe(name === 'delete_file' ? 'allow' : 'deny');
    }),
    { numRuns },
  );
});

const glob = fc.constantFrom('*', 'files', 'f*', 'delete_*', 'read', 'x');
const rule: fc.Arbitrary<PolicyRule> = fc.record(
  {
    decision: fc.constantFrom<PolicyDecision>('allow', 'ask', 'deny'),
    servers: fc.array(glob, { minLength: 1, maxLength: 2 }),
    tools: fc.array(glob, { minLength: 1, maxLength: 2 }),
    effects: fc.uniqueArray(
      fc.constantFrom('read' as const, 'write' as const, 'destructive' as const),
      { minLength: 1 },
    ),
    principals: fc.array(fc.constantFrom('ann', 'bob', '*'), { minLength: 1, maxLength: 2 }),
    arguments: fc.constant({ '/path': { equals: 'a' } }),
  },
  { requiredKeys: ['decision'] },
);
const rules = fc.array(rule, { maxLength: 4 });
const subject: fc.Arbitrary<PolicySubject> = fc.record({
  server: fc.constantFrom('files', 'other'),
  kind: fc.constantFrom('tool' as const, 'prompt' as const, 'resource' as const),
  name: fc.constantFrom('delete_file', 'read', 'x'),
  effect: fc.constantFrom('read' as const, 'write' as const, 'destructive' as const),
  principal: fc.constantFrom('ann', 'bob', undefined),
  args: fc.constantFrom({}, { path: 'a' }, { path: 'b' }),
});
const strictness = ['allow', 'ask', 'deny'];

test('another file can only make a policy stricter', () => {
  fc.assert(
    fc.property(rules, rules, subject, (own, others, about) => {
      const alone = createPolicy([{ rules: own }]).decide(about).decision;
      const both = createPolicy([{ rules: own }, { rules: others }]).decide(about).decision;
      expect(strictness.indexOf(both)).toBeGreaterThanOrEqual(strictness.indexOf(alone));
    }),
    { numRuns },
  );
});

test.each<[boolean, readonly PolicyRule[]]>([
  [true, [{ decision: 'deny', servers: ['files'], principals: ['ann'] }]],
  [true, [{ decision: 'ask', servers: ['other'] }, { decision: 'deny' }]],
  [false, [{ decision: 'deny', servers: ['files'], principals: ['bob'] }]],
  [false, [{ decision: 'allow', tools: ['read'] }, { decision: 'deny' }]],
  [false, [{ decision: 'deny', tools: ['*'] }]],
  [false, [{ decision: 'deny', arguments: { '/path': { equals: 'a' } } }]],
])('whether a server is hidden whatever it has: %s by %j', (isHidden, given) => {
  const policy = createPolicy([{ rules: given }]);
  expect(policy.hidesServer({ server: 'files', principal: 'ann' })).toBe(isHidden);
});

test.each<[boolean, readonly PolicyRule[]]>([
  [true, [{ decision: 'deny' }]],
  [
    true,
    [
      { decision: 'deny', tools: ['x'] },
      { decision: 'deny', reason: 'nothing' },
    ],
  ],
  [false, [{ decision: 'deny', servers: ['files'] }]],
  [false, [{ decision: 'deny', principals: ['*'] }]],
  [false, [{ decision: 'allow', servers: ['files'] }, { decision: 'deny' }]],
])('whether everything is refused to everybody: %s by %j', (isAll, given) => {
  expect(createPolicy([{ rules: given }]).deniesAll).toBe(isAll);
});

test('what is not shown is refused whatever the arguments, and what is refused for all is not shown', () => {
  fc.assert(
    fc.property(rules, subject, (given, about) => {
      const policy = createPolicy([{ rules: given }]);
      const all = [{}, { path: 'a' }, { path: 'b' }].map(
        (args) => policy.decide({ ...about, args }).decision,
      );
      expect(!policy.hides(about) || all.every((one) => one === 'deny')).toBe(true);
      expect(!policy.hidesFromAll(about) || policy.hides(about)).toBe(true);
      expect(!policy.hidesServer(about) || policy.hides(about)).toBe(true);
      expect(!policy.deniesAll || policy.hidesFromAll(about)).toBe(true);
      const anybody = ['ann', 'bob', 'eve', undefined];
      const views = new Map<string, boolean>();
      for (const principal of anybody) {
        const view = policy.viewOf(principal);
        const isHidden = policy.hides({ ...about, principal });
        // Those with the same view see the same.
        expect(views.get(view) ?? isHidden).toBe(isHidden);
        views.set(view, isHidden);
      }
    }),
    { numRuns },
  );
});
