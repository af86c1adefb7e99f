import { globOf, isRecord } from 'mcp-kit/internal';
import { asRecord, asText, asTexts } from '../field.ts';
import { below, configError, type Place } from '../place.ts';
import type { GatewayMember, Joining } from './member.ts';
import { checkMembers } from './members.ts';

/** What a rule says: let it pass, ask the user, or refuse it. */
export type PolicyDecision = 'allow' | 'ask' | 'deny';

/** What a tool does to its surroundings, going by its annotations. */
export type ToolEffect = 'read' | 'write' | 'destructive';

/** What an argument must be; exactly one of them. */
type ArgumentCondition =
  | { readonly equals: unknown }
  | { readonly oneOf: readonly unknown[] }
  /** `*` stands for any characters, `?` for one. */
  | { readonly glob: string }
  | { readonly absent: true };

/** What a rule is about: what fits all that it names; what it does not name may be anything. Texts are globs. */
export interface RuleMatch {
  readonly servers?: readonly string[] | undefined;
  /** By the names that their server uses, as are prompts. */
  readonly tools?: readonly string[] | undefined;
  readonly prompts?: readonly string[] | undefined;
  /** By the URIs that their server uses. */
  readonly resources?: readonly string[] | undefined;
  /** Only tools have any. */
  readonly effects?: readonly ToolEffect[] | undefined;
  readonly principals?: readonly string[] | undefined;
}

/** One rule. */
export interface PolicyRule extends RuleMatch {
  readonly decision: PolicyDecision;
  /** Conditions by the JSON pointer of an argument, where `*` stands for every member or item. All must be met. */
  readonly arguments?: Readonly<Record<string, ArgumentCondition>> | undefined;
  /** For people: why there is such a rule. */
  readonly reason?: string | undefined;
}

/** The rules of one file, in their order. */
export interface PolicyPart extends Partial<Place> {
  readonly rules: readonly PolicyRule[];
  /** It cannot be read, so it is not known what it says. */
  readonly isUnread?: boolean | undefined;
}

const decisions: readonly string[] = ['allow', 'ask', 'deny'] satisfies PolicyDecision[];
const effects: readonly string[] = ['read', 'write', 'destructive'] satisfies ToolEffect[];
/** The names of what a rule is about. */
export const matchNames: readonly (keyof RuleMatch)[] = [
  'servers',
  'tools',
  'prompts',
  'resources',
  'effects',
  'principals',
];
const known = ['decision', ...matchNames, 'arguments', 'reason'];
const maxRules = 1000;
const maxGlob = 1000;

/** `policy`: the rules of each file count by themselves, and the strictest of them wins. So no file can loosen another. */
export const policy: GatewayMember<readonly PolicyPart[]> = {
  read: (value, place) => [{ ...place, rules: readRules(value, place) }],
  join(said, joining) {
    for (const { value, place } of said) {
      for (const { rules } of value) noteUnknownServers(rules, place, joining);
    }
    return said.flatMap(({ value }) => value);
  },
};

/** A rule about a server that is not there protects nothing: its name may be a mistake. */
export function noteUnknownServers(
  rules: readonly RuleMatch[],
  place: Place,
  { servers, warn }: Joining,
): void {
  // A rule that forbids fits other cases, too.
  const names = Array.from(servers, (name) => name.toLowerCase());
  for (const [index, rule] of rules.entries()) {
    const unknown = rule.servers?.find((glob) => !names.some(globOf(glob.toLowerCase())));
    if (unknown === undefined) continue;
    const at = below(below(place, index), 'servers');
    warn({ ...at, message: `there is no server ${unknown}. See mcpctl servers` });
  }
}

/** What is left of a policy that cannot be read: nothing passes. */
export function unreadPolicy(place: Place): PolicyPart {
  const rules: readonly PolicyRule[] = [{ decision: 'deny', reason: 'the policy cannot be read' }];
  return { ...place, rules, isUnread: true };
}

/** Reads rules, wherever they are from; throws what is wrong with them. */
export function readRules(value: unknown, place: Place): readonly PolicyRule[] {
  if (!Array.isArray(value)) throw configError(place, 'must be a list of rules');
  if (value.length > maxRules)
    throw configError(place, `must not have more than ${maxRules} rules`);
  return value.map((rule: unknown, index) => readRule(rule, below(place, index)));
}

function readRule(value: unknown, place: Place): PolicyRule {
  const rule = asRecord(value, place);
  checkMembers(rule, known, place);
  const read: Record<string, unknown> = {
    decision: oneOf(rule['decision'], decisions, below(place, 'decision')),
    ...readMatch(rule, place),
  };
  if (rule['arguments'] !== undefined) {
    read['arguments'] = readConditions(rule['arguments'], below(place, 'arguments'));
  }
  if (rule['reason'] !== undefined) read['reason'] = asText(rule['reason'], below(place, 'reason'));
  // Each member was checked.
  return read as unknown as PolicyRule;
}

/** Reads what a rule is about; throws what is wrong with it. */
export function readMatch(rule: Readonly<Record<string, unknown>>, place: Place): RuleMatch {
  const named = matchNames.filter((name) => rule[name] !== undefined);
  return Object.fromEntries(
    named.map((name) => [name, readList(name, rule[name], below(place, name))]),
  );
}

function readList(name: string, value: unknown, place: Place): readonly string[] {
  const texts = asTexts(value, place);
  if (texts.length === 0) throw configError(place, 'names nothing: leave it out to mean all');
  for (const [index, text] of texts.entries()) {
    const at = below(place, index);
    if (name === 'effects') oneOf(text, effects, at);
    else checkGlob(text, at);
  }
  return texts;
}

function readConditions(value: unknown, place: Place): object {
  const entries = Object.entries(asRecord(value, place));
  return Object.fromEntries(
    entries.map(([pointer, condition]) => {
      const at = below(place, pointer);
      if (!pointer.startsWith('/')) {
        throw configError(at, 'must be a JSON pointer', { hint: `Write "/${pointer}".` });
      }
      return [pointer, readCondition(condition, at)];
    }),
  );
}

const conditions: Readonly<Record<string, (value: unknown, place: Place) => void>> = {
  equals: () => {},
  oneOf: (value, place) => {
    if (!Array.isArray(value)) throw configError(place, 'must be a list');
  },
  glob: (value, place) => checkGlob(asText(value, place), place),
  absent: (value, place) => {
    if (value !== true) throw configError(place, 'must be true');
  },
};

function readCondition(value: unknown, place: Place): object {
  const names = isRecord(value) ? Object.keys(value) : [];
  const [name = ''] = names;
  const check = Object.hasOwn(conditions, name) ? conditions[name] : undefined;
  if (!isRecord(value) || names.length !== 1 || check === undefined) {
    const wanted = Object.keys(conditions).join(', ');
    throw configError(place, `must be an object with one of ${wanted}`);
  }
  check(value[name], below(place, name));
  return value;
}

function checkGlob(text: string, place: Place): void {
  if (text.length > maxGlob) throw configError(place, `is longer than ${maxGlob} characters`);
}

function oneOf(value: unknown, allowed: readonly string[], place: Place): string {
  if (typeof value === 'string' && allowed.includes(value)) return value;
  throw configError(place, `must be one of ${allowed.join(', ')}`);
}
