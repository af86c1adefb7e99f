import { type Draft, openProject, type Project, type ProjectOptions } from '#cocos/project';
import type {
  all,
  AssetQuery,
  CocosBackend,
  DocumentReference,
  EditContext,
  EditPlan,
  NodeQuery,
  PictureOptions,
  WriteOptions,
} from '../backend.ts';
import type { Edit } from '../edits/index.ts';
import { HeadlessBackend, type HeadlessOptions } from '../headless-backend.ts';
import type * as Readings from '../readings.ts';
import { EditorWriter } from './editor-writer.ts';
import { LiveScene, type OpenScene } from './live-scene.ts';
import { EditorLink, type EditorLinkOptions, type EditorRequester } from './requester.ts';

/** How a project is worked on through the editor. */
export type EditorOptions = EditorLinkOptions & Pick<HeadlessOptions, 'imageFolders'>;

/** Opens a project that an editor has open, to be edited through that editor. */
export async function openEditorBackend(
  requester: EditorRequester,
  folder: string,
  options: EditorOptions & ProjectOptions = {},
): Promise<CocosBackend> {
  return new EditorBackend(
    requester,
    await openProject(folder, { ...options, follow: true }),
    options,
  );
}

/**
 * A project in the editor. The open scene is read as it is there, saved or not, and changed by messages; everything else
 * is changed in the files, all or nothing, which the editor is then told to look at.
 */
class EditorBackend implements CocosBackend {
  readonly kind = 'editor';
  readonly keys: Project;
  readonly #files: HeadlessBackend;
  readonly #project: Project;
  readonly #scene: LiveScene;
  readonly #writer: EditorWriter;
  /** A prefab that was opened here; the editor need not show it. */
  #prefab: string | undefined;

  constructor(requester: EditorRequester, project: Project, options: EditorOptions = {}) {
    this.#project = project;
    this.keys = project;
    const link = new EditorLink(requester, options);
    const scene = new LiveScene(link, project);
    const scenes = new WeakMap<Draft, OpenScene | undefined>();
    this.#scene = scene;
    this.#files = new HeadlessBackend(project, {
      ...options,
      ignoreEditor: true,
      overlay: async (draft) => {
        const open = await scene.read();
        scenes.set(draft, open);
        if (open?.isDirty === true) draft.write(open.path, open.text);
      },
    });
    this.#writer = new EditorWriter({ link, scene, scenes, project, files: this.#files });
  }

  async project(): Promise<Readings.ProjectReading> {
    const currentDocument = await this.currentDocument();
    const { editor, ...reading } = await this.#files.project();
    return {
      ...reading,
      backend: 'editor',
      editor: { ...editor, running: 'yes' },
      currentDocument,
    };
  }

  async currentDocument(): Promise<string | undefined> {
    await this.#project.current();
    const prefab = this.#prefab === undefined ? undefined : this.#project.asset(this.#prefab);
    return prefab?.path ?? (await this.#openPath()) ?? (await this.#files.currentDocument());
  }

  async openDocument(document: DocumentReference): Promise<Readings.DocumentReading | undefined> {
    this.#prefab = undefined;
    if (document === undefined) return undefined;
    const { assetUuid, kind } = await this.#files.document(document);
    if (kind === 'scene') await this.#writer.oneByOne(() => this.#scene.open(assetUuid));
    else this.#prefab = assetUuid;
    return this.#files.document(document);
  }

  async document(document: DocumentReference): Promise<Readings.DocumentReading> {
    return this.#files.document(await this.#meant(document));
  }

  async tree(
    document: DocumentReference,
    options?: { readonly node?: string | undefined; readonly depth?: number | undefined },
  ): Promise<Readings.TreeNode> {
    return this.#files.tree(await this.#meant(document), options);
  }

  async node(document: DocumentReference, node: string): Promise<Readings.NodeReading> {
    return this.#files.node(await this.#meant(document), node);
  }

  async findNodes(
    document: DocumentReference,
    query: NodeQuery,
  ): Promise<readonly Readings.NodeSummary[]> {
    return this.#files.findNodes(await this.#meant(document), query);
  }

  async components(
    document: DocumentReference,
    node: string,
  ): Promise<readonly Readings.ComponentReading[]> {
    return this.#files.components(await this.#meant(document), node);
  }

  async overrides(
    document: DocumentReference,
    node: string,
  ): Promise<readonly Readings.OverrideReading[]> {
    return this.#files.overrides(await this.#meant(document), node);
  }

  assets(query: AssetQuery): Promise<readonly Readings.AssetReading[]> {
    return this.#files.assets(query);
  }

  asset(asset: string): Promise<Readings.AssetReading> {
    return this.#files.asset(asset);
  }

  references(asset: string): ReturnType<CocosBackend['references']> {
    return this.#files.references(asset);
  }

  classes(of: 'scripts' | 'engine'): Promise<readonly Readings.ClassReading[]> {
    return this.#files.classes(of);
  }

  classOf(name: string): Promise<Readings.ClassReading> {
    return this.#files.classOf(name);
  }

  async validate(
    document: DocumentReference | typeof all,
  ): Promise<readonly Readings.FindingReading[]> {
    return this.#files.validate(document ?? (await this.#meant(document)));
  }

  async render(
    document: DocumentReference,
    options?: PictureOptions,
  ): Promise<Readings.PictureReading> {
    return this.#files.render(await this.#meant(document), options);
  }

  async isDirty(document: DocumentReference): Promise<boolean> {
    const { path } = await this.document(document);
    return path === (await this.#openPath()) && this.#scene.isDirty();
  }

  async save(document: DocumentReference): Promise<Readings.DocumentReading> {
    const { path } = await this.document(document);
    if (path === (await this.#openPath())) await this.#writer.oneByOne(() => this.#scene.save());
    await this.#project.refresh();
    return this.document(document);
  }

  async plan<const List extends readonly Edit[]>(
    edits: List,
    context: EditContext,
  ): Promise<EditPlan<List>> {
    return this.#writer.plan(edits, {
      ...context,
      document: await this.#meant(context.document),
    });
  }

  history(): Promise<readonly Readings.TransactionReading[]> {
    return this.#writer.history();
  }

  undo(
    transactionId?: string,
    options?: WriteOptions<Readings.TransactionReading>,
  ): Promise<Readings.TransactionReading> {
    return this.#writer.undo(transactionId, options);
  }

  async diagnostics(): Promise<Readonly<Record<string, unknown>>> {
    const files = await this.#files.diagnostics();
    const shown = await this.#scene.shown();
    const isDirty = await this.#scene.isDirty();
    const script = (await this.#scene.text(shown)) !== undefined;
    return { ...files, backend: this.kind, open: shown, isDirty, sceneScript: script };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.oneByOne(async () => undefined);
    await this.#files[Symbol.asyncDispose]();
  }

  async #meant(document: DocumentReference): Promise<DocumentReference> {
    return document ?? (await this.currentDocument());
  }

  async #openPath(): Promise<string | undefined> {
    const asset = this.#project.asset(await this.#scene.shown());
    return asset?.importer === 'scene' ? asset.path : undefined;
  }
}
