import { toIssue, type Finding, type Issue } from './issue.ts';
import { explain, mismatch, namedProperty } from './json-findings.ts';
import type { Violation } from './violation.ts';

/** What was found wrong with a value, as the one issue that helps most. */
export function toIssues(violations: readonly Violation[]): readonly Issue[] {
  const [violation, finding] = choose(violations);
  if (violation === undefined) return [toIssue([], finding)];
  const { steps } = violation;
  const property = namedProperty(violation);
  return [toIssue(property === undefined ? steps : [...steps, property], finding)];
}

/** The last one is the outermost; where it only sums up others, what is inside says more. */
function choose(violations: readonly Violation[]): [Violation | undefined, Finding] {
  const last = violations.at(-1);
  const inner = violations.slice(0, -1);
  if (last === undefined) return [undefined, { text: 'not valid' }];
  if (inner.length > 0 && last.keyword === 'if') return choose(inner);
  if (inner.length > 0 && isUnion(last)) return chooseBranch(inner, last);
  return [last, explain(last)];
}

/** So many alternatives are named at most. */
const maxAlternatives = 8;

/** The branch that was meant is the one that got furthest; where none got far, any of them would do. */
function chooseBranch(inner: readonly Violation[], union: Violation): [Violation, Finding] {
  const own = inner.filter((each) => !isUnion(each) && each.keyword !== 'if');
  const missing = missingOf(own, union);
  if (missing.length > 1) return [union, { text: `needs ${missing.join(' or ')}` }];
  const further = own.filter((each) => depthOf(each) > depthOf(union));
  // A wrong constant is how a branch says that it was not meant.
  const telling = further.filter(({ keyword }) => keyword !== 'const' && keyword !== 'enum');
  const [candidates = own] = [telling, further].filter((list) => list.length > 0);
  const depth = candidates.reduce((deepest, each) => Math.max(deepest, depthOf(each)), 0);
  const deepest = candidates.filter((each) => depthOf(each) === depth);
  const [chosen = union] = deepest;
  const finding = explain(chosen);
  const equals = deepest.filter(({ steps }) => isSamePlace(steps, chosen.steps));
  const named = equals.slice(0, maxAlternatives);
  const expected = new Set(named.flatMap((each) => explain(each).expected ?? []));
  return expected.size > 1 && finding.received !== undefined
    ? [chosen, mismatch([...expected].join(' or '), finding.received)]
    : [chosen, finding];
}

/** The properties of which any one would do; none where something else is wrong as well. */
function missingOf(own: readonly Violation[], union: Violation): string[] {
  const names = own.flatMap((each) => {
    const isHere = each.keyword === 'required' && isSamePlace(each.steps, union.steps);
    return isHere ? (namedProperty(each) ?? []) : [];
  });
  return names.length === own.length ? [...new Set(names)].slice(0, maxAlternatives) : [];
}

function isUnion({ keyword }: Violation): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

function depthOf(violation: Violation): number {
  return violation.steps.length + (namedProperty(violation) === undefined ? 0 : 1);
}

function isSamePlace(one: readonly PropertyKey[], other: readonly PropertyKey[]): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}
