import type { PolicyDecision, PolicyPart, PolicyRule } from '@mcp-kit/host';
import { matcherOf, type Known, type Matcher, type PolicySubject } from './match.ts';

export type { PolicySubject } from './match.ts';

/** What is decided, and by which rule; by none where it is allowed for want of one. */
interface Verdict {
  readonly decision: PolicyDecision;
  readonly rule?: PlacedRule | undefined;
}

/** A rule, and where it is written down. */
export interface PlacedRule extends PolicyRule {
  /** Nothing where a program has given it. */
  readonly file?: string | undefined;
  /** Within the file: a JSON pointer. Without a file: its place in the list. */
  readonly pointer: string;
}

/** All rules that count. */
export interface Policy {
  readonly rules: readonly PlacedRule[];
  decide(subject: PolicySubject): Verdict;
  /** What each file says by itself: the rule that decides there, or none. */
  each(
    subject: PolicySubject,
  ): readonly { readonly file?: string | undefined; readonly rule?: PlacedRule | undefined }[];
  /** Whether it is refused whatever the arguments are: then it is not shown either. */
  hides(subject: Omit<PolicySubject, 'args'>): boolean;
  /** The same for everybody, whoever asks. */
  hidesFromAll(subject: Omit<PolicySubject, 'args' | 'principal'>): boolean;
  /** Everything is refused to everybody. */
  readonly deniesAll: boolean;
  /** Whether everything of a server is refused, whatever it has. */
  hidesServer(subject: Pick<PolicySubject, 'server' | 'principal'>): boolean;
  /** Principals that see the same have the same view; there are few. Empty where all see the same. */
  viewOf(principal: string | undefined): string;
}

interface Ready {
  readonly rule: PlacedRule;
  readonly matcher: Matcher;
}

const everything: Known = { item: true, args: true, principal: true };
const strictness: readonly PolicyDecision[] = ['allow', 'ask', 'deny'];

/**
 * Makes one policy of the rules of several files. In a file the first rule that fits decides, and where none does it is allowed.
 * Of what the files say the strictest counts: so none can loosen what another says, whoever wrote it.
 */
export function createPolicy(parts: readonly PolicyPart[]): Policy {
  const ready = parts.map(({ rules, file, pointer = '' }) =>
    rules.map((rule, index): Ready => {
      const placed = { ...rule, file, pointer: `${pointer}/${index}` };
      return { rule: placed, matcher: matcherOf(rule) };
    }),
  );
  const byPrincipal = ready.flat().flatMap(({ matcher }) => matcher.principal ?? []);
  const each: Policy['each'] = (subject) =>
    parts.map(({ file }, index) => {
      const found = ready[index]?.find(
        ({ matcher }) => matcher.fits(subject, everything) === 'yes',
      );
      return { file, rule: found?.rule };
    });
  return {
    rules: ready.flat().map(({ rule }) => rule),
    each,
    decide(subject) {
      const rules = each(subject).flatMap(({ rule }) => rule ?? []);
      const [strictest] = rules.toSorted(
        (one, other) => strictness.indexOf(other.decision) - strictness.indexOf(one.decision),
      );
      return { decision: strictest?.decision ?? 'allow', rule: strictest };
    },
    hides: (subject) =>
      ready.some((rules) => isDenied(rules, subject, { ...everything, args: false })),
    hidesFromAll: (subject) =>
      ready.some((rules) =>
        isDenied(rules, subject, { ...everything, args: false, principal: false }),
      ),
    deniesAll: parts.some(({ rules }) => rules.find(isDecisive)?.decision === 'deny'),
    hidesServer: (asked) => {
      const anything = { ...asked, kind: 'tool', name: '' } as const;
      return ready.some((rules) =>
        isDenied(rules, anything, { item: false, args: false, principal: true }),
      );
    },
    viewOf: (principal) => byPrincipal.map((isAbout) => (isAbout(principal) ? '1' : '0')).join(''),
  };
}

/** Whether all may be up to a rule, whatever it is about: it may let something pass, or is about everything. */
function isDecisive({ decision, reason: _reason, ...about }: PolicyRule): boolean {
  return decision !== 'deny' || Object.values(about).every((one) => one === undefined);
}

/** Whether the rules of a file deny it, whatever else there is to know. */
function isDenied(rules: readonly Ready[], subject: PolicySubject, known: Known): boolean {
  for (const { rule, matcher } of rules) {
    const fit = matcher.fits(subject, known);
    if (fit === 'no') continue;
    if (rule.decision !== 'deny') return false;
    if (fit === 'yes') return true;
  }
  return false;
}
