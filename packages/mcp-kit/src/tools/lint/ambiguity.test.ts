import { describe, expect, test } from 'vitest';
import { isExplosive } from './ambiguity.ts';
import { lintTools } from './lint.ts';

describe('a pattern that can explode', () => {
  test.each([
    '^(a+)+$',
    '(a*)*b',
    '^(a|a)*$',
    '^(a|aa)+$',
    '^(\\w+\\s?)*$',
    '^([a-zA-Z0-9]+)*$',
    '(x+x+)+y',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '^(\\d+|\\w)*!$',
    '^([^,]+,?)*$',
    '^(?:[a-z0-9]+-?)+$',
    '^(a{1,3}){1,40}$',
    '^(?<word>(?:a|b)*c?)*$',
    '^([\\w.]+)+@',
    '(\\s|\\u0020)*x',
    '(\\s|\\u{20})*x',
    '(.|\\n)*x',
    '^(?:\\p{Mn}+)+$',
    '^(?:\\p{L}|[a-z])*$',
    '^(?=(a+)+$)b',
    '^(?:[\\]a]+|a)*$',
  ])('is found: %s', (pattern) => {
    expect(isExplosive(pattern)).toBe(true);
  });

  test.each([
    '^[a-z][a-z0-9-]*$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^(?:[a-z0-9]+-)*[a-z0-9]+$',
    '^[a-z]+(?:_[a-z]+)*$',
    '^(foo|bar)+$',
    '^[^\\s@]+@[^\\s@]+$',
    '^(?:\\d{1,3}\\.){3}\\d{1,3}$',
    '^([01]\\d|2[0-3]):[0-5]\\d$',
    '^\\p{L}+$',
    '^(?:\\p{L}|\\p{N})+$',
    '^(?:\\p{Mn}|\\p{Me})+$',
    '^v?\\d+(\\.\\d+)*$',
    '^[\\w.-]{1,64}$',
    '^(?!-)[a-z-]+$',
    '^db://[^/]+(/[^/]+)*$',
    '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$',
    '^(?:a\\b|\\cAb|[\\b]c|\\x41d|\\k<n>)*(?<n>x)$',
    '^[-a]+(?:,[a-]+)*$',
    '',
  ])('is not seen in one that cannot: %s', (pattern) => {
    expect(isExplosive(pattern)).toBe(false);
  });

  test.each([
    `(${'a|'.repeat(110)}b)*`,
    '(((((a{5}){5}){5}){5}){5}){5}',
    `${'(.*'.repeat(50)}${')'.repeat(50)}`,
    '(.*)*'.repeat(60),
    '[a-z]?'.repeat(160),
    `${'('.repeat(480)}a${')*'.repeat(480)}`,
    `[${'a-z'.repeat(300)}]*`,
  ])('is looked for within bounds: %.20s…', (pattern) => {
    const before = process.cpuUsage();
    isExplosive(pattern);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(500);
  });

  test('is named by the linter, wherever it stands', () => {
    const slow = '^(a+)+$';
    const tool = {
      name: 'get_note_text',
      description: 'Does something.',
      inputSchema: {
        type: 'object',
        properties: {
          pattern: { type: 'string', description: 'Text.', pattern: '^[a-z]+$' },
          list: { type: 'array', description: 'Texts.', items: { anyOf: [{ pattern: slow }] } },
        },
        examples: ['^(b+)+$'],
      },
      outputSchema: { type: 'object', patternProperties: { '^(\\d+)*$': {} } },
    };
    expect(lintTools([tool])).toMatchObject([
      {
        rule: 'pattern-bounded',
        level: 'error',
        message: `the pattern ${slow} can take exponential time`,
      },
      { rule: 'pattern-bounded', message: 'the pattern ^(\\d+)*$ can take exponential time' },
    ]);
  });
});
