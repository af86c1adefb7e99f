import { layers } from '#cocos/components';
import {
  type Change,
  type Entry,
  ref,
  refIndex,
  SceneView,
  setValue,
  typeOf,
  type ViewItem,
} from '#cocos/document';
import { type Inspection, readPrefab } from './inspection.ts';
import { perTypes, type TreeNode } from './walk.ts';

/** `uiWithoutCanvas`, `canvasWithoutCamera`, `layerNotSeen`: what a scene has can be seen. */
export function checkScreen(inspection: Inspection): void {
  const { view, table } = inspection;
  if (view === undefined || table.kind !== 'scene') return;
  const { tree } = inspection;
  const { components } = inspection.workspace;
  const partOf = perTypes((types) => ({
    isRoot: types.includes('cc.Canvas') || types.includes('cc.RenderRoot2D'),
    canvasAt: types.indexOf('cc.Canvas'),
    isDrawn: types.some((type) => type === 'cc.RichText' || components.get(type)?.renderer),
  }));
  const walk: Walk = { view, cameras: camerasOf(view, tree), partOf, inspection };
  const inCanvas: boolean[] = [];
  for (const node of tree) inCanvas.push(checkNode(walk, node, inCanvas[node.above] === true));
}

interface Camera {
  readonly item: ViewItem;
  readonly visibility: number;
}

/** What a node is to the screen, by the classes of its components. */
interface ScreenPart {
  /** Whether what is below it can be drawn. */
  readonly isRoot: boolean;
  /** Which component is the Canvas; -1 for none. */
  readonly canvasAt: number;
  readonly isDrawn: boolean;
}

interface Walk {
  readonly view: SceneView;
  readonly cameras: readonly Camera[];
  readonly partOf: (types: readonly string[]) => ScreenPart;
  readonly inspection: Inspection;
}

function camerasOf(view: SceneView, tree: readonly TreeNode[]): Camera[] {
  const cameras: Camera[] = [];
  const cameraAt = perTypes((types) => types.indexOf('cc.Camera'));
  for (const { components, types } of tree) {
    const item = components[cameraAt(types)];
    if (item === undefined) continue;
    const { _visibility: visibility } = view.at(item.index);
    cameras.push({ item, visibility: typeof visibility === 'number' ? visibility : -1 });
  }
  return cameras;
}

/** Checks one node; answers whether what is below it is in a Canvas, or needs no further word. */
function checkNode(walk: Walk, { item, components, types }: TreeNode, inCanvas: boolean): boolean {
  const { view, inspection } = walk;
  const node = item.index;
  const { isRoot, canvasAt, isDrawn } = walk.partOf(types);
  const canvas = components[canvasAt];
  if (canvas !== undefined) checkCanvas(walk, canvas);
  // One that draws nothing may just as well be elsewhere.
  const isStray = isDrawn && !inCanvas && !isRoot;
  if (isStray) {
    inspection.issues.push({
      code: 'uiWithoutCanvas',
      at: placeOf(view, node),
      message: `Neither "${view.name(node)}" nor any node above it has a Canvas, so that it is not drawn.`,
      suggestion: 'Move it below a Canvas, or create one around it.',
    });
  }
  if (isDrawn) checkLayer(walk, node);
  return inCanvas || isRoot || isStray;
}

function checkCanvas(walk: Walk, canvas: ViewItem): void {
  const { view, inspection } = walk;
  const camera = refIndex(view.at(canvas.index)['_cameraComponent']);
  if (camera !== undefined && typeOf(view.at(camera)) === 'cc.Camera') return;
  const only = onlyCamera(walk, canvas);
  inspection.issues.push({
    code: 'canvasWithoutCamera',
    at: placeOf(view, canvas.index),
    path: canvas.inside ? [] : ['_cameraComponent'],
    message: `The Canvas of "${view.name(canvas.owner ?? view.root)}" has no camera.`,
    suggestion: only
      ? `Repair sets it to the one on "${view.path(only.item.index)}".`
      : 'Create a camera below the Canvas, and set "cameraComponent" to it.',
    fix: only ? () => setCamera(inspection, canvas.handle, only.item.handle) : undefined,
  });
}

/** The camera that can only be meant: the one below the Canvas, or the one of the scene. */
function onlyCamera({ view, cameras }: Walk, canvas: ViewItem): Camera | undefined {
  const below = new Set([...view.items(canvas.owner)].map(({ index }) => index));
  const own = cameras.filter(({ item }) => below.has(item.index));
  const choice = own.length > 0 ? own : cameras;
  return choice.length === 1 ? choice[0] : undefined;
}

function setCamera({ table, workspace }: Inspection, canvas: string, camera: string): Change[] {
  const view = new SceneView(table, (uuid) => readPrefab(workspace, uuid));
  const value = ref(view.get(camera).index);
  return setValue(view, view.get(canvas).index, { path: ['_cameraComponent'], value });
}

function checkLayer({ view, cameras, inspection }: Walk, node: number): void {
  const layer = layerOf(view.at(node));
  if (cameras.length === 0 || layer === undefined) return;
  const isSeen = (bits: number): boolean =>
    cameras.some(({ visibility }) => (visibility & bits) !== 0);
  if (isSeen(layer)) return;
  const seen = (['UI_2D', 'UI_3D', 'DEFAULT'] as const).find((name) => isSeen(layers[name]));
  const known = Object.entries(layers).find(([, value]) => value === layer)?.[0];
  inspection.issues.push({
    code: 'layerNotSeen',
    at: placeOf(view, node),
    path: view.item(node)?.inside === false ? ['_layer'] : [],
    message: `"${view.name(node)}" is in layer ${known ?? layer}, which no camera of the scene shows.`,
    suggestion: seen
      ? `Set its layer to ${seen}, or let a camera show the layer.`
      : 'Let a camera show the layer.',
  });
}

function layerOf({ _layer: layer }: Entry): number | undefined {
  return typeof layer === 'number' ? layer : undefined;
}

/** The object of the file to look at: what is inside an instance is at the node that stands for it. */
function placeOf(view: SceneView, index: number): number {
  const item = view.item(index);
  return item?.inside === true ? (item.instance ?? view.root) : index;
}
