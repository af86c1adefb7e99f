import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Change, CocosError, scriptTypeOf } from '#cocos/document';
import { openDocument, openWorkspace, readDocument, type SceneDocument } from '#cocos/edit';
import type { Draft, FileChange, Project } from '#cocos/project';
import { isScriptPath } from '#cocos/scripts';
import type { Committed, EditContext, EditPlan, WriteOptions } from '../backend.ts';
import { definitionOf, type Edit, type EditResults } from '../edits/index.ts';
import type { HeadlessBackend } from '../headless-backend.ts';
import { oneByOne, type OneByOne } from '../one-by-one.ts';
import { readTransaction } from '../read-project.ts';
import type { TransactionReading } from '../readings.ts';
import { renamed } from '../renamed.ts';
import { AssetRefresh } from './asset-refresh.ts';
import { type LiveScene, type OpenScene, unsaved } from './live-scene.ts';
import { masked } from './masking.ts';
import { type Present, type SceneSent, sendChange } from './scene-messages.ts';
import type { EditorLink } from './requester.ts';
import { lastOf, SceneHistory, type SceneTransaction } from './transactions.ts';

/** What the open scene would become. */
interface Future {
  readonly document: SceneDocument;
  readonly text: string;
}

/** What edits would do, with what they would do it to. */
interface Planned<List extends readonly Edit[]> {
  readonly draft: Draft;
  /** The scene in the editor. */
  readonly scene: OpenScene | undefined;
  /** The same as it would become; absent where it stays as it is. */
  readonly becomes: Future | undefined;
  readonly steps: readonly (readonly Change[])[];
  readonly touched: ReadonlySet<string>;
  readonly results: EditResults<List>;
  readonly state: string;
}

/** What is committed, and how. */
interface Committing<List extends readonly Edit[]> extends WriteOptions<Committed<List>> {
  readonly edits: List;
  readonly planned: Planned<List>;
  readonly label: string;
}

/** What writing goes through. */
export interface EditorParts {
  readonly link: EditorLink;
  readonly scene: LiveScene;
  /** The scene that each draft was made on. */
  readonly scenes: WeakMap<Draft, OpenScene | undefined>;
  readonly project: Project;
  /** Plans on the files and the scene as the editor has it. */
  readonly files: HeadlessBackend;
}

/** Plans edits, and carries them out: on the open scene by messages, on everything else in the files. */
export class EditorWriter {
  readonly #link: EditorLink;
  readonly #scene: LiveScene;
  readonly #scenes: WeakMap<Draft, OpenScene | undefined>;
  readonly #project: Project;
  readonly #files: HeadlessBackend;
  readonly #assets: AssetRefresh;
  readonly #history = new SceneHistory();
  /** Lets work wait for the writes before it. */
  readonly oneByOne: OneByOne = oneByOne();

  constructor({ link, scene, scenes, project, files }: EditorParts) {
    this.#link = link;
    this.#scene = scene;
    this.#scenes = scenes;
    this.#project = project;
    this.#files = files;
    this.#assets = new AssetRefresh(link, project);
  }

