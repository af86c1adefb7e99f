// Runs in the process of the scene, where the engine is.
import { join } from 'node:path';

interface Engine {
  readonly director: { getScene(): { readonly uuid: string; readonly name: string } | null };
  readonly SceneAsset: new () => { scene: object; _name: string; destroy(): void };
}

/** The engine that the editor runs. */
function engine(): Engine {
  module.paths.push(join(Editor.App.path, 'node_modules'));
  return require('cc') as Engine;
}

/** What is open: `general` for a scene, `prefab` for a prefab. */
function open(): Shown {
  const facade = typeof cce === 'undefined' ? undefined : cce.SceneFacadeManager;
  const scene = engine().director.getScene();
  const mode = facade?.queryMode?.() || 'general';
  return { uuid: facade?.queryCurrentSceneUuid?.() || scene?.uuid || '', mode };
}

interface Shown {
  readonly uuid: string;
  readonly mode: string;
  readonly text?: string | undefined;
}

/** Called by messages of the server: which scene or prefab is open; that with the scene as it would be saved now. */
export const methods: Readonly<Record<'showOpenScene' | 'readOpenScene', () => Shown>> = {
  showOpenScene: open,
  readOpenScene() {
    const shown = open();
    const { director, SceneAsset } = engine();
    const scene = director.getScene();
    if (scene === null || shown.mode !== 'general') return shown;
    const asset = new SceneAsset();
    asset._name = scene.name;
    asset.scene = scene;
    const found = EditorExtends.serialize(asset);
    return { ...shown, text: typeof found === 'string' ? found : JSON.stringify(found, null, 2) };
  },
};

/** Called when the scene process takes the script in. */
export function load(): void {
  // Nothing to prepare.
}

/** Called when it lets go of it. */
export function unload(): void {
  // Nothing is kept.
}
