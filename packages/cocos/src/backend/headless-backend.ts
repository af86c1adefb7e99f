import { isDeepStrictEqual } from 'node:util';
import { CocosError, isUuid } from '#cocos/document';
import { handOverViews, openWorkspace, requireNode, type SceneDocument } from '#cocos/edit';
import {
  baseUuid,
  type CommitOptions,
  type Draft,
  isOvertaken,
  openProject,
  type Project,
  type ProjectOptions,
  type Transaction,
} from '#cocos/project';
import { renderDocument } from '#cocos/render';
import { type Finding, validateProject } from '#cocos/validate';
import {
  all,
  type AssetQuery,
  type CocosBackend,
  type Committed,
  type DocumentReference,
  type EditContext,
  type EditPlan,
  type NodeQuery,
  type PictureOptions,
  type WriteOptions,
} from './backend.ts';
import type { Edit } from './edits/index.ts';
import { readImageFile } from './image-file.ts';
import { oneByOne, type OneByOne } from './one-by-one.ts';
import { planEdits, type PlannedEdits } from './plan-edits.ts';
import { findAssets, readNamedAsset } from './read-assets.ts';
import { ReadCache } from './read-cache.ts';
import { readClass, readClasses } from './read-classes.ts';
import {
  findNodes,
  readInfo,
  readNode,
  readNodeComponents,
  readOverrides,
  readTree,
} from './read-nodes.ts';
import { readProject, readTransaction } from './read-project.ts';
import type * as Readings from './readings.ts';

/** How a project is worked on without the editor. */
export interface HeadlessOptions {
  /** Folders besides the project that images may be imported from. */
  readonly imageFolders?: readonly string[] | undefined;
  /** Writes although the editor has the project open. */
  readonly ignoreEditor?: boolean | undefined;
}

interface FilesOptions extends HeadlessOptions {
  /** Puts into a draft what is not in the files yet: the scene that an editor has open. */
  readonly overlay?: ((draft: Draft) => Promise<void>) | undefined;
}

/** Opens the project that a folder belongs to, to be edited without the editor. */
export async function openHeadless(
  folder: string,
  options: HeadlessOptions & ProjectOptions = {},
): Promise<CocosBackend> {
  return new HeadlessBackend(await openProject(folder, { ...options, follow: true }), options);
}

/** How often edits are tried where somebody writes who does not wait for us, such as an editor. */
const maxAttempts = 3;

/** A project on the disk; every write is on the disk when it ends. */
export class HeadlessBackend implements CocosBackend {
  readonly kind = 'headless';
  readonly files: Project;
  readonly keys: Project;
  readonly #options: FilesOptions;
  readonly #watch: Disposable;
  readonly #reading = new ReadCache();
  /** By uuid, or by path where it has none yet. */
  #current: string | undefined;
  /** One write of this process after the other. */
  readonly #inTurn: OneByOne = oneByOne();

  constructor(project: Project, options: FilesOptions = {}) {
    this.files = project;
    this.keys = project;
    this.#options = options;
    // Besides, looking for changes costs nothing while there are none.
    this.#watch = project.watch(() => this.#reading.clear());
  }