  async plan<const List extends readonly Edit[]>(
    edits: List,
    context: EditContext,
  ): Promise<EditPlan<List>> {
    const planned = await this.#plan(edits, context);
    const { scene, becomes, state } = planned;
    const named = context.document;
    const shown =
      scene === undefined || becomes === undefined || !areByMessages(edits)
        ? planned
        : masked(planned, { edits, before: scene.text, planned: becomes.document });
    return {
      changes: shown.steps.flat(),
      document: named && (this.#project.asset(named)?.path ?? this.#project.resolve(named)),
      steps: shown.steps,
      results: shown.results,
      state,
      commit: (label, { beforeWrite } = {}) =>
        this.oneByOne(async () => {
          if (await this.#isUntouched(planned)) {
            return this.#commit({ edits, planned, label, beforeWrite });
          }
          const again = await this.#plan(edits, context).catch(() => undefined);
          if (again === undefined || !this.#isSame(planned, again)) throw changedMeanwhile();
          return this.#commit({ edits, planned: again, label, beforeWrite });
        }),
    };
  }

  async history(): Promise<readonly TransactionReading[]> {
    return this.#history.with(await this.#files.history());
  }

  undo(
    transactionId?: string,
    { beforeWrite }: WriteOptions<TransactionReading> = {},
  ): Promise<TransactionReading> {
    return this.oneByOne(async () => {
      const last = lastOf(await this.history(), transactionId);
      await beforeWrite?.(undefined);
      const done = this.#history.find(last.transactionId);
      if (done === undefined) return this.#undoFiles(last);
      const { scene, filesId } = done;
      const open = await this.#scene.read();
      if (open?.uuid !== scene.uuid) throw changedMeanwhile();
      const live = await this.#scene.text(scene.uuid);
      if (live !== scene.after && open.text !== scene.after) throw changedMeanwhile();
      await this.#scene.replace({ uuid: scene.uuid, text: scene.before });
      if (filesId !== undefined) await this.#takeBack(filesId);
      this.#history.drop(last.transactionId);
      await this.#markUndone(done);
      return last;
    });
  }

  /** Whoever repeats the call that did it is not told that it is done. */
  async #markUndone({ note }: SceneTransaction): Promise<void> {
    if (note?.undone === undefined) return;
    const { key, undone: value, ttlMs } = note;
    const expected = await this.#project.known(key);
    if (expected !== undefined) await this.#project.remember({ key, expected, value, ttlMs });
  }

  async #plan<List extends readonly Edit[]>(
    edits: List,
    context: EditContext,
  ): Promise<Planned<List>> {
    await this.#scene.requireReady();
    const plan = await this.#files.planEdits(edits, context);
    const { draft } = plan.workspace;
    const scene = this.#scenes.get(draft);
    const state = stateOf(plan.state, scene);
    const { steps, touched, results } = plan;
    const still = { draft, scene, becomes: undefined, steps, touched, results, state };
    if (scene === undefined) return still;
    if (!draft.exists(scene.path) || draft.assetAt(scene.path)?.uuid !== scene.uuid) {
      throw new CocosError('E_PRECONDITION_FAILED', `${scene.path} is open in the editor.`, {
        suggestion: 'Open another scene first.',
      });
    }
    const text = draft.text(scene.path);
    if (text === scene.text) return still;
    const becomes = { document: openDocument(plan.workspace, scene.path), text };
    return { ...still, becomes };
  }

