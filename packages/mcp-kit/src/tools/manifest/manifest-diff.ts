import { canonicalJson } from '#base';
import { isRecord } from '#jsonrpc';
import { show } from '../changes.ts';
import type { LintedTool } from '../lint/rule.ts';
import { schemaChanges, type Impact } from './schema-diff.ts';

/** One difference between two manifests. */
export interface ManifestChange {
  readonly impact: Impact;
  readonly tool: string;
  /** Which part of the tool; absent for the whole. */
  readonly path?: string | undefined;
  readonly message: string;
}

/** How the second manifest differs from the first, by meaning, the worst first. */
export function diffManifests(
  before: readonly LintedTool[],
  after: readonly LintedTool[],
): readonly ManifestChange[] {
  const now = new Map(after.map((tool) => [tool.name, tool]));
  const then = new Map(before.map((tool) => [tool.name, tool]));
  const changes: ManifestChange[] = [];
  for (const tool of before) {
    const successor = now.get(tool.name);
    if (successor === undefined) {
      changes.push({ impact: 'breaking', tool: tool.name, message: 'it is gone' });
    } else {
      changes.push(...toolChanges(tool, successor));
    }
  }
  for (const { name } of after) {
    if (!then.has(name)) changes.push({ impact: 'compatible', tool: name, message: 'it is new' });
  }
  return changes.sort((a, b) => order.indexOf(a.impact) - order.indexOf(b.impact));
}

const order: readonly Impact[] = ['breaking', 'compatible', 'cosmetic'];

type ImpactOf = (before: unknown, after: unknown) => Impact;

const rank =
  (from: string): ImpactOf =>
  (before, after) =>
    from.split(' ').indexOf(String(after)) > from.split(' ').indexOf(String(before))
      ? 'breaking'
      : 'compatible';

/** What a change of each trait means. */
const traits: Readonly<Record<string, ImpactOf>> = {
  description: () => 'cosmetic',
  category: () => 'cosmetic',
  examples: () => 'cosmetic',
  layer: rank('core advanced internal'),
  safety: rank('readonly mutating destructive'),
  riskLevel: rank('low medium high'),
  idempotent: (_before, after) => (after === true ? 'compatible' : 'breaking'),
  supportsDryRun: (_before, after) => (after === true ? 'compatible' : 'breaking'),
  prerequisites: (before, after) => (isSubset(after, before) ? 'compatible' : 'breaking'),
  errors(before, after) {
    const [was, is] = [codesOf(before), codesOf(after)];
    if (!isSubset(is, was)) return 'breaking';
    return isSubset(was, is) ? 'cosmetic' : 'compatible';
  },
};

function toolChanges(before: LintedTool, after: LintedTool): readonly ManifestChange[] {
  const tool = before.name;
  const changes: ManifestChange[] = [];
  for (const [trait, impactOf] of Object.entries(traits)) {
    const was: unknown = Reflect.get(before, trait);
    const is: unknown = Reflect.get(after, trait);
    if (canonicalJson(was) === canonicalJson(is)) continue;
    const message = `${trait}: ${show(was)} → ${show(is)}`;
    const meant = impactOf(was, is);
    // Whoever was told nothing of it relied on nothing.
    const impact = was === undefined && meant === 'breaking' ? 'compatible' : meant;
    changes.push({ impact, tool, path: trait, message });
  }
  const found = [
    ...schemaChanges(before.inputSchema, after.inputSchema, 'input'),
    ...schemaChanges(before.outputSchema ?? {}, after.outputSchema ?? {}, 'output'),
  ];
  return [...changes, ...found.map((change) => ({ tool, ...change }))];
}

function isSubset(small: unknown, large: unknown): boolean {
  const held = new Set((Array.isArray(large) ? large : []).map(canonicalJson));
  return (Array.isArray(small) ? small : []).every((each) => held.has(canonicalJson(each)));
}

function codesOf(errors: unknown): readonly unknown[] {
  return (Array.isArray(errors) ? errors : []).map((error) => isRecord(error) && error['code']);
}
