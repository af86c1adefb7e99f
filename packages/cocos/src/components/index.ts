export { acceptsAsset, classOfImporter, subAssetFor } from './asset-types.ts';
export {
  type BuiltInAsset,
  builtInAssets,
  builtInSprite,
  findBuiltInAsset,
} from './built-in-assets.ts';
export { cameraRecipe, canvasRecipe, type DesignResolution } from './canvas-recipe.ts';
export {
  builtInComponents,
  type ComponentTable,
  initialFields,
  nearest,
  requireComponent,
  requireField,
} from './component-table.ts';
export { colorText, type DecodeContext, decodeValue } from './decode.ts';
export { type EncodeContext, type Encoded, encodeValue } from './encode.ts';
export { alignFlags, enums, layers, objectFlags } from './enums.ts';
export {
  type ComponentSpec,
  defineComponent,
  displayName,
  eventType,
  type Field,
  type FieldType,
  findField,
  makeValue,
  valueParts,
  type ValueTypeName,
} from './field.ts';
export { fragmentOf, newComponent, type NewNode, newNode } from './fragment.ts';
export { learnComponent, learnComponents } from './learn.ts';
export { type ComponentRecipe, link, type NodeRecipe } from './recipe.ts';
export { createSceneTable, type NewScene } from './scene-factory.ts';
export { type UiElement, uiRecipes } from './ui-recipes.ts';
