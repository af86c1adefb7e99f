import { descriptionFault, folderNameOf, nameFault, skillLimits, type Skill } from '#protocol';
import { brokenLinks } from './skill-links.ts';

/** The name of a rule for skills. */
export type SkillRule =
  | 'skill-name'
  | 'skill-description'
  | 'skill-fields'
  | 'skill-limits'
  | 'skill-links'
  | 'skill-length';

/** Something that a rule found about a skill. */
export interface SkillFinding {
  readonly rule: SkillRule;
  readonly level: 'error' | 'warning';
  /** The URI of its `SKILL.md`. */
  readonly skill: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** A skill, and the text of its `SKILL.md` where that was read. */
export interface LintedSkill {
  readonly skill: Skill;
  readonly text?: string | undefined;
}

type Remark = Pick<SkillFinding, 'message' | 'hint'>;

interface Rule {
  readonly level: SkillFinding['level'];
  /** One sentence: what must be so. */
  readonly demand: string;
  check(linted: LintedSkill): readonly Remark[];
}

/** Longer ones belong into files that are read when they are needed. */
const maxLines = 500;

const known: readonly string[] = [
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
];

const rules: Readonly<Record<SkillRule, Rule>> = {
  'skill-name': {
    level: 'error',
    demand: 'The name has up to 64 of a-z, 0-9 and single hyphens, and is that of the folder.',
    check: ({ skill: { uri, frontmatter } }) =>
      remark(
        nameFault(frontmatter['name'], folderNameOf(uri)),
        'Hosts refuse skills that break it.',
      ),
  },
  'skill-description': {
    level: 'error',
    demand: 'A description of up to 1024 characters says what the skill does, and when to use it.',
    check: ({ skill: { frontmatter } }) =>
      remark(descriptionFault(frontmatter['description']), 'A model chooses by it.'),
  },
  'skill-fields': {
    level: 'warning',
    demand: `The frontmatter has no other fields than ${known.join(', ')}; others go into metadata, which maps texts to texts.`,
    check: ({ skill: { frontmatter } }) => fieldRemarks(frontmatter),
  },
  'skill-limits': {
    level: 'error',
    demand: `A skill has at most ${skillLimits.files} files and ${skillLimits.bytes} bytes.`,
    check: ({ skill: { resources } }) => {
      if (resources === 'dynamic') return [];
      const bytes = resources.reduce((sum, { size }) => sum + size, 0);
      const isWithin = resources.length <= skillLimits.files && bytes <= skillLimits.bytes;
      const message = `it has ${resources.length} files and ${bytes} bytes`;
      return isWithin ? [] : [{ message, hint: 'Hosts need not accept more.' }];
    },
  },
  'skill-links': {
    level: 'error',
    demand: 'A link in SKILL.md that is no address leads to a file of the skill.',
    check: ({ skill, text }) => (text === undefined ? [] : brokenLinks(text, skill)),
  },
  'skill-length': {
    level: 'warning',
    demand: `SKILL.md has at most ${maxLines} lines: all of it is read whenever the skill is used.`,
    check({ text = '' }) {
      const lines = text.split('\n').length;
      if (lines <= maxLines) return [];
      return [
        { message: `it has ${lines} lines`, hint: 'Move parts into files that it links to.' },
      ];
    },
  },
};

/** Every rule for skills: how serious it is, and what it demands. */
export const skillRules: Readonly<Record<SkillRule, Pick<Rule, 'level' | 'demand'>>> = rules;

/** What is wrong with skills, by the rules; takes what a server lists, with the text of each `SKILL.md` as far as it was read. */
export function lintSkills(
  skills: readonly LintedSkill[],
  { ignore = [] }: { readonly ignore?: readonly SkillRule[] | undefined } = {},
): readonly SkillFinding[] {
  return skills.flatMap((linted) =>
    Object.entries(rules).flatMap(([id, { level, check }]) => {
      const rule = id as SkillRule;
      if (ignore.includes(rule)) return [];
      return check(linted).map((found) => ({ rule, level, skill: linted.skill.uri, ...found }));
    }),
  );
}

function remark(message: string | undefined, hint: string): readonly Remark[] {
  return message === undefined ? [] : [{ message, hint }];
}

function fieldRemarks(frontmatter: Skill['frontmatter']): readonly Remark[] {
  const strange = Object.keys(frontmatter).filter((field) => !known.includes(field));
  const { metadata, compatibility } = frontmatter;
  const isMap =
    metadata === undefined ||
    (typeof metadata === 'object' &&
      metadata !== null &&
      Object.values(metadata).every((value) => typeof value === 'string'));
  const isShort = typeof compatibility !== 'string' || compatibility.length <= 500;
  const remarks: Remark[] = strange.map((field) => ({
    message: `its frontmatter has a field "${field}", which hosts do not know`,
    hint: 'Put it into metadata.',
  }));
  if (!isMap) {
    remarks.push({ message: 'its metadata is not a map of texts', hint: 'Quote the values.' });
  }
  if (!isShort) remarks.push({ message: 'its compatibility is longer than 500 characters' });
  return remarks;
}
