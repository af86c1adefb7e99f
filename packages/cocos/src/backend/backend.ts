import type { Change } from '#cocos/document';
import type { EarlyNote, Note } from '#cocos/project';
import type { RenderOptions } from '#cocos/render';
import type { Edit, EditResults } from './edits/index.ts';
import type {
  AssetReading,
  ClassReading,
  ComponentReading,
  DocumentReading,
  FindingReading,
  NodeReading,
  NodeSummary,
  OverrideReading,
  PictureReading,
  ProjectReading,
  TransactionReading,
  TreeNode,
} from './readings.ts';

/**
 * A node: its handle, a path such as `Canvas/Menu/Button[1]`, or `$name` of a node that an earlier edit of the same plan
 * has created `as` that name.
 */
export type NodeReference = string;

/** An asset: its path in the project, its `db://` URL, or its uuid. */
export type AssetReference = string;

/** The scene or prefab to look at; absent: the current one. */
export type DocumentReference = AssetReference | undefined;

/** Stands for every scene and prefab of the project. */
export const all: unique symbol = Symbol('all');

/** Which nodes to look for; all that is given must hold. */
export interface NodeQuery {
  /** A part of the name, in any case; with `*`, the whole name. */
  readonly name?: string | undefined;
  /** A part of the path, in any case; with `*`, the whole path. */
  readonly path?: string | undefined;
  /** A class of component: `cc.Sprite`, or the class of a script. */
  readonly type?: string | undefined;
  readonly active?: boolean | undefined;
  /** Only this node and those below it. */
  readonly below?: NodeReference | undefined;
}

/** Which assets to look for; all that is given must hold. */
export interface AssetQuery {
  /** Only those below this folder. */
  readonly folder?: string | undefined;
  /** `cc.Prefab`, `cc.SpriteFrame`, `cc.ImageAsset`, `scene`, `script`, `folder`. */
  readonly type?: string | undefined;
  /** A part of the path, in any case; with `*`, the whole name of the file. */
  readonly name?: string | undefined;
  /** Assets of the engine instead of those of the project. */
  readonly internal?: boolean | undefined;
}

/** What a picture shall show. */
export interface PictureOptions {
  /** Only this node and what is below it. */
  readonly node?: NodeReference | undefined;
  /** Whether images are part of the picture, which makes it large; yes where absent. */
  readonly images?: boolean | undefined;
  readonly background?: RenderOptions['background'];
}

/** What planning may use. */
export interface EditContext {
  /** The scene or prefab of edits that name none; absent: the current one. */
  readonly document?: DocumentReference | undefined;
  /** Whether changes are told as files have them; as people speak where absent. */
  readonly storedNames?: boolean | undefined;
  /** A name for something new: under one plan, the same label gives the same name. */
  newId(label: string): string;
}

/** What edits would do, found out without doing them. */
export interface EditPlan<List extends readonly Edit[] = readonly Edit[]> {
  readonly changes: readonly Change[];
  /** The path of the scene or prefab of edits that name none; undefined where none is current. */
  readonly document: string | undefined;
  /** The same, edit by edit. */
  readonly steps: readonly (readonly Change[])[];
  /** A fingerprint of all that the plan was made from: another one once any of it, or the plan's own effect, is there. */
  readonly state: string;
  /** What the edits will answer; what cannot be known before is called by its `$name`, or is empty. */
  readonly results: EditResults<List>;
  /** Does all of it, or nothing. Fails with E_CONFLICT where what the plan was made from has changed. */
  commit(label: string, options?: WriteOptions<Committed<List>>): Promise<Committed<List>>;
}

/** What else there is to a write. */
export interface WriteOptions<Done> {
  /**
   * Called when all is ready and nothing is changed yet, with what will be answered, where that is known before: what it throws
   * ends the write, and nothing is changed. What it returns is remembered if, and only if, the change is made.
   */
  readonly beforeWrite?: ((done: Done | undefined) => Promise<EarlyNote | undefined>) | undefined;
}

