import { setTimeout as delay } from 'node:timers/promises';
import { CocosError, isObject, type Json, textOf } from '#cocos/document';
import type { Project } from '#cocos/project';
import { extensionName } from './messages.ts';
import type { EditorLink } from './requester.ts';

/** The scene that the editor has open. */
export interface OpenScene {
  readonly uuid: string;
  readonly path: string;
  /** As it is now, saved or not. */
  readonly text: string;
  readonly isDirty: boolean;
}

/** What the editor shows. */
interface Shown {
  readonly uuid: string;
  /** `general` for a scene, `prefab` for a prefab; others while an animation is made or a game is played. */
  readonly mode: string;
  /** Absent where the script of the extension does not run in the scene. */
  readonly text?: string | undefined;
}

const pauseMs = 50;
const patienceMs = 2000;

/** The scene in the editor: which one, its present text, and how it is opened, saved and replaced without a dialog. */
export class LiveScene {
  readonly #link: EditorLink;
  readonly #project: Project;

  constructor(link: EditorLink, project: Project) {
    this.#link = link;
    this.#project = project;
  }

  /** Fails unless the editor can be worked with. */
  async requireReady(): Promise<void> {
    for (const channel of ['asset-db', 'scene'] as const) {
      const isReady =
        channel === 'scene'
          ? await this.#link.send('scene', 'query-is-ready')
          : await this.#link.send('asset-db', 'query-ready');
      if (isReady !== true) {
        throw new CocosError('E_PRECONDITION_FAILED', 'The editor is not ready.', {
          suggestion: 'Wait until the editor has loaded the project and a scene, and try again.',
          details: { channel, answered: isReady },
        });
      }
    }
  }

  /** Whether what the editor shows has unsaved changes. */
  async isDirty(): Promise<boolean> {
    const answer = await this.#link.send('scene', 'query-dirty');
    if (typeof answer === 'boolean') return answer;
    throw new CocosError('E_INTERNAL', 'The editor does not say whether its scene is saved.', {
      details: { answered: answer },
    });
  }

  /** The uuid of the scene, or prefab, that the editor shows. */
  async shown(): Promise<string> {
    return (await this.#show()).uuid;
  }

  /** Refuses to change files that the editor would write over, or ask about. */
  async refuseShown(paths: readonly string[]): Promise<void> {
    const { uuid, mode } = await this.#show();
    if (mode !== 'general' && paths.some((path) => path.endsWith('.scene'))) throw busy(mode);
    const path = this.#project.asset(uuid)?.path;
    if (path !== undefined && paths.includes(path) && (await this.isDirty())) {
      throw unsaved(`${path} has unsaved changes in the editor`);
    }
  }

  async #show(): Promise<Shown> {
    const found = await this.#run('showOpenScene');
    if (found !== undefined) return found;
    const tree = await this.#link.send('scene', 'query-node-tree');
    return { uuid: textOf(field(tree, 'uuid')), mode: 'general' };
  }

  /** The open scene with its present text; undefined where the editor shows no scene of the project. */
  async read(): Promise<OpenScene | undefined> {
    await this.requireReady();
    const { uuid, mode } = await this.#show();
    if (mode !== 'general' && mode !== 'prefab') throw busy(mode);
    const asset = this.#project.asset(uuid);
    if (asset?.importer !== 'scene' || mode !== 'general') return undefined;
    const isDirty = await this.isDirty();
    const text = isDirty ? await this.text(uuid) : this.#project.draft().text(asset.path);
    if (text !== undefined) return { uuid, path: asset.path, text, isDirty };
    throw unsaved(`${asset.path} has changes that cannot be read from here`);
  }

  /** The present text of the open scene; undefined where the script of the extension is not there to ask. */
  async text(uuid: string): Promise<string | undefined> {
    const found = await this.#run('readOpenScene');
    if (found === undefined) return undefined;
    if (found.uuid === uuid) return found.text;
    throw new CocosError('E_CONFLICT', 'Another scene was opened in the editor.', {
      suggestion: 'Look at the scene again.',
      details: { expected: uuid, found: found.uuid },
    });
  }

