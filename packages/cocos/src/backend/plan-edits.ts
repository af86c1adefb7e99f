import { createHash } from 'node:crypto';
import { type Change, CocosError, compressUuid, withUuids } from '#cocos/document';
import {
  type Imports,
  openDocument,
  openWorkspace,
  prepareImports,
  type Workspace,
} from '#cocos/edit';
import type { Draft, Project } from '#cocos/project';
import type { EditDefinition, EditRun } from './edits/define-edit.ts';
import { definitionOf, type Edit, type EditResult, type EditResults } from './edits/index.ts';
import { readableChanges, storedChanges } from './readable-changes.ts';
import { renamed } from './renamed.ts';

/** What planning needs besides the edits. */
export interface Planning {
  readonly project: Project;
  /** What to plan on; the files where absent. */
  readonly draft?: Draft | undefined;
  /** The path of the scene or prefab of edits that name none. */
  currentDocument(): string;
  /** The bytes of a file that is imported. */
  readSource(source: string): Uint8Array;
  newId(label: string): string;
  /** Whether changes are told as files have them. */
  readonly storedNames?: boolean | undefined;
}

/** Edits carried out on a draft. */
export interface PlannedEdits<List extends readonly Edit[]> {
  readonly workspace: Workspace;
  /** What each edit changed. */
  readonly steps: readonly (readonly Change[])[];
  /** The handles of the nodes and components that they changed. */
  readonly touched: ReadonlySet<string>;
  readonly state: string;
  readonly results: EditResults<List>;
}

/** Carries out edits on a draft, each seeing what those before it did. */
export async function planEdits<const List extends readonly Edit[]>(
  edits: List,
  planning: Planning,
): Promise<PlannedEdits<List>> {
  const imports: Imports = { images: new Map(), changes: [] };
  const workspace = await openWorkspace(planning.project, planning.draft, imports);
  const sources = new Map<string, string>();
  const run = {
    workspace,
    currentDocument: () => planning.currentDocument(),
    readSource: (source: string) => {
      const bytes = planning.readSource(source);
      sources.set(source, hash(bytes));
      return bytes;
    },
  };
  const names = new Map<string, string>();
  const results: EditResult[] = [];
  const steps: (readonly Change[])[] = [];
  const touched = new Set<string>();
  for (const [place, edit] of edits.entries()) {
    const ids = uuidsOf(`edit ${place}`, planning, (uuid) => isUsed(workspace, uuid));
    try {
      const path = documentOf(edit, planning);
      const named = resolveNames(edit, names, (handle) => pathOf(workspace, path, handle));
      await prepareImports(workspace, named);
      const { result, changes: own, made } = await withUuids(ids, () => runEdit(named, run));
      const changes = [...imports.changes.splice(0), ...own];
      // Each result is that of its own edit.
      results.push({ op: edit.op, ...result } as EditResult);
      const isStored = planning.storedNames ?? definitionOf(edit).storedNames ?? false;
      steps.push(
        isStored ? storedChanges(workspace, changes) : readableChanges(workspace, changes),
      );
      for (const { target } of changes) touched.add(target);
      if (edit.as !== undefined && made !== undefined) names.set(edit.as, made);
    } catch (error) {
      throw located(error, place, edit);
    }
  }
  // As long as the list, and in its order.
  const typed = results as unknown as EditResults<List>;
  return { workspace, steps, touched, state: stateOf(workspace, sources), results: typed };
}

function runEdit(edit: Edit, run: EditRun): ReturnType<EditDefinition['run']> {
  const { op: _op, as: _as, ...args } = edit;
  // What an edit takes is known by its name.
  return definitionOf(edit).run(args as never, run);
}

function documentOf(edit: Edit, planning: Planning): () => string {
  const own = 'scenePath' in edit ? edit.scenePath : undefined;
  return () => own ?? planning.currentDocument();
}

function pathOf(workspace: Workspace, document: () => string, handle: string): string {
  const { view } = openDocument(workspace, document());
  return view.path(view.get(handle).index);
}

/** The same uuids for the same edit of the same plan, however often it is made. */
function uuidsOf(
  label: string,
  { newId }: Planning,
  isTaken: (uuid: string) => boolean,
): () => string {
  let count = 0;
  const next = (): string => {
    const hex = hash(newId(`${label} ${count++}`));
    const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
    const digits = `${hex.slice(0, 12)}4${hex.slice(13, 16)}${variant}${hex.slice(17, 32)}`;
    const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    return isTaken(uuid) ? next() : uuid;
  };
  return next;
}

/** Whether an asset, or an object of a scene or prefab that is changed here, has a uuid already. */
function isUsed({ draft, documents }: Workspace, uuid: string): boolean {
  const id = compressUuid(uuid);
  return (
    draft.asset(uuid) !== undefined || [...documents.values()].some(({ view }) => view.has(id))
  );
}

/** Puts what earlier edits made in the place of the names they gave it: `$menu`, `$menu/Title`, `$menu:cc.Sprite`. */
function resolveNames<Value>(
  value: Value,
  names: ReadonlyMap<string, string>,
  path: (handle: string) => string,
): Value {
  return names.size === 0 ? value : renamed(value, (text) => resolveName(text, names, path));
}

function resolveName(
  text: string,
  names: ReadonlyMap<string, string>,
  path: (handle: string) => string,
): string {
  const [, name = '', rest = ''] = /^\$([A-Za-z][\w-]*)((?:[/:].*)?)$/.exec(text) ?? [];
  const made = names.get(name);
  if (made === undefined) return text;
  return rest.startsWith('/') ? `${path(made)}${rest}` : `${made}${rest}`;
}

/** Says which edit a failure is of. */
function located(error: unknown, edit: number, { op }: Edit): unknown {
  if (!(error instanceof CocosError)) return error;
  const { code, message, suggestion, details } = error;
  return new CocosError(code, message, {
    suggestion,
    details: { ...details, edit, op },
    cause: error,
  });
}

/** A fingerprint of every file that was looked at. */
function stateOf({ draft }: Workspace, sources: ReadonlyMap<string, string>): string {
  const seen = [...draft.seen()].map(([path, known]) => `${path} ${known?.hash ?? '-'}`);
  const read = [...sources].map(([path, found]) => `< ${path} ${found}`);
  return hash([...seen, ...read].sort().join('\n'));
}

function hash(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}
