import {
  cloneJson,
  createTable,
  insertNode,
  type OwnEntry,
  ref,
  SceneView,
  type Table,
} from '#cocos/document';
import { canvasRecipe, type DesignResolution } from './canvas-recipe.ts';
import { layers } from './enums.ts';
import { fragmentOf, newNode } from './fragment.ts';
import { sceneGlobals } from './scene-globals.ts';

/** What a new scene needs to know. */
export interface NewScene {
  readonly name: string;
  /** The uuid of its meta, which the scene repeats. */
  readonly uuid: string;
  /** The size of its Canvas; without one the scene has no nodes. */
  readonly resolution?: DesignResolution | undefined;
}

/** A new 2D scene: a Canvas with a camera, and the settings of an empty scene. */
export function createSceneTable({ name, uuid, resolution }: NewScene): Table {
  const { _id, ...node } = newNode({ name, layer: layers.DEFAULT });
  const scene: OwnEntry = {
    ...node,
    __type__: 'cc.Scene',
    autoReleaseAssets: false,
    _globals: ref(2),
    _id: uuid,
  };
  const asset: OwnEntry = {
    __type__: 'cc.SceneAsset',
    _name: name,
    _objFlags: 0,
    __editorExtras__: {},
    _native: '',
    scene: ref(1),
  };
  const table = createTable([asset, scene, ...globalEntries(2)]);
  if (resolution !== undefined) {
    const view = new SceneView(table, () => undefined);
    insertNode(view, fragmentOf(canvasRecipe(resolution), layers.UI_2D), { parent: view.root });
  }
  return table;
}

function globalEntries(index: number): OwnEntry[] {
  const globals: OwnEntry = { __type__: 'cc.SceneGlobals' };
  for (const [at, { field }] of sceneGlobals.entries()) globals[field] = ref(index + 1 + at);
  globals['bakedWithStationaryMainLight'] = false;
  globals['bakedWithHighpLightmap'] = false;
  return [globals, ...sceneGlobals.map(({ entry }) => cloneJson(entry))];
}
