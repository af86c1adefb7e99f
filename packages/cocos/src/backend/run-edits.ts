import { type Change, CocosError, getValue, setValue, type ViewItem } from '#cocos/document';
import {
  addComponent,
  applyOverrides,
  assignSprite,
  createFolder,
  createNode,
  createPrefab,
  createScene,
  deleteAsset,
  deleteNode,
  duplicateNode,
  findClass,
  importImage,
  instantiatePrefab,
  moveAsset,
  moveNode,
  openDocument,
  removeComponent,
  replaceReferences,
  requireComponentItem,
  requireInstance,
  requireNode,
  revertOverrides,
  type SceneDocument,
  setComponentEnabled,
  setProperties,
  setTransform,
  unpackPrefab,
  updateInstance,
  updateNode,
  type Workspace,
} from '#cocos/edit';
import { type FindingCode, findingRules, repairDocument } from '#cocos/validate';
import type { Edit, EditName, Edits } from './edit.ts';
import { refuseOtherKind, refuseStructure } from './raw-value.ts';

/** What edits are carried out on. */
export interface EditRun {
  readonly workspace: Workspace;
  /** The path of the scene or prefab of edits that name none. */
  currentDocument(): string;
  /** The bytes of a file that is imported. */
  readSource(source: string): Uint8Array;
}

/** What became of one edit. */
export interface EditOutcome<Name extends EditName = EditName> {
  readonly gives: Edits[Name]['gives'];
  readonly changes: readonly Change[];
  /** What later edits mean by the name that this one gives. */
  readonly made?: string;
}

type Runner<Name extends EditName> = (
  edit: Edits[Name]['takes'],
  run: EditRun,
) => EditOutcome<Name> | Promise<EditOutcome<Name>>;

/** Carries out one edit on the draft of a workspace. */
export function runEdit<Name extends EditName>(
  { op, ...takes }: Edit<Name>,
  run: EditRun,
): EditOutcome<Name> | Promise<EditOutcome<Name>> {
  const runner = Object.hasOwn(runners, op) ? runners[op] : undefined;
  if (runner !== undefined) return runner(takes, run);
  throw new CocosError('E_INVALID_ARGUMENT', `There is no edit "${op}".`, {
    suggestion: `Edits: ${Object.keys(runners).join(', ')}.`,
  });
}

function open(
  { document }: { readonly document?: string | undefined },
  { workspace, currentDocument }: EditRun,
): SceneDocument {
  return openDocument(workspace, document ?? currentDocument());
}

const nodeOf = (document: SceneDocument, reference: string): string =>
  requireNode(document, reference).handle;

