import { isRecord } from 'mcp-kit/internal';
import { metaKeys } from 'mcp-kit/protocol';
import { mask } from '../terminal/secrets.ts';
import type { Outcome } from './recording.ts';

/** Something that is not as it was recorded. */
export interface Difference {
  /** Where in the answer: `result.content.0.text`. */
  readonly path: string;
  readonly recorded: unknown;
  readonly now: unknown;
}

export interface Comparing {
  /** Paths that may differ: `*` stands for one name, `**` for any number of them. */
  readonly ignore: readonly string[];
  /** Times and ids within texts count as well. */
  readonly exact: boolean;
}

/** What the modern era puts around every result. */
const ofEnvelope: ReadonlySet<string> = new Set(['resultType', 'ttlMs', 'cacheScope']);
const ownMeta: ReadonlySet<string> = new Set(Object.values(metaKeys));

/** An answer in the words that both eras have in common. */
export function plainOutcome(outcome: Outcome): Outcome {
  if (!('result' in outcome) || !isRecord(outcome.result)) return outcome;
  const members = Object.entries(outcome.result).flatMap(([name, value]) => {
    if (ofEnvelope.has(name)) return [];
    if (name !== '_meta' || !isRecord(value)) return [[name, value] as const];
    const rest = Object.entries(value).filter(([key]) => !ownMeta.has(key));
    return rest.length === 0 ? [] : [[name, Object.fromEntries(rest)] as const];
  });
  return { result: Object.fromEntries(members) };
}

/** What differs between two values, path by path. */
export function differences(
  recorded: unknown,
  now: unknown,
  comparing: Comparing,
): readonly Difference[] {
  const ignored = comparing.ignore.map(patternOf);
  const found: Difference[] = [];
  const walk = (one: unknown, other: unknown, path: string): void => {
    if (ignored.some((pattern) => pattern.test(path))) return;
    if (Array.isArray(one) && Array.isArray(other)) {
      const most = Math.max(one.length, other.length);
      for (let at = 0; at < most; at++) walk(one[at], other[at], join(path, String(at)));
    } else if (isRecord(one) && isRecord(other)) {
      const names = new Set([...Object.keys(one), ...Object.keys(other)]);
      for (const name of names) walk(one[name], other[name], join(path, name));
    } else if (!isEqual(one, other, comparing)) {
      found.push({ path, recorded: one, now: other });
    }
  };
  walk(recorded, now, '');
  return found;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function patternOf(glob: string): RegExp {
  const part = (text: string): string =>
    text === '**' ? '.*' : text.split('*').map(literal).join('[^.]*');
  return new RegExp(
    `^${glob
      .split('.')
      .map(part)
      .join(String.raw`\.`)}$`,
  );
}

function literal(text: string): string {
  return text.replaceAll(/[$()+?[\\\]^{|}]/g, String.raw`\$&`);
}

function isEqual(recorded: unknown, now: unknown, { exact }: Comparing): boolean {
  if (recorded === now) return true;
  if (typeof recorded !== 'string') return false;
  if (recorded === mask) return now !== undefined;
  if (typeof now !== 'string') return false;
  const [one, other] = exact ? [recorded, now] : [settled(recorded), settled(now)];
  return one === other || (one.includes(mask) && isMasked(one, other));
}

const time = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g;
const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;

/** A text without what is another one each time. */
function settled(text: string): string {
  return text.replaceAll(time, '<time>').replaceAll(uuid, '<id>');
}

/** Whether a text is another one in which secrets were masked. */
function isMasked(masked: string, text: string): boolean {
  const [first = '', ...parts] = masked.split(mask);
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const next = isLast ? text.length - part.length : text.indexOf(part, at);
    if (next < at || !text.startsWith(part, next)) return false;
    at = next + part.length;
  }
  return true;
}

/** Whether something in it was masked. */
export function hasMask(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(mask);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasMask);
}
