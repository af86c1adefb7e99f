import { isRecord } from '#jsonrpc';
import type { JsonSchema } from '#protocol';

/** How bad a mistake would be. */
export type RiskLevel = 'low' | 'medium' | 'high';

/** One thing that changes. */
export interface Change {
  /** `create`, `update`, `delete`, `move`, or a word of your own. */
  readonly type: string;
  /** What changes: a path, a name, an id. */
  readonly target: string;
  /** Which part of it; absent for the whole. */
  readonly field?: string | undefined;
  readonly from?: unknown;
  readonly to?: unknown;
  /** Which stage of a workflow does it. */
  readonly stage?: string | undefined;
}

/** What a writing tool would do, found out by looking. It may carry more, for `apply`. */
export interface Plan {
  readonly changes: readonly Change[];
  /**
   * What the plan was made from, as JSON: it must differ once the plan has been applied. By default it is what the
   * changes say they change `from`.
   */
  readonly state?: unknown;
  readonly riskLevel?: RiskLevel | undefined;
  /** One sentence for people; by default the changes are listed. */
  readonly summary?: string | undefined;
  /** What else a dry run tells, as JSON: warnings, what would be answered. */
  readonly shown?: Readonly<Record<string, unknown>> | undefined;
}

/** What `apply` returns when less was done than was planned. */
export class Applied {
  readonly output: unknown;
  readonly changes: readonly Change[];

  constructor(output: unknown, changes: readonly Change[]) {
    this.output = output;
    this.changes = changes;
  }
}

/** Says from within `apply` what was really changed, where that is less than the plan. */
export function applied<Output>(output: Output, changes: readonly Change[]): Output {
  // Taken apart again before anybody sees it.
  return new Applied(output, changes) as Output;
}

/** What a plan was made from: what it says, or else the old values that its changes name. */
export function stateOf({ state, changes }: Plan): unknown {
  return state === undefined
    ? changes.map(({ type, target, field, from }) => [type, target, field, from])
    : state;
}

/** Why a value is no plan, if it is none: its author's mistake. */
export function faultOfPlan(plan: unknown): string | undefined {
  if (!isRecord(plan) || !Array.isArray(plan['changes'])) return 'it has no changes[]';
  const wrong = plan['changes'].findIndex((change) => !isChange(change));
  if (wrong >= 0) return `changes[${wrong}] needs a type and a target`;
  return (
    notJsonAt(plan['changes'], 'changes') ??
    notJsonAt(plan['state'], 'state') ??
    faultOfShown(plan['shown'])
  );
}

function faultOfShown(shown: unknown): string | undefined {
  if (shown === undefined) return undefined;
  return isRecord(shown) ? notJsonAt(shown, 'shown') : 'shown is no object';
}

function isChange(value: unknown): boolean {
  return (
    isRecord(value) && typeof value['type'] === 'string' && typeof value['target'] === 'string'
  );
}

/** Where a value holds something that JSON would silently make empty: two states would look alike. */
export function notJsonAt(value: unknown, path: string): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') {
    return `${path} is a ${typeof value}, which is not JSON`;
  }
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return undefined;
  if (!Array.isArray(value) && !isPlain(value)) return `${path} is not plain JSON`;
  for (const [key, member] of Object.entries(value)) {
    const fault = notJsonAt(member, `${path}.${key}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const shownChanges = 10;

/** Changes in words. */
export function describeChanges(changes: readonly Change[]): string {
  if (changes.length === 0) return 'nothing';
  const lines = changes.slice(0, shownChanges).map(describe);
  const more = changes.length - lines.length;
  if (more > 0) lines.push(`and ${more} more`);
  return lines.join('; ');
}

function describe({ type, target, field, from, to }: Change): string {
  const what = field === undefined ? `${type} ${target}` : `${type} ${target} ${field}`;
  if (to !== undefined && from !== undefined) return `${what}: ${show(from)} → ${show(to)}`;
  if (to !== undefined) return `${what}: ${show(to)}`;
  return what;
}

/** A value as JSON, cut short. */
export function show(value: unknown, mostCharacters = 60): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters)}…`;
}

export const riskSchema: JsonSchema = { enum: ['low', 'medium', 'high'] };

export const changesSchema: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      type: { type: 'string' },
      target: { type: 'string' },
      field: { type: 'string' },
      stage: { type: 'string' },
      from: {},
      to: {},
    },
    required: ['type', 'target'],
  },
};

/** How many parts of a batch failed, or would, as in `1 of 2`; an empty text where none did. */
export function failedOf(output: object): string {
  const { succeeded, failed } = output as Partial<Readonly<Record<string, unknown>>>;
  if (!Array.isArray(succeeded) || !Array.isArray(failed) || failed.length === 0) return '';
  return `${failed.length} of ${failed.length + succeeded.length}`;
}
