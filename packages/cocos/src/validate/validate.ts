import {
  CocosError,
  isComponent,
  refIndex,
  type SceneView,
  settled,
  type Table,
  textOf,
} from '#cocos/document';
import type { Workspace } from '#cocos/edit';
import { checkAssets, checkClasses } from './asset-rules.ts';
import { checkComponents } from './component-rules.ts';
import { type Finding, findingRules, type Report, reportOf } from './finding.ts';
import { checkFileIds, checkIds, checkNames } from './id-rules.ts';
import {
  inspect,
  type Inspection,
  type Issue,
  type Memory,
  ownersOf,
  type Subject,
} from './inspection.ts';
import { escapeStep, linesOf } from './lines.ts';
import { checkLoad } from './load-rules.ts';
import { checkInfos, checkInstances, checkNestedRoots } from './prefab-rules.ts';
import { readTable } from './read-file.ts';
import { checkScreen } from './screen-rules.ts';
import { isSoundSince } from './sound-since.ts';
import { checkKinds, checkKindsAt, checkTree } from './tree-rules.ts';

const rules: readonly ((inspection: Inspection) => void)[] = [
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
export function inspectTable(workspace: Workspace, subject: Subject): Inspection {
  const inspection = inspect(workspace, subject);
  const { memory } = subject;
  checkStructure(inspection, memory);
  for (const rule of rules) rule(inspection);
  // What is still being edited will be another.
  if (memory !== undefined) {
    memory.objects = subject.table.editing === undefined ? inspection.objects : undefined;
  }
  return inspection;
}

/** Looks at how the objects hang together; only around those that changed, where that is enough. */
function checkStructure(inspection: Inspection, memory: Memory | undefined): void {
  const { table, objects, issues } = inspection;
  const before = memory?.isSound === true ? memory.objects : undefined;
  const count = issues.length;
  const isSound =
    before !== undefined && objects.dangling.length === 0 && isSoundSince(objects, before);
  if (isSound) {
    for (const at of objects.changed ?? []) {
      const entry = table.objects[at];
      if (entry !== undefined) checkKindsAt(inspection, entry, at);
    }
  }
  // Where something is wrong, all of it is told in the order of the file.
  if (!isSound || issues.length > count) {
    issues.length = count;
    checkKinds(inspection);
    checkTree(inspection);
  }
  if (memory !== undefined) memory.isSound = issues.length === 0;
}

export interface ValidateOptions {
  /** Finds the lines of the text, too. */
  readonly lines?: boolean | undefined;
  /** The document as it opens, where somebody has opened it already. */
  readonly view?: SceneView | undefined;
  /** What is remembered from one time to the next. */
  readonly memory?: Memory | undefined;
}

/** What is not as it should be in a scene or prefab, named by path, URL or uuid. */
export function validateDocument(
  workspace: Workspace,
  reference: string,
  { lines = false, view, memory }: ValidateOptions = {},
): Finding[] {
  const file = documentFile(workspace, reference);
  const table = readTable(workspace, file);
  if ('code' in table) return [table];
  const inspection = inspectTable(workspace, { file, table, view, memory });
  if (inspection.issues.length === 0) return [];
  const text = lines ? workspace.draft.text(file) : undefined;
  // What was edited in the draft is described as it would be written.
  if (!workspace.draft.isEdited(file)) return findingsOf(inspection, text);
  return findingsOf(inspectTable(workspace, { file, table: settled(table) }), text);
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
  const findings = files.flatMap((file) => validateDocument(workspace, file, { lines: true }));
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
  if (!/\.(scene|prefab)$/.test(file)) {
    throw new CocosError('E_INVALID_ARGUMENT', `"${file}" is neither a scene nor a prefab.`, {
      suggestion: 'Name a file that ends in .scene or .prefab.',
    });
  }
  return file;
}

/** The findings of an inspection, for people to read; with lines where there is a text. */
export function findingsOf(inspection: Inspection, text?: string): Finding[] {
  const { issues, table, places, file } = inspection;
  if (issues.length === 0) return [];
  const pointers = issues.map((issue) => pointerOf(issue, places));
  const lines = text === undefined ? undefined : linesOf(text, new Set(pointers));
  const ownerOf = ownersOf(inspection);
  const pathOf = pathsOf(inspection);
  return issues.map(({ code, at, severity, message, suggestion, fix }, index): Finding => {
    const pointer = pointers[index] ?? '';
    const line = lines?.get(pointer);
    const owner = ownerOf(at);
    const node = owner === undefined ? undefined : nodeOf(table, owner);
    const path = node === undefined ? undefined : pathOf(node);
    const handle = owner === undefined ? undefined : inspection.view?.item(owner)?.handle;
    return {
      code,
      severity: severity ?? findingRules[code].severity,
      file,
      pointer,
      line,
      node: path,
      handle,
      message,
      suggestion,
      fixable: fix !== undefined,
    };
  });
}

function pointerOf({ at, path = [] }: Issue, places: Int32Array): string {
  return `/${[places[at] ?? at, ...path].map((step) => escapeStep(String(step))).join('/')}`;
}

function nodeOf({ objects }: Table, index: number): number | undefined {
  return isComponent(objects[index]) ? refIndex(objects[index]?.['node']) : index;
}

/** How many paths are cheaper to find one by one. */
const fewPaths = 16;

/** Finds the paths of nodes: of all in one walk, if there are many to find. */
function pathsOf({ view, table, issues }: Inspection): (index: number) => string | undefined {
  if (view === undefined) return () => undefined;
  const { root } = view;
  const name = textOf(table.objects[root]?.['_name']);
  const paths = issues.length > fewPaths ? allPaths(view) : undefined;
  return (index) => {
    if (index === root) return name;
    if (view.item(index) === undefined) return undefined;
    return paths === undefined ? view.path(index) : paths.get(index);
  };
}

function allPaths(view: SceneView): Map<number, string> {
  const paths = new Map<number, string>();
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
