import { CocosError, isComponent, printTable, refIndex, type Table, textOf } from '#cocos/document';
import type { Workspace } from '#cocos/edit';
import { checkAssets, checkClasses } from './asset-rules.ts';
import { checkComponents } from './component-rules.ts';
import { type Finding, findingRules, type Report, reportOf } from './finding.ts';
import { checkFileIds, checkIds, checkNames } from './id-rules.ts';
import { inspect, type Inspection, type Issue, ownersOf } from './inspection.ts';
import { escapeStep, linesOf } from './lines.ts';
import { checkLoad } from './load-rules.ts';
import { checkInfos, checkInstances, checkNestedRoots } from './prefab-rules.ts';
import { readTable } from './read-file.ts';
import { checkScreen } from './screen-rules.ts';
import { checkKinds, checkTree } from './tree-rules.ts';

const rules: readonly ((inspection: Inspection) => void)[] = [
  checkKinds,
  checkTree,
  checkIds,
  checkFileIds,
  checkNames,
  checkInfos,
  checkNestedRoots,
  checkInstances,
  checkClasses,
  checkAssets,
  checkComponents,
  checkScreen,
  checkLoad,
];

/** Applies all rules to a scene or prefab. */
export function inspectTable(workspace: Workspace, file: string, table: Table): Inspection {
  const inspection = inspect(workspace, file, table);
  for (const rule of rules) rule(inspection);
  return inspection;
}

/** What is not as it should be in a scene or prefab, named by path, URL or uuid. */
export function validateDocument(workspace: Workspace, reference: string): Finding[] {
  const file = documentFile(workspace, reference);
  const table = readTable(workspace, file);
  if ('code' in table) return [table];
  return findingsOf(inspectTable(workspace, file, table));
}

/** The same for all scenes and prefabs of a project, or those given, and for its metas. */
export function validateProject(
  workspace: Workspace,
  { paths }: { readonly paths?: readonly string[] | undefined } = {},
): Report {
  const { draft, project } = workspace;
  const files = paths
    ? paths.map((path) => documentFile(workspace, path))
    : [...draft.assets()]
        .filter(({ path, exists }) => exists && /\.(scene|prefab)$/.test(path))
        .map(({ path }) => path)
        .sort();
  const findings = files.flatMap((file) => validateDocument(workspace, file));
  const metas = paths
    ? []
    : [...project.problems()].map(({ path, message }) => badMeta(path, message));
  return reportOf(files.length, [...metas, ...findings]);
}

function badMeta(file: string, message: string): Finding {
  return {
    code: 'badMeta',
    severity: findingRules.badMeta.severity,
    file,
    pointer: '',
    message,
    suggestion: 'Restore the meta from version control, or delete it: the editor makes a new one.',
    fixable: false,
  };
}

/** The path of a scene or prefab. */
export function documentFile({ draft }: Workspace, reference: string): string {
  const file = draft.asset(reference)?.path ?? draft.resolve(reference);
  if (!/\.(scene|prefab)$/.test(file))
    throw new CocosError('E_INVALID_ARGUMENT', `"${file}" is neither a scene nor a prefab.`, {
      suggestion: 'Name a file that ends in .scene or .prefab.',
    });
  return file;
}

/** The findings of an inspection, for people to read. */
export function findingsOf(inspection: Inspection): Finding[] {
  const { issues, table, file } = inspection;
  if (issues.length === 0) return [];
  const pointers = issues.map(pointerOf);
  const lines = linesOf(table.style.source ?? printTable(table), new Set(pointers));
  const owners = ownersOf(inspection);
  const paths = pathsOf(inspection);
  return issues.map(({ code, at, severity, message, suggestion, fix }, index): Finding => {
    const pointer = pointers[index] ?? '';
    const line = lines.get(pointer);
    const owner = owners.get(at);
    const node = owner === undefined ? undefined : nodeOf(table, owner);
    const path = node === undefined ? undefined : paths.get(node);
    const handle = owner === undefined ? undefined : inspection.view?.item(owner)?.handle;
    return {
      code,
      severity: severity ?? findingRules[code].severity,
      file,
      pointer,
      ...(line === undefined ? {} : { line }),
      ...(path === undefined ? {} : { node: path }),
      ...(handle === undefined ? {} : { handle }),
      message,
      suggestion,
      fixable: fix !== undefined,
    };
  });
}

function pointerOf({ at, path = [] }: Issue): string {
  return `/${[at, ...path].map((step) => escapeStep(String(step))).join('/')}`;
}

function nodeOf({ objects }: Table, index: number): number | undefined {
  return isComponent(objects[index]) ? refIndex(objects[index]?.['node']) : index;
}

/** The paths of all own nodes, found in one walk. */
function pathsOf({ view, table }: Inspection): Map<number, string> {
  const paths = new Map<number, string>();
  if (view === undefined) return paths;
  paths.set(view.root, textOf(table.objects[view.root]?.['_name']));
  const waiting = [{ index: view.root, above: '' }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const counts = new Map<string, number>();
    for (const { index } of view.children(next.index)) {
      const name = view.name(index);
      const place = counts.get(name) ?? 0;
      counts.set(name, place + 1);
      const path = `${next.above}${name}${place > 0 ? `[${place}]` : ''}`;
      paths.set(index, path);
      waiting.push({ index, above: `${path}/` });
    }
  }
  return paths;
}
