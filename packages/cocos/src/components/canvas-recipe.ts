import { layers } from './enums.ts';
import { makeValue } from './field.ts';
import { type ComponentRecipe, link, type NodeRecipe, type RecipeValues } from './recipe.ts';

/** The size that a project is designed for. */
export interface DesignResolution {
  readonly width: number;
  readonly height: number;
}

/** What a camera of a 2D scene sees: the default layer, UI, and what rays ignore. */
const visibility = layers.DEFAULT | layers.UI_2D | layers.IGNORE_RAYCAST;

function camera2d(orthoHeight: number, values: RecipeValues = {}): ComponentRecipe {
  return {
    type: 'cc.Camera',
    key: 'camera',
    values: {
      _projection: 0,
      _orthoHeight: orthoHeight,
      _near: 0,
      _far: 2000,
      _color: makeValue('cc.Color', 0, 0, 0, 255),
      _visibility: visibility,
      ...values,
    },
  };
}

/** A camera that looks at a plane without perspective. */
export function cameraRecipe({ height }: DesignResolution): NodeRecipe {
  return {
    name: 'Camera',
    layer: layers.DEFAULT,
    position: [0, 0, 1000],
    components: [camera2d(height / 2)],
  };
}

/** A Canvas of that size with its camera, stretched over the screen. */
export function canvasRecipe({ width, height }: DesignResolution): NodeRecipe {
  return {
    name: 'Canvas',
    layer: layers.UI_2D,
    position: [width / 2, height / 2],
    components: [
      {
        type: 'cc.UITransform',
        values: { _contentSize: makeValue('cc.Size', width, height) },
      },
      { type: 'cc.Canvas', values: { _cameraComponent: link('camera') } },
      { type: 'cc.Widget', values: { _alignFlags: 45 } },
    ],
    children: [cameraRecipe({ width, height })],
  };
}
