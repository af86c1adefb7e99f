import { canonicalJson, globOf, isRecord } from 'mcp-kit/internal';
import type { PolicyRule } from '@mcp-kit/host';

/** What a decision is about. */
export interface PolicySubject {
  readonly server: string;
  readonly kind: 'tool' | 'prompt' | 'resource';
  /** The name or URI by which its server knows it. */
  readonly name: string;
  readonly effect?: 'read' | 'write' | 'destructive' | undefined;
  /** Who asks; nothing where nobody has to say who they are. */
  readonly principal?: string | undefined;
  readonly args?: unknown;
}

/** Whether a rule fits; `perhaps` where that is up to what is not known. */
type Fit = 'yes' | 'no' | 'perhaps';

/** What is known of a subject beside its server. */
export interface Known {
  /** Its kind, name and effect. */
  readonly item: boolean;
  readonly args: boolean;
  readonly principal: boolean;
}

/** A rule that is ready to be compared. */
export interface Matcher {
  fits(subject: PolicySubject, known: Known): Fit;
  /** Whether it is about this principal; undefined where it names none. */
  readonly principal: ((principal: string | undefined) => boolean) | undefined;
}

/** Longer texts are not compared. */
const maxText = 16 * 1024;
/** How many values of the arguments one condition may lead to. */
const maxValues = 1000;

/**
 * Makes a rule ready. One that forbids or asks fits whatever may be meant: other cases of letters, other forms of the same
 * characters, invisible ones, numbers as texts, one item of a list. One that allows fits only what is literally named. So no way to
 * write a name leads around a rule.
 */
export function matcherOf(rule: PolicyRule): Matcher {
  const isStrict = rule.decision === 'allow';
  const readAs = isStrict ? (text: string) => text : fold;
  const oneOf = (globs: readonly string[] | undefined): ((text: string) => boolean) | undefined => {
    const tests = globs?.map((glob) => globOf(readAs(glob)));
    return (
      tests &&
      ((text) => {
        if (text.length > maxText) return !isStrict;
        const read = readAs(text);
        return tests.some((test) => test(read));
      })
    );
  };
  const servers = oneOf(rule.servers);
  const principals = oneOf(rule.principals);
  const principal = principals && ((one: string | undefined) => principals(one ?? ''));
  const names = {
    tool: oneOf(rule.tools),
    prompt: oneOf(rule.prompts),
    resource: oneOf(rule.resources),
  };
  const isOfKind =
    names.tool !== undefined || names.prompt !== undefined || names.resource !== undefined;
  const conditions = Object.entries(rule.arguments ?? {}).map(([pointer, condition]) => ({
    path: pathOf(pointer),
    test: conditionOf(condition, isStrict),
    wantsAbsent: 'absent' in condition,
  }));
  const isOfSome = isOfKind || rule.effects !== undefined;
  const fitsKind = ({ kind, name, effect }: PolicySubject): boolean => {
    const named = names[kind];
    if (named === undefined ? isOfKind : !named(name)) return false;
    if (
      rule.effects !== undefined &&
      !(kind === 'tool' && rule.effects.includes(effect ?? 'destructive'))
    ) {
      return false;
    }
    return conditions.length === 0 || kind !== 'resource';
  };
  const fitsArguments = (args: unknown): boolean =>
    conditions.every(({ path, test, wantsAbsent }) => {
      const found = valuesAt(args, path);
      if (found === undefined) return !isStrict;
      if (wantsAbsent)
        return isStrict ? found.length === 0 : found.every((value) => value === null);
      return isStrict ? found.length > 0 && found.every(test) : found.some(test);
    });
  /** Whether it is up to what is not known. */
  const isOpen = (known: Known): boolean =>
    (isOfSome && !known.item) ||
    (principal !== undefined && !known.principal) ||
    (conditions.length > 0 && !known.args);
  return {
    principal,
    fits(subject, known) {
      if (servers?.(subject.server) === false) return 'no';
      if (known.item && !fitsKind(subject)) return 'no';
      if (known.principal && principal?.(subject.principal) === false) return 'no';
      if (known.args && !fitsArguments(subject.args)) return 'no';
      return isOpen(known) ? 'perhaps' : 'yes';
    },
  };
}

/** The text as a reader would take it: without case, in one form of each character, without what cannot be seen. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Mn}\p{Z}]/gu, '')
    .toLowerCase();
}

/** A path that leads out of where it begins. */
const leadsUp = /(?:^|[\\/])\.\.(?:[\\/]|$)/;

type Condition = NonNullable<PolicyRule['arguments']>[string];

function conditionOf(condition: Condition, isStrict: boolean): (value: unknown) => boolean {
  if ('absent' in condition) return () => false;
  if ('glob' in condition) {
    const glob = globOf(isStrict ? condition.glob : fold(condition.glob));
    return (value) => {
      const text = textOf(value);
      if (text === undefined) return false;
      if (text.length > maxText) return !isStrict;
      if (!isStrict) return glob(fold(text));
      return typeof value === 'string' && glob(text) && !leadsUp.test(text);
    };
  }
  const wanted = 'equals' in condition ? [condition.equals] : condition.oneOf;
  const keys = new Set(wanted.map((value) => keyOf(value, isStrict)));
  return (value) => keys.has(keyOf(value, isStrict));
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function keyOf(value: unknown, isStrict: boolean): string {
  const text = isStrict ? undefined : textOf(value);
  if (text === undefined) return canonicalJson(value ?? null);
  return JSON.stringify(fold(text.slice(0, maxText)));
}

function pathOf(pointer: string): readonly string[] {
  const keys = pointer.split('/').slice(1);
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The values that a path leads to; those of a list are its items. Nothing where there are too many to look at. */
function valuesAt(args: unknown, path: readonly string[]): readonly unknown[] | undefined {
  let found: readonly unknown[] = [args];
  for (const key of path) {
    found = found.flatMap((value) => (key === '*' ? membersOf(value) : memberOf(value, key)));
    if (found.length > maxValues) return undefined;
  }
  const values = found.flatMap((value): readonly unknown[] =>
    Array.isArray(value) ? value : [value],
  );
  return values.length > maxValues ? undefined : values;
}

function membersOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function memberOf(value: unknown, key: string): readonly unknown[] {
  if (Array.isArray(value))
    return /^\d+$/.test(key) && Number(key) < value.length ? [value[Number(key)]] : [];
  return isRecord(value) && Object.hasOwn(value, key) ? [value[key]] : [];
}