  /** Whether all that a plan was made from is as it was. */
  async #isUntouched({ draft, scene }: Planned<readonly Edit[]>): Promise<boolean> {
    const open = await this.#scene.read();
    if (open?.uuid !== scene?.uuid || open?.text !== scene?.text) return false;
    const now = this.#project.draft();
    return [...draft.seen()].every(([path, known]) => {
      now.read(path);
      return now.seen().get(path)?.hash === known?.hash;
    });
  }

  /** Where only other writes from here came between, the same edits may still do the same: then they are what was planned. */
  #isSame<List extends readonly Edit[]>(planned: Planned<List>, again: Planned<List>): boolean {
    if (again.state === planned.state) return true;
    const text = again.scene?.text;
    const isOurs =
      text === planned.scene?.text || (text !== undefined && this.#history.hasMade(text));
    return isOurs && isDeepStrictEqual(again.steps, planned.steps);
  }

  async #commit<List extends readonly Edit[]>(work: Committing<List>): Promise<Committed<List>> {
    const { edits, planned, label, beforeWrite } = work;
    const { draft, scene, becomes, results, touched } = planned;
    // The open scene is the editor's to save.
    if (scene !== undefined) draft.write(scene.path, this.#project.draft().text(scene.path));
    if (scene === undefined || becomes === undefined) return this.#commitFiles(work);
    if (!areByMessages(edits)) this.#refuseForeign(scene);
    await this.#refuseShown(draft);
    // What the editor will make of it is not known before.
    const note = await beforeWrite?.(undefined);
    const files = await this.#project.commit(draft, label);
    const written = files?.files ?? [];
    try {
      if (files !== undefined) await this.#assets.refresh(written);
      await this.#scene.awaitScripts(this.#newScripts(written, becomes));
      const { real, after } = await this.#change(scene, { edits, becomes, touched });
      const transaction = this.#history.add({
        label,
        files: [{ path: scene.path, change: 'update' }, ...written],
        scene: { uuid: scene.uuid, before: scene.text, after },
        filesId: files?.id,
        note,
      });
      return { results: renamed(results, real), transaction };
    } catch (error) {
      if (files !== undefined) await this.#takeBack(files.id);
      throw error;
    }
  }

  async #commitFiles<List extends readonly Edit[]>({
    planned: { draft, results },
    label,
    beforeWrite,
  }: Committing<List>): Promise<Committed<List>> {
    await this.#refuseShown(draft);
    const files = await this.#project.commit(draft, label, {
      beforeWrite:
        beforeWrite && ((done) => beforeWrite({ results, transaction: readTransaction(done) })),
    });
    if (files === undefined) return { results };
    try {
      await this.#assets.refresh(files.files);
      return { results, transaction: readTransaction(files) };
    } catch (error) {
      await this.#takeBack(files.id);
      throw error;
    }
  }

  /** The scripts that were imported for what the scene becomes. */
  #newScripts(written: readonly FileChange[], { text }: Future): string[] {
    const places = written.map(({ path }) => path.replace(/\.meta$/, '')).filter(isScriptPath);
    const uuids = places.flatMap((place) => this.#project.assetAt(place)?.uuid ?? []);
    return uuids.filter((uuid) => text.includes(`"${scriptTypeOf(uuid)}"`));
  }

  #refuseShown(draft: Draft): Promise<void> {
    return this.#scene.refuseShown(draft.files().map(({ path }) => path));
  }

  /** Carries out a plan on the open scene; what fails half-way is taken back. */
  async #change(
    scene: OpenScene,
    plan: {
      readonly edits: readonly Edit[];
      readonly becomes: Future;
      readonly touched: ReadonlySet<string>;
    },
  ): Promise<SceneSent> {
    const { edits, becomes, touched } = plan;
    // What is not saved was just read from there.
    const text = scene.isDirty ? scene.text : await this.#scene.text(scene.uuid);
    try {
      if (text !== undefined && areByMessages(edits)) {
        const read = async (): Promise<Present> => {
          const present = (await this.#scene.text(scene.uuid)) ?? '';
          return { text: present, document: await this.#documentOf({ ...scene, text: present }) };
        };
        const before = { text, document: await this.#documentOf({ ...scene, text }) };
        return await sendChange(this.#link, { before, planned: becomes.document, touched, read });
      }
      await this.#scene.replace({ uuid: scene.uuid, text: becomes.text });
      const after = (await this.#scene.text(scene.uuid)) ?? becomes.text;
      return { real: (handle) => handle, after };
    } catch (error) {
      throw await this.#restored(scene, error);
    }
  }

  /** Puts a scene back; the failure says whether that worked. */
  async #restored(scene: OpenScene, error: unknown): Promise<unknown> {
    let restored = true;
    try {
      await this.#scene.replace(scene);
    } catch {
      restored = false;
    }
    if (!(error instanceof CocosError)) return error;
    const { message, details, suggestion } = error;
    const isUnknown = !restored && (error.code === 'E_TIMEOUT' || error.code === 'E_UNAVAILABLE');
    // Whoever is told that the time was up, or that nobody was there, takes it that nothing was done.
    const code = isUnknown ? 'E_CONFLICT' : error.code;
    const told = isUnknown ? `${message} It is not known how much of it was done.` : message;
    return new CocosError(code, told, {
      suggestion: restored ? suggestion : 'Undo in the editor: the scene is changed in part.',
      details: { ...details, restored },
      cause: error,
    });
  }

  /** Loading a scene anew saves it before: only what was made here may be saved unasked. */
  #refuseForeign({ isDirty, text, path }: OpenScene): void {
    if (isDirty && !this.#history.hasMade(text)) {
      throw unsaved(`${path} has unsaved changes, and this edit loads it anew`);
    }
  }

  async #undoFiles(last: TransactionReading): Promise<TransactionReading> {
    await this.#scene.refuseShown(last.files.map(({ path }) => path));
    await this.#takeBack(last.transactionId);
    return last;
  }

  async #takeBack(id: string): Promise<void> {
    const { files } = await this.#project.undo(id);
    await this.#assets.refresh(files);
  }

  async #documentOf({ path, text }: OpenScene): Promise<SceneDocument> {
    const draft = this.#project.draft();
    draft.write(path, text);
    return readDocument(await openWorkspace(this.#project, draft), path);
  }
}

/** Whether messages can do all of it; if not, the editor loads the scene again from what was planned. */
function areByMessages(edits: readonly Edit[]): boolean {
  // What an edit takes is known by its name.
  return edits.every((edit) => definitionOf(edit).byMessages(edit as never));
}

function stateOf(files: string, scene: OpenScene | undefined): string {
  const open = scene === undefined ? '-' : `${scene.uuid} ${scene.text}`;
  return createHash('sha256').update(`${files} ${open}`).digest('hex');
}

function changedMeanwhile(): CocosError {
  return new CocosError('E_CONFLICT', 'The project or the scene in the editor has changed.', {
    suggestion: 'Look at it again, and plan again.',
  });
}