  /** Opens a scene; refuses while the open one has unsaved changes, for the editor would ask in a dialog. */
  async open(uuid: string): Promise<void> {
    await this.requireReady();
    if ((await this.shown()) === uuid) return;
    if (await this.isDirty()) throw unsaved('The open scene has unsaved changes');
    await this.#link.send('asset-db', 'open-asset', uuid);
    await this.#until(async () => {
      const isReady = await this.#link.send('scene', 'query-is-ready');
      return isReady === true && (await this.shown()) === uuid;
    }, 'open the scene');
  }

  /** Waits until the scene knows the classes of new scripts, which the editor compiles; one that cannot say is not waited for. */
  async awaitScripts(uuids: readonly string[]): Promise<void> {
    if (uuids.length === 0) return;
    await this.#until(async () => {
      const known = await this.#link.send('scene', 'query-components');
      if (!Array.isArray(known)) return true;
      const present = new Set(known.map((each) => field(each, 'assetUuid')));
      return uuids.every((uuid) => present.has(uuid));
    }, 'compile the new script');
  }

  /** Saves the open scene. */
  async save(): Promise<void> {
    if (!(await this.isDirty())) return;
    await this.#link.send('scene', 'save-scene');
    await this.#until(async () => !(await this.isDirty()), 'save the scene');
  }

  /** Gives the open scene another text, by its file, which the editor then loads anew; what was unsaved is saved before. */
  async replace({ uuid, text }: Pick<OpenScene, 'uuid' | 'text'>): Promise<void> {
    const before = await this.text(uuid);
    if (before === text) return;
    await this.save();
    await this.#link.send('asset-db', 'save-asset', uuid, text);
    if (before === undefined) return;
    const started = Date.now();
    let isRepeated = false;
    await this.#until(async () => {
      if ((await this.text(uuid)) !== before) return true;
      if (!isRepeated && Date.now() - started > patienceMs) {
        // The editor takes a change that closely follows its own saving for that saving.
        isRepeated = true;
        await this.#link.send('asset-db', 'reimport-asset', uuid);
      }
      return false;
    }, 'load the scene anew');
  }

  /** Lets the script of the extension look at the scene. */
  async #run(method: 'showOpenScene' | 'readOpenScene'): Promise<Shown | undefined> {
    let found: unknown;
    try {
      const call = { name: extensionName, method, args: [] };
      found = await this.#link.send('scene', 'execute-scene-script', call);
    } catch (error) {
      if (error instanceof CocosError && error.code === 'E_TIMEOUT') throw error;
      return undefined;
    }
    const [uuid, text] = [field(found, 'uuid'), field(found, 'text')];
    if (typeof uuid !== 'string') return undefined;
    const mode = textOf(field(found, 'mode')) || 'general';
    return { uuid, mode, text: typeof text === 'string' ? text : undefined };
  }

  async #until(check: () => Promise<boolean>, what: string): Promise<void> {
    const { timeoutMs } = this.#link;
    for (const end = Date.now() + timeoutMs; Date.now() < end; await delay(pauseMs)) {
      if (await check()) return;
    }
    throw new CocosError('E_TIMEOUT', `The editor did not ${what} in ${timeoutMs} ms.`, {
      suggestion: 'Look whether the editor shows a dialog, answer it, and try again.',
    });
  }
}

/** Says that somebody has to save first. */
export function unsaved(what: string): CocosError {
  return new CocosError('E_PRECONDITION_FAILED', `${what}.`, {
    suggestion: 'Save the scene in the editor, or with the tool that saves it, and try again.',
  });
}

function busy(mode: string): CocosError {
  return new CocosError('E_PRECONDITION_FAILED', `The editor is in the mode "${mode}".`, {
    suggestion: 'Go back to the scene in the editor, and try again.',
    details: { mode },
  });
}

/** A part of what the editor answered. */
export function field(answer: unknown, name: string): Json | undefined {
  const value = answer as Json | undefined;
  return isObject(value) ? value[name] : undefined;
}