  async project(): Promise<Readings.ProjectReading> {
    await this.files.current();
    return readProject(this.files, { backend: this.kind, currentDocument: this.#findCurrent() });
  }

  async currentDocument(): Promise<string | undefined> {
    await this.files.current();
    return this.#findCurrent();
  }

  async openDocument(document: DocumentReference): Promise<Readings.DocumentReading | undefined> {
    if (document === undefined) {
      this.#current = undefined;
      return undefined;
    }
    const reading = await this.document(document);
    this.#current = reading.assetUuid || reading.path;
    return reading;
  }

  async document(document: DocumentReference): Promise<Readings.DocumentReading> {
    return readInfo(await this.#read(document));
  }

  async tree(
    document: DocumentReference,
    {
      node = '',
      depth,
    }: { readonly node?: string | undefined; readonly depth?: number | undefined } = {},
  ): Promise<Readings.TreeNode> {
    const open = await this.#read(document);
    return readTree(open, requireNode(open, node), depth);
  }

  async node(document: DocumentReference, node: string): Promise<Readings.NodeReading> {
    const open = await this.#read(document);
    return readNode(open, requireNode(open, node));
  }

  async findNodes(
    document: DocumentReference,
    query: NodeQuery,
  ): Promise<readonly Readings.NodeSummary[]> {
    return findNodes(await this.#read(document), query);
  }

  async components(
    document: DocumentReference,
    node: string,
  ): Promise<readonly Readings.ComponentReading[]> {
    const open = await this.#read(document);
    return readNodeComponents(open, requireNode(open, node));
  }

  async overrides(
    document: DocumentReference,
    node: string,
  ): Promise<readonly Readings.OverrideReading[]> {
    return readOverrides(await this.#read(document), node);
  }

  async assets(query: AssetQuery): Promise<readonly Readings.AssetReading[]> {
    return findAssets(await this.#workspace(), query);
  }

  async asset(asset: string): Promise<Readings.AssetReading> {
    return readNamedAsset(await this.#workspace(), asset);
  }

  async references(asset: string): Promise<{
    usedBy: readonly string[];
    uses: readonly { assetUuid: string; path?: string | undefined }[];
  }> {
    const { assetUuid, path = '' } = await this.asset(asset);
    if (assetUuid === undefined) return { usedBy: [], uses: [] };
    const { usedBy, uses } = await this.files.referencesOf({ uuid: assetUuid, path });
    return {
      usedBy: usedBy.map((user) => user.path).sort(),
      uses: uses.map((uuid) => {
        const used = this.files.asset(baseUuid(uuid))?.path;
        return { assetUuid: uuid, path: used };
      }),
    };
  }

  async classes(of: 'scripts' | 'engine'): Promise<readonly Readings.ClassReading[]> {
    return readClasses(await this.#workspace(), of);
  }

  async classOf(name: string): Promise<Readings.ClassReading> {
    return readClass(await this.#workspace(), name);
  }

  async isDirty(): Promise<boolean> {
    return false;
  }

  async save(document: DocumentReference): Promise<Readings.DocumentReading> {
    return this.document(document);
  }

  async validate(
    document: DocumentReference | typeof all,
  ): Promise<readonly Readings.FindingReading[]> {
    const workspace = await this.#workspace();
    const found =
      document === all
        ? validateProject(workspace).findings
        : this.#reading.validate(workspace, document ?? this.#requireCurrent());
    return found.map(readFinding);
  }

  async render(
    document: DocumentReference,
    options: PictureOptions = {},
  ): Promise<Readings.PictureReading> {
    return renderDocument(await this.#read(document), options);
  }

  async plan<const List extends readonly Edit[]>(
    edits: List,
    context: EditContext,
  ): Promise<EditPlan<List>> {
    // What is open now is meant, whatever is when it is done.
    const where = { ...context, document: context.document ?? this.#findCurrent() };
    const planned = await this.planEdits(edits, where);
    const { steps, state, results } = planned;
    const again = (): Promise<PlannedEdits<List>> => this.planEdits(edits, where);
    const commit: EditPlan<List>['commit'] = (label, { beforeWrite } = {}) =>
      this.#inTurn(() => this.#commit({ planned, again, label, beforeWrite }));
    const named = where.document;
    const path = named && (this.files.asset(named)?.path ?? this.files.resolve(named));
    return { changes: steps.flat(), document: path, steps, state, results, commit };
  }

  /** Where somebody was faster, the same edits may still do the same: then they are what was planned. */
  async #commit<List extends readonly Edit[]>(work: Committing<List>): Promise<Committed<List>> {
    const { planned, label, beforeWrite } = work;
    let latest = planned;
    const options: CommitOptions = {
      beforeWrite: beforeWrite && ((written) => beforeWrite(committed(latest, written))),
      again: async () => {
        await this.files.refresh();
        const again = await work.again().catch(() => undefined);
        if (again === undefined || !isDeepStrictEqual(again.steps, planned.steps)) return undefined;
        latest = again;
        return again.workspace.draft;
      },
    };
    for (let attempt = 1; ; attempt += 1) {
      try {
        const done = await this.files.commit(latest.workspace.draft, label, options);
        this.#reading.forget(latest.workspace.documents.keys());
        handOverViews(latest.workspace, this.files.draft());
        return committed(latest, done);
      } catch (error) {
        if (!isOvertaken(error) || attempt === maxAttempts) throw error;
      }
    }
  }

  /** Carries out edits on a draft that is the caller's to commit. */
  async planEdits<const List extends readonly Edit[]>(
    edits: List,
    { document, ...context }: EditContext,
  ): Promise<PlannedEdits<List>> {
    await this.files.current();
    this.#refuseEditor();
    return planEdits(edits, {
      project: this.files,
      draft: await this.#draft(),
      currentDocument: () => document ?? this.#requireCurrent(),
      readSource: (source) =>
        readImageFile(source, { root: this.files.root, folders: this.#options.imageFolders }),
      ...context,
    });
  }

  async history(): Promise<readonly Readings.TransactionReading[]> {
    return (await this.files.history()).map(readTransaction);
  }

  async undo(
    transactionId?: string,
    { beforeWrite }: WriteOptions<Readings.TransactionReading> = {},
  ): Promise<Readings.TransactionReading> {
    this.#refuseEditor();
    const options = beforeWrite && {
      beforeWrite: (done: Transaction) => beforeWrite(readTransaction(done)),
    };
    return this.#inTurn(async () => readTransaction(await this.files.undo(transactionId, options)));
  }

  async diagnostics(): Promise<Readonly<Record<string, unknown>>> {
    await this.files.current();
    const { root, mounts } = this.files;
    const history = await this.files.history();
    return {
      root,
      mounts,
      editor: this.files.editor(),
      undoable: history.length,
      problems: [...this.files.problems()],
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch[Symbol.dispose]();
    this.files[Symbol.dispose]();
    // A call that nobody waits for any more may still wait for its turn.
    await this.files.settled();
  }

  async #workspace(): ReturnType<typeof openWorkspace> {
    await this.files.current();
    return openWorkspace(this.files, await this.#draft());
  }

  async #draft(): Promise<Draft> {
    const draft = this.files.draft();
    await this.#options.overlay?.(draft);
    return draft;
  }

  async #read(document: DocumentReference): Promise<SceneDocument> {
    const workspace = await this.#workspace();
    return this.#reading.read(workspace, document ?? this.#requireCurrent());
  }

  #findCurrent(): string | undefined {
    // Whoever opened one that is gone does not mean another.
    const open = this.#current;
    if (open !== undefined) return isUuid(open) ? this.files.asset(open)?.path : open;
    const scenes = this.#scenes();
    return scenes.length === 1 ? scenes[0] : undefined;
  }

  #scenes(): string[] {
    const found: string[] = [];
    for (const asset of this.files.assets()) {
      if (asset.importer === 'scene' && asset.exists) found.push(asset.path);
    }
    return found.sort();
  }

  #requireCurrent(): string {
    const current = this.#findCurrent();
    if (current !== undefined) return current;
    const scenes = this.#scenes();
    throw new CocosError('E_PRECONDITION_FAILED', 'No scene is open.', {
      suggestion:
        scenes.length === 0
          ? 'Create a scene first.'
          : 'Open one, or name it: ' + scenes.slice(0, 10).join(', '),
      details: { scenes: scenes.slice(0, 100) },
    });
  }

  #refuseEditor(): void {
    const { running, pid, url } = this.files.editor();
    if (running !== 'yes' || pid === process.pid || this.#options.ignoreEditor === true) return;
    throw new CocosError('E_CONFLICT', 'The editor has the project open.', {
      suggestion:
        url === undefined ? 'Close the editor, or work through it.' : `Work through it: ${url}`,
      details: { url },
    });
  }
}

/** What is committed, and how. */
interface Committing<List extends readonly Edit[]> extends WriteOptions<Committed<List>> {
  readonly planned: PlannedEdits<List>;
  readonly again: () => Promise<PlannedEdits<List>>;
  readonly label: string;
}

function committed<List extends readonly Edit[]>(
  { results }: PlannedEdits<List>,
  done: Transaction | undefined,
): Committed<List> {
  return { results, transaction: done && readTransaction(done) };
}

function readFinding({ handle, node, ...finding }: Finding): Readings.FindingReading {
  return { ...finding, path: node, targetUuid: handle };
}
