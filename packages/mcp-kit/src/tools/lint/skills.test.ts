import { describe, expect, test } from 'vitest';
import type { Skill } from '#protocol';
import { lintSkills, type LintedSkill } from './skills.ts';

const file = (name: string, size = 10): { uri: string; digest: string; size: number } => ({
  uri: `skill://pdf/${name}`,
  digest: `sha256:${'0'.repeat(64)}`,
  size,
});

const skill: Skill = {
  uri: 'skill://pdf/SKILL.md',
  frontmatter: { name: 'pdf', description: 'Fills forms' },
  resources: [file('SKILL.md'), file('references/FORMS.md'), file('a b.md')],
};

const said = (linted: Partial<LintedSkill>): readonly string[] =>
  lintSkills([{ skill, ...linted }]).map(({ rule, message }) => `${rule}: ${message}`);

describe('the linter of skills', () => {
  test('finds nothing in a good one', () => {
    const text = [
      'See [forms](references/FORMS.md#fields), [x](./a%20b.md "x"), [all](references/),',
      '[a page](https://example.com/x.md), [below](#below), `[code](none.md)`, ![p](<references/FORMS.md>)',
      '```md',
      '[example](none.md)',
      '```',
      '[one]: references/FORMS.md',
    ].join('\n');
    expect(said({ text })).toEqual([]);
  });

  test.each([
    ['[a](missing.md)', 'skill-links: the link missing.md leads to no file of the skill'],
    ['[a]: missing.md', 'skill-links: the link missing.md leads to no file of the skill'],
    ['[a](../other/SKILL.md)', 'skill-links: the link ../other/SKILL.md leads out of the skill'],
    ['[a](/etc/passwd)', 'skill-links: the link /etc/passwd leads out of the skill'],
    ['line\n'.repeat(500), 'skill-length: it has 501 lines'],
  ])('%j', (text, finding) => {
    expect(said({ text })).toEqual([finding]);
  });

  test.each([
    [{ name: 'PDF', description: 'x' }, 'skill-name'],
    [{ name: 'other', description: 'x' }, 'skill-name'],
    [{ description: 'x' }, 'skill-name'],
    [{ name: 'pdf' }, 'skill-description'],
    [{ name: 'pdf', description: 'x'.repeat(1025) }, 'skill-description'],
    [{ name: 'pdf', description: 'x', hooks: {} }, 'skill-fields'],
    [{ name: 'pdf', description: 'x', metadata: { version: 2 } }, 'skill-fields'],
  ])('%o is against %s', (frontmatter, rule) => {
    const found = lintSkills([{ skill: { ...skill, frontmatter } }]);
    expect(found.map((finding) => finding.rule)).toEqual([rule]);
    expect(lintSkills([{ skill: { ...skill, frontmatter } }], { ignore: [rule as never] })).toEqual(
      [],
    );
  });

  test('counts files and bytes', () => {
    const resources = Array.from({ length: 513 }, (_, at) => file(`${at}.md`));
    expect(said({ skill: { ...skill, resources } })).toEqual([
      'skill-limits: it has 513 files and 5130 bytes',
    ]);
  });

  test('takes time in proportion to what it reads', () => {
    const cost = (text: string): number => {
      const begun = process.cpuUsage();
      lintSkills([{ skill, text }]);
      const { user, system } = process.cpuUsage(begun);
      return user + system;
    };
    for (const part of ['[', '![', '[a](', '`', '```\n', '[a]: ', '<', '(']) {
      expect(cost(part.repeat(20_000))).toBeLessThan(2_000_000);
    }
  });
});
