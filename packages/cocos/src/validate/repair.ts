import { type Change, isList, type Json, refIndex } from '#cocos/document';
import type { Workspace } from '#cocos/edit';
import type { Finding, FindingCode } from './finding.ts';
import { describe, type Inspection } from './inspection.ts';
import { readTable } from './read-file.ts';
import { documentFile, findingsOf, inspectTable, validateDocument } from './validate.ts';

/** What repairing did, and what is left. */
export interface Repair {
  readonly changes: readonly Change[];
  readonly repaired: readonly Finding[];
  readonly remaining: readonly Finding[];
}

/** Repairs may bring others to light; more rounds than this mean that two of them disagree. */
const maxRounds = 8;

/** Puts right in the draft what can be put right in one way only; with `codes`, only that. */
export function repairDocument(
  workspace: Workspace,
  reference: string,
  { codes }: { readonly codes?: readonly FindingCode[] | undefined } = {},
): Repair {
  const file = documentFile(workspace, reference);
  const broken = readTable(workspace, file);
  if ('code' in broken) return { changes: [], repaired: [], remaining: [broken] };
  const table = workspace.draft.edit(file);
  const changes: Change[] = [];
  const repaired: Finding[] = [];
  for (let round = 0; round < maxRounds; round += 1) {
    const before = changes.length;
    const inspection = inspectTable(workspace, { file, table });
    const findings = findingsOf(inspection);
    for (const [index, { code, fix }] of inspection.issues.entries()) {
      if (fix === undefined || codes?.includes(code) === false) continue;
      const done = fix();
      const finding = findings[index];
      if (done.length > 0 && finding !== undefined) repaired.push(finding);
      changes.push(...done.map((change) => named(change, inspection)));
    }
    if (changes.length === before) break;
  }
  workspace.documents.get(file)?.view.refresh();
  if (table.kind === 'prefab') {
    for (const path of workspace.documents.keys()) workspace.stale.add(path);
  }
  return { changes, repaired, remaining: validateDocument(workspace, file) };
}

/** A change as people call what it is about. */
function named(change: Change, inspection: Inspection): Change {
  const { target, from, to } = change;
  const index = numberIn(target);
  const read = (value: Json | undefined): Json | undefined =>
    value === undefined ? undefined : readable(value, inspection);
  return {
    ...change,
    target: index === undefined ? target : calledAt(index, inspection),
    from: read(from),
    to: read(to),
  };
}

/** What people call the objects that a value names by their numbers. */
function readable(value: Json, inspection: Inspection): Json {
  if (isList(value)) return value.map((part) => readable(part, inspection));
  const index = refIndex(value) ?? numberIn(value);
  return index === undefined ? value : calledAt(index, inspection);
}

function calledAt(index: number, inspection: Inspection): string {
  const { view } = inspection;
  return view?.item(index) === undefined ? describe(inspection, index) : view.label(index);
}

function numberIn(value: Json): number | undefined {
  return typeof value === 'string' && /^#\d+$/.test(value) ? Number(value.slice(1)) : undefined;
}
