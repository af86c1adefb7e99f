import { writeFileSync } from 'node:fs';
import { isObject, type Json, printTable, textOf } from '#cocos/document';
import { openDocument, openWorkspace, type SceneDocument } from '#cocos/edit';
import { openProject, type Project } from '#cocos/project';
import { sceneChanges, sceneQueries } from './fake-scene.ts';
import { extensionName, isAllowed } from './messages.ts';
import type { EditorRequester } from './requester.ts';

/** How a message goes wrong: it answers nothing, waits for ever, is not known, answers something else, or somebody else acts first. */
export type Fault =
  | 'undefined'
  | 'hang'
  | 'unknown'
  | { readonly answer: unknown }
  | { readonly first: () => unknown };

export interface FakeEditorOptions {
  /** The scene that is open at first: its path; none where absent. */
  readonly scene?: string | undefined;
  /** Whether the script of the extension runs in the scene; yes where absent. */
  readonly hasSceneScript?: boolean | undefined;
}

/** Stands in for the editor where there is none: opens scenes of a project, changes them by messages, and saves them. */
export async function openFakeEditor(
  folder: string,
  options: FakeEditorOptions = {},
): Promise<FakeEditor> {
  const editor = new FakeEditor(await openProject(folder), options);
  if (options.scene !== undefined) await editor.open(options.scene);
  return editor;
}

/** An editor with one scene open. A dialog, which the real one would show, is a message that never ends. */
export class FakeEditor implements EditorRequester, AsyncDisposable {
  readonly #project: Project;
  readonly #hasSceneScript: boolean;
  readonly #faults = new Map<string, Fault[]>();
  #document: SceneDocument | undefined;
  /** As the file was when it was last read or written here. */
  #saved = '';
  #isDirty = false;
  /** Every message that came, as `scene create-node`. */
  readonly received: string[] = [];
  /** Every dialog that would have been shown. */
  readonly dialogs: string[] = [];
  /** What is shown instead of the scene: a prefab, by its uuid, or an animation. */
  shows: { readonly mode: 'prefab' | 'animation'; readonly uuid: string } | undefined;

  constructor(project: Project, { hasSceneScript = true }: FakeEditorOptions = {}) {
    this.#project = project;
    this.#hasSceneScript = hasSceneScript;
  }

  /** Lets the next message of a name, `scene create-node`, go wrong. */
  fail(message: string, fault: Fault): void {
    const known = this.#faults.get(message) ?? [];
    this.#faults.set(message, [...known, fault]);
  }

  /** Changes the open scene, as somebody in front of the editor does. */
  change(work: (document: SceneDocument) => void): void {
    work(this.#requireDocument());
    this.#isDirty = true;
  }

  /** The text of the open scene, saved or not. */
  get text(): string {
    return this.#document === undefined ? '' : printTable(this.#document.view.table);
  }

  get isDirty(): boolean {
    return this.#isDirty;
  }

  /** Opens a scene, by path or uuid. */
  async open(scene: string): Promise<void> {
    await this.#project.refresh();
    const workspace = await openWorkspace(this.#project);
    this.#document = openDocument(workspace, scene);
    this.#saved = this.text;
    this.#isDirty = false;
  }

  async request(channel: string, method: string, ...args: readonly unknown[]): Promise<unknown> {
    const message = `${channel} ${method}`;
    this.received.push(message);
    const fault = this.#faults.get(message)?.shift();
    if (fault === 'undefined') return undefined;
    if (fault === 'hang') return endless();
    if (fault === 'unknown' || !isAllowed(channel, method)) {
      throw new Error(`Message does not exist: ${channel} - ${method}`);
    }
    if (fault !== undefined && 'answer' in fault) return fault.answer;
    if (fault !== undefined) await fault.first();
    // What crosses between the processes of the editor is copied.
    const answer: unknown = await this.#answer(method, structuredClone(args) as Json[]);
    return structuredClone(answer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#project[Symbol.dispose]();
  }

  async #answer(method: string, [first = null, second = null]: readonly Json[]): Promise<unknown> {
    const query = sceneQueries[method];
    if (query !== undefined) {
      return this.#document === undefined ? null : query(this.#document, first);
    }
    const change = sceneChanges[method];
    if (change !== undefined) {
      const answer = change(this.#requireDocument(), isObject(first) ? first : {});
      this.#isDirty = true;
      return answer;
    }
    switch (method) {
      case 'query-is-ready':
        return this.#document !== undefined;
      case 'query-ready':
        return true;
      case 'query-components':
        return this.#components();
      case 'query-dirty':
        return this.#isDirty;
      case 'execute-scene-script':
        return this.#runScript(isObject(first) ? first : {});
      case 'save-scene':
        return this.#save();
      default:
        return this.#answerAsset(method, textOf(first), textOf(second));
    }
  }

  async #answerAsset(method: string, name: string, content: string): Promise<unknown> {
    await this.#project.refresh();
    const asset = this.#project.asset(name) ?? this.#project.assetAt(name);
    if (method === 'query-asset-info') {
      return asset === undefined
        ? null
        : { uuid: asset.uuid, url: asset.url, name: asset.name, importer: asset.importer };
    }
    if (method === 'open-asset' && asset?.importer === 'scene') {
      if (this.#isDirty && asset.uuid !== this.#document?.uuid) return this.#ask('save the scene?');
      await this.open(asset.path);
    }
    if (method === 'save-asset' && asset !== undefined) {
      writeFileSync(this.#project.file(asset.path), content);
    }
    return this.#look();
  }

  /** Takes in what others wrote. */
  async #look(): Promise<unknown> {
    await this.#project.refresh();
    const open = this.#document;
    if (open === undefined) return undefined;
    if (this.#project.draft().text(open.path) !== this.#saved) {
      if (this.#isDirty) return this.#ask('the scene has changed on the disk; save it?');
      await this.open(open.path);
      return undefined;
    }
    const draft = this.#project.draft();
    draft.write(open.path, this.text);
    this.#document = openDocument(await openWorkspace(this.#project, draft), open.path);
    return undefined;
  }

  #runScript({ name, method }: Record<string, Json>): unknown {
    if (name !== extensionName || !this.#hasSceneScript) return undefined;
    const shown = this.shows ?? { uuid: this.#requireDocument().uuid, mode: 'general' };
    if (method === 'showOpenScene' || this.shows !== undefined) return shown;
    return method === 'readOpenScene' ? { ...shown, text: this.text } : undefined;
  }

  async #components(): Promise<unknown> {
    const scripts = [...(await this.#project.scripts()).all()];
    return scripts.map(({ uuid, path, type, className }) => ({
      name: className,
      cid: type,
      path,
      assetUuid: uuid,
    }));
  }

  #save(): string {
    const { path, uuid } = this.#requireDocument();
    this.#saved = this.text;
    writeFileSync(this.#project.file(path), this.#saved);
    this.#isDirty = false;
    return uuid;
  }

  #ask(question: string): Promise<never> {
    this.dialogs.push(question);
    return endless();
  }

  #requireDocument(): SceneDocument {
    if (this.#document === undefined) throw new Error('No scene is open');
    return this.#document;
  }
}

const endless = (): Promise<never> => new Promise(() => undefined);
