import { builtInSprite } from './built-in-assets.ts';
import { makeValue } from './field.ts';
import type { ComponentRecipe, RecipeValues } from './recipe.ts';

type Value = ReturnType<typeof makeValue>;

interface TransformOptions {
  readonly anchor?: readonly [x: number, y: number] | undefined;
}

/** The size of an element. */
export function transform(
  width: number,
  height: number,
  options: TransformOptions = {},
): ComponentRecipe {
  const [x, y] = options.anchor ?? [0.5, 0.5];
  const values = {
    _contentSize: makeValue('cc.Size', width, height),
    _anchorPoint: makeValue('cc.Vec2', x, y),
  };
  return { type: 'cc.UITransform', values };
}

/** A sprite that fills the size of its node, cut in nine where the image has borders. */
export function panel(image: string, values: RecipeValues = {}): ComponentRecipe {
  const filled = { _spriteFrame: builtInSprite(image), _type: 1, _sizeMode: 0, ...values };
  return { type: 'cc.Sprite', values: filled };
}

/** A text. */
export function text(string: string, values: RecipeValues = {}): ComponentRecipe {
  const sized = { _string: string, _actualFontSize: 20, _fontSize: 20, ...values };
  return { type: 'cc.Label', values: sized };
}

export const black: Value = makeValue('cc.Color', 0, 0, 0, 255);
export const gray: Value = makeValue('cc.Color', 187, 187, 187, 255);
export const lightGray: Value = makeValue('cc.Color', 214, 214, 214, 255);

/** A mask over the rectangle of its node. */
export const maskParts: readonly ComponentRecipe[] = [
  { type: 'cc.Mask' },
  { type: 'cc.Graphics', values: { _fillColor: makeValue('cc.Color', 255, 255, 255, 0) } },
];
