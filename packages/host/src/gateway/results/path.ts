import { invalidParams, isRecord } from 'mcp-kit/internal';
import { mostParsed, type ParseText } from './json-text.ts';

/** A step of a path: a member, an element, some elements, or all of them. */
type Step =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'element'; readonly index: number }
  | {
      readonly kind: 'slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
    }
  | { readonly kind: 'all' };

const member = /^\.([\p{L}_$][\p{L}\p{N}_$-]*)/u;
const quoted = /^\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]/;
const element = /^\[\s*(-?\d{1,9})\s*\]/;
const slice = /^\[\s*(-?\d{1,9})?\s*:\s*(-?\d{1,9})?\s*\]/;
const all = /^(?:\[\s*\*\s*\]|\.\*)/;
const maxSteps = 100;

/**
 * What a JSON path leads to: one value, or a list of them where a step is for many. A text that is JSON can be entered: many tools
 * answer with such texts.
 */
export function select(root: unknown, path: string, parsed: ParseText): unknown {
  let values: readonly unknown[] = [root];
  let isMany = false;
  const entered = (value: unknown): unknown =>
    typeof value === 'string' ? (parsed(value) ?? value) : value;
  for (const step of stepsOf(path)) {
    if (step.kind === 'slice' || step.kind === 'all') isMany = true;
    values = values.flatMap((value) => taken(entered(value), step));
  }
  if (isMany) return values;
  if (values.length === 0) {
    throw invalidParams(
      `Nothing is at ${path}. Texts of more than ${mostParsed} characters are read by offset and length`,
    );
  }
  return values[0];
}

/** The steps of a path: names and indexes as in JSONPath (RFC 9535), slices and wildcards, nothing that computes. */
function stepsOf(path: string): readonly Step[] {
  const steps: Step[] = [];
  let rest = path.trim().replace(/^\$/, '');
  if (/^[\p{L}_]/u.test(rest)) rest = `.${rest}`;
  while (rest !== '') {
    const [length, step] = stepAt(rest) ?? [];
    if (length === undefined || step === undefined || steps.length === maxSteps) {
      throw invalidParams(
        `Cannot read the path at ${rest.slice(0, 40)}: write $.name, $["a name"], [0], [0:10] or [*]`,
      );
    }
    steps.push(step);
    rest = rest.slice(length);
  }
  return steps;
}

function stepAt(text: string): readonly [length: number, step: Step] | undefined {
  let found = all.exec(text);
  if (found !== null) return [found[0].length, { kind: 'all' }];
  found = member.exec(text);
  if (found !== null) return [found[0].length, { kind: 'member', name: found[1] ?? '' }];
  found = element.exec(text);
  if (found !== null) return [found[0].length, { kind: 'element', index: Number(found[1]) }];
  found = slice.exec(text);
  if (found !== null) {
    const [from, to] = [found[1], found[2]].map((digits) =>
      digits === undefined ? undefined : Number(digits),
    );
    return [found[0].length, { kind: 'slice', from, to }];
  }
  found = quoted.exec(text);
  const name = found === null ? undefined : unquoted(found[1] ?? '');
  return found === null || name === undefined
    ? undefined
    : [found[0].length, { kind: 'member', name }];
}

function unquoted(text: string): string | undefined {
  const json = text.startsWith('"')
    ? text
    : `"${text
        .slice(1, -1)
        .replaceAll(`\\'`, `'`)
        .replaceAll('"', String.raw`\"`)}"`;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function taken(value: unknown, step: Step): readonly unknown[] {
  if (step.kind === 'all') {
    if (Array.isArray(value)) return value;
    return isRecord(value) ? Object.values(value) : [];
  }
  if (step.kind === 'member') {
    return isRecord(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
  }
  if (!Array.isArray(value)) return [];
  if (step.kind === 'slice') return value.slice(step.from, step.to);
  const at = step.index < 0 ? value.length + step.index : step.index;
  return at in value ? [value[at]] : [];
}