const runners: { readonly [Name in EditName]: Runner<Name> } = {
  create_scene(edit, { workspace }) {
    const { path, uuid, changes } = createScene(workspace, edit);
    return { gives: { path, assetUuid: uuid }, changes, made: uuid };
  },
  create_node(edit, run) {
    const { node, canvas, changes } = createNode(open(edit, run), edit);
    const gives = { nodeUuid: node, ...(canvas === undefined ? {} : { canvasUuid: canvas }) };
    return { gives, changes, made: node };
  },
  update_node(edit, run) {
    const document = open(edit, run);
    const nodeUuid = nodeOf(document, edit.node);
    return { gives: { nodeUuid }, ...updateNode(document, nodeUuid, edit) };
  },
  set_transform(edit, run) {
    const document = open(edit, run);
    const nodeUuid = nodeOf(document, edit.node);
    const { position, rotation, quaternion, scale } = edit;
    const change = { position, rotation, quaternion, scale };
    const { warnings, changes } = setTransform(document, nodeUuid, change);
    return { gives: { nodeUuid, warnings }, changes };
  },
  move_node(edit, run) {
    const document = open(edit, run);
    const nodeUuid = nodeOf(document, edit.node);
    return { gives: { nodeUuid }, ...moveNode(document, nodeUuid, edit) };
  },
  delete_node(edit, run) {
    const document = open(edit, run);
    const nodeUuid = nodeOf(document, edit.node);
    return { gives: { nodeUuid }, ...deleteNode(document, nodeUuid) };
  },
  duplicate_node(edit, run) {
    const { node, changes } = duplicateNode(open(edit, run), edit.node, edit);
    return { gives: { nodeUuid: node }, changes, made: node };
  },
  add_component(edit, run) {
    const document = open(edit, run);
    const present = edit.whenPresent === 'reuse' ? presentOn(document, edit) : undefined;
    if (present !== undefined) {
      const set = setProperties(document, present.componentUuid, edit.properties ?? {});
      return {
        gives: { ...present, added: [], warnings: set.warnings },
        changes: set.changes,
        made: present.componentUuid,
      };
    }
    const { component, added, warnings, changes } = addComponent(document, edit.node, edit);
    const list = added.map(({ handle, type }) => ({ componentUuid: handle, type }));
    const type = list.find(({ componentUuid }) => componentUuid === component)?.type ?? edit.type;
    return {
      gives: { componentUuid: component, type, added: list, warnings },
      changes,
      made: component,
    };
  },
  remove_component(edit, run) {
    const document = open(edit, run);
    const { handle } = requireComponentItem(document, edit.component);
    const force = edit.force === true;
    return { gives: { componentUuid: handle }, ...removeComponent(document, handle, { force }) };
  },
  set_properties(edit, run) {
    const document = open(edit, run);
    const { handle } = requireComponentItem(document, edit.component);
    const set = setProperties(document, handle, edit.properties ?? {});
    const { enabled } = edit;
    const switched =
      enabled === undefined ? [] : setComponentEnabled(document, handle, enabled).changes;
    const { applied, warnings } = set;
    return {
      gives: { componentUuid: handle, applied, warnings },
      changes: [...set.changes, ...switched],
    };
  },
  set_raw_value(edit, run) {
    const { view } = open(edit, run);
    const { index, handle } = view.get(edit.target);
    const { path, value } = edit;
    refuseStructure(path, value);
    refuseOtherKind(path, value, getValue(view, index, path));
    return { gives: { targetUuid: handle }, changes: setValue(view, index, { path, value }) };
  },
  assign_sprite(edit, run) {
    const { component, spriteFrameUuid, changes } = assignSprite(open(edit, run), edit.node, edit);
    return { gives: { componentUuid: component, spriteFrameUuid }, changes, made: component };
  },
  create_prefab(edit, run) {
    const { path, uuid, node, changes } = createPrefab(open(edit, run), edit.node, edit);
    return { gives: { path, assetUuid: uuid, nodeUuid: node }, changes, made: node };
  },
  instantiate_prefab(edit, run) {
    const { node, changes } = instantiatePrefab(open(edit, run), edit);
    return { gives: { nodeUuid: node }, changes, made: node };
  },
  update_instance(edit, run) {
    const document = open(edit, run);
    const root = requireInstance(document, edit.node);
    const overrides = edit.overrides?.map((override) => ({
      ...override,
      target: partOf(document, root, override.target),
    }));
    const { node, diff, changes } = updateInstance(document, root.handle, { ...edit, overrides });
    return { gives: { nodeUuid: node, diff }, changes };
  },
  revert_overrides(edit, run) {
    const document = open(edit, run);
    const nodeUuid = requireInstance(document, edit.node).handle;
    const target = edit.target === undefined ? undefined : document.view.get(edit.target).handle;
    let reverted = 0;
    const { changes } = revertOverrides(document, nodeUuid, (override) => {
      const isMeant =
        !override.reserved &&
        (target === undefined || override.target === target) &&
        (edit.property === undefined || override.property === edit.property);
      if (isMeant) reverted++;
      return isMeant;
    });
    return { gives: { nodeUuid, reverted }, changes };
  },
  apply_overrides(edit, run) {
    const document = open(edit, run);
    const nodeUuid = requireInstance(document, edit.node).handle;
    const { prefab, applied, kept, changes } = applyOverrides(document, nodeUuid);
    return { gives: { nodeUuid, prefabPath: prefab, applied, kept }, changes };
  },
  unpack_prefab(edit, run) {
    const document = open(edit, run);
    const item = requireInstance(document, edit.node);
    const { changes } = unpackPrefab(document, item.handle, { recursive: edit.recursive === true });
    return { gives: { nodeUuid: document.view.item(item.index)?.handle ?? '' }, changes };
  },
  create_folder({ path }, { workspace }) {
    const made = createFolder(workspace, path);
    return { gives: { path: made.path }, changes: made.changes };
  },
  async import_image(edit, { workspace, readSource }) {
    const { path, type, onConflict } = edit;
    const bytes = readSource(edit.source);
    const done = await importImage(workspace, { bytes, path, type, onConflict });
    const { uuid, spriteFrameUuid, reused, changes } = done;
    const frame = spriteFrameUuid === undefined ? {} : { spriteFrameUuid };
    return {
      gives: { path: done.path, assetUuid: uuid, ...frame, reused },
      changes,
      made: spriteFrameUuid ?? uuid,
    };
  },
  move_asset({ asset, to }, { workspace }) {
    const { from, path, changes } = moveAsset(workspace, { from: asset, to });
    return { gives: { from, path }, changes };
  },
  async delete_asset({ asset, force = false }, { workspace }) {
    const { path, users, changes } = await deleteAsset(workspace, { path: asset, force });
    return { gives: { path, users }, changes };
  },
  async replace_references(edit, { workspace }) {
    const { count, files, changes } = await replaceReferences(workspace, edit);
    return { gives: { count, files }, changes };
  },
  repair_document({ document, codes }, run) {
    const path = document ?? run.currentDocument();
    const wanted = codes?.map((code) => knownCode(code));
    const done = repairDocument(run.workspace, path, wanted === undefined ? {} : { codes: wanted });
    const unread = done.remaining.find(({ code }) => unreadable.has(code));
    if (unread !== undefined)
      throw new CocosError(
        'E_PRECONDITION_FAILED',
        `"${unread.file}" cannot be repaired, because it cannot be read: ${unread.message}`,
        { suggestion: unread.suggestion },
      );
    const counts = new Map<string, number>();
    for (const { code } of done.repaired) counts.set(code, (counts.get(code) ?? 0) + 1);
    const repaired = [...counts].map(([code, count]) => ({ code, count }));
    const place = run.workspace.draft.asset(path)?.path ?? run.workspace.draft.resolve(path);
    return {
      gives: { path: place, repaired, left: done.remaining.length },
      changes: done.changes,
    };
  },
};