/** What is remembered of calls by the names that their callers gave them, with the project itself. */
export interface KeptKeys {
  known(key: string): Promise<string | undefined>;
  /** False where the key has another value than the one that is expected. */
  remember(note: Note): Promise<boolean>;
  /** The same. */
  forget(key: string, expected: string | undefined): Promise<boolean>;
}

/** What was done. */
export interface Committed<List extends readonly Edit[] = readonly Edit[]> {
  readonly results: EditResults<List>;
  /** Absent where there was nothing to do. */
  readonly transaction?: TransactionReading | undefined;
}

/** A Cocos Creator project, on the disk or in the editor. Failures are a `CocosError`. */
export interface CocosBackend extends AsyncDisposable {
  readonly kind: 'headless' | 'editor';
  readonly keys: KeptKeys;

  project(): Promise<ProjectReading>;
  /** The scene or prefab that calls mean that name none: the last one opened, or the only scene. */
  currentDocument(): Promise<string | undefined>;
  /** Makes a scene or prefab the current one; undefined: none is. */
  openDocument(document: DocumentReference): Promise<DocumentReading | undefined>;

  document(document: DocumentReference): Promise<DocumentReading>;
  /** A node with what is below it; the root, and all, where absent. */
  tree(
    document: DocumentReference,
    options?: { readonly node?: NodeReference | undefined; readonly depth?: number | undefined },
  ): Promise<TreeNode>;
  node(document: DocumentReference, node: NodeReference): Promise<NodeReading>;
  /** In the order of the tree. */
  findNodes(document: DocumentReference, query: NodeQuery): Promise<readonly NodeSummary[]>;
  /** The components of a node, in order. */
  components(
    document: DocumentReference,
    node: NodeReference,
  ): Promise<readonly ComponentReading[]>;
  /** What an instance of a prefab has other than its prefab. */
  overrides(document: DocumentReference, node: NodeReference): Promise<readonly OverrideReading[]>;

  /** By path. */
  assets(query: AssetQuery): Promise<readonly AssetReading[]>;
  asset(asset: AssetReference): Promise<AssetReading>;
  /** The files that refer to an asset; the assets that it refers to. */
  references(asset: AssetReference): Promise<{
    readonly usedBy: readonly string[];
    readonly uses: readonly { readonly assetUuid: string; readonly path?: string | undefined }[];
  }>;
  /** Component classes: of the project's scripts, or of the engine. */
  classes(of: 'scripts' | 'engine'): Promise<readonly ClassReading[]>;
  /** The class named by an engine class, a class of a script, or the path or uuid of a script. */
  classOf(name: string): Promise<ClassReading>;

  /** Whether the scene or prefab has changes that are not in its file: never without an editor. */
  isDirty(document: DocumentReference): Promise<boolean>;
  /** Writes what is not in the file yet, and reads the file back. */
  save(document: DocumentReference): Promise<DocumentReading>;

  /** What is wrong with a scene or prefab; with `all`, with any of the project. */
  validate(document: DocumentReference | typeof all): Promise<readonly FindingReading[]>;
  /** A picture of the layout of the UI. */
  render(document: DocumentReference, options?: PictureOptions): Promise<PictureReading>;

  /** Finds out what edits would do, in order, each seeing what those before it do. A failure has `details.edit`: its place. */
  plan<const List extends readonly Edit[]>(
    edits: List,
    context: EditContext,
  ): Promise<EditPlan<List>>;
  /** What can be undone, the last first. */
  history(): Promise<readonly TransactionReading[]>;
  /** Takes back the last transaction; with an id, only if that is the last. */
  undo(
    transactionId?: string,
    options?: WriteOptions<TransactionReading>,
  ): Promise<TransactionReading>;
  /** What those who run the server want to know, as JSON. */
  diagnostics(): Promise<Readonly<Record<string, unknown>>>;
}
