import type { ErrorObject } from 'ajv/dist/core.js';
import { isRecord } from '#jsonrpc';
import { toIssue, type Finding, type Issue } from './issue.ts';
import { explain, mismatch, namedProperty } from './json-findings.ts';

/** What ajv found wrong with `value`, as the one issue that helps most. */
export function toIssues(errors: readonly ErrorObject[], value: unknown): readonly Issue[] {
  const [error, finding] = choose(errors);
  if (error === undefined) return [toIssue([], finding)];
  const property = namedProperty(error);
  const steps = stepsOf(error.instancePath, value);
  return [toIssue(property === undefined ? steps : [...steps, property], finding)];
}

/** The last error is the outermost; where it only sums up others, what is inside says more. */
function choose(errors: readonly ErrorObject[]): [ErrorObject | undefined, Finding] {
  const last = errors.at(-1);
  const inner = errors.slice(0, -1);
  if (last === undefined) return [undefined, { text: 'not valid' }];
  if (inner.length > 0 && last.keyword === 'if') return choose(inner);
  if (inner.length > 0 && isUnion(last)) return chooseBranch(inner, last);
  return [last, explain(last)];
}

/** The branch that was meant is the one that got furthest; where none got far, any of them would do. */
function chooseBranch(inner: readonly ErrorObject[], union: ErrorObject): [ErrorObject, Finding] {
  const errors = inner.filter((error) => !isUnion(error) && error.keyword !== 'if');
  const further = errors.filter((error) => depthOf(error) > depthOf(union));
  // A wrong constant is how a branch says that it was not meant.
  const telling = further.filter(({ keyword }) => keyword !== 'const' && keyword !== 'enum');
  const [candidates = errors] = [telling, further].filter((list) => list.length > 0);
  const depth = Math.max(...candidates.map(depthOf));
  const deepest = candidates.filter((error) => depthOf(error) === depth);
  const [chosen = union] = deepest;
  const finding = explain(chosen);
  const equals = deepest.filter(({ instancePath }) => instancePath === chosen.instancePath);
  const expected = new Set(equals.flatMap((error) => explain(error).expected ?? []));
  return expected.size > 1 && finding.received !== undefined
    ? [chosen, mismatch([...expected].join(' or '), finding.received)]
    : [chosen, finding];
}

function isUnion({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

function depthOf(error: ErrorObject): number {
  return error.instancePath.split('/').length + (namedProperty(error) === undefined ? 0 : 1);
}

/** The names and indexes of a JSON pointer into `value`. */
function stepsOf(pointer: string, value: unknown): readonly PropertyKey[] {
  let holder = value;
  return pointer
    .split('/')
    .slice(1)
    .map((token) => {
      const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
      const step = Array.isArray(holder) ? Number(name) : name;
      holder = isRecord(holder) || Array.isArray(holder) ? Reflect.get(holder, step) : undefined;
      return step;
    });
}