/** Findings of files that no rule could look at. */
const unreadable = new Set<FindingCode>(['parse', 'notArray', 'badHead']);

function knownCode(code: string): FindingCode {
  if (Object.hasOwn(findingRules, code)) return code as FindingCode;
  throw new CocosError('E_INVALID_ARGUMENT', `There is no finding "${code}".`, {
    suggestion: `Findings: ${Object.keys(findingRules).join(', ')}.`,
  });
}

/** A part of an instance: named as anywhere, or by the way to it from the root of the instance. */
function partOf(
  document: SceneDocument,
  root: ViewItem,
  target: string | undefined,
): string | undefined {
  const { view } = document;
  if (target === undefined || view.find(target) !== undefined) return target;
  const separator = target.startsWith(':') ? '' : '/';
  const below = `${view.path(root.index)}${separator}${target}`;
  if (view.find(below) !== undefined || !target.includes(':')) return below;
  return requireComponentItem(document, below).handle;
}

/** The component of a class that a node has already. */
function presentOn(
  document: SceneDocument,
  { node, type }: { readonly node: string; readonly type: string },
): { componentUuid: string; type: string } | undefined {
  const item = requireNode(document, node);
  const { name, spec } = findClass(document, type);
  const { view } = document;
  const present = view
    .components(item.index)
    .find(({ index }) => view.at(index)['__type__'] === spec.type);
  return present && { componentUuid: present.handle, type: name };
}
