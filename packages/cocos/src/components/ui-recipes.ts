import { builtInSprite } from './built-in-assets.ts';
import { type ComponentRecipe, link, type NodeRecipe, type Size } from './recipe.ts';
import { black, gray, lightGray, maskParts, panel, text, transform } from './recipe-parts.ts';
import { pageView, scrollView } from './scroll-recipes.ts';

const boxed = { _overflow: 1, _enableWrapText: false };

function button({ width, height }: Size = { width: 100, height: 40 }): NodeRecipe {
  const values = {
    _transition: 2,
    _normalColor: lightGray,
    _normalSprite: builtInSprite('default_btn_normal'),
    _hoverSprite: builtInSprite('default_btn_normal'),
    _pressedSprite: builtInSprite('default_btn_pressed'),
    _disabledSprite: builtInSprite('default_btn_disabled'),
    _target: link('root'),
  };
  return {
    name: 'Button',
    key: 'root',
    components: [
      transform(width, height),
      panel('default_btn_normal'),
      { type: 'cc.Button', values },
    ],
    children: [
      {
        name: 'Label',
        components: [transform(width, height), text('button', { _color: black, ...boxed })],
      },
    ],
  };
}

function editBox({ width, height }: Size = { width: 160, height: 40 }): NodeRecipe {
  const label = (name: string, part: ComponentRecipe): NodeRecipe => ({
    name,
    position: [2 - width / 2, height / 2],
    components: [transform(width - 2, height, { anchor: [0, 1] }), part],
  });
  const aligned = { _horizontalAlign: 0, ...boxed };
  return {
    name: 'EditBox',
    components: [
      transform(width, height),
      panel('default_editbox_bg'),
      {
        type: 'cc.EditBox',
        values: {
          _textLabel: link('text'),
          _placeholderLabel: link('placeholder'),
          _backgroundImage: builtInSprite('default_editbox_bg'),
          _inputMode: 6,
          _maxLength: 8,
        },
      },
    ],
    children: [
      { ...label('TEXT_LABEL', { ...text('', aligned), key: 'text' }), active: false },
      label('PLACEHOLDER_LABEL', {
        ...text('Enter text here...', { _color: gray, ...aligned }),
        key: 'placeholder',
      }),
    ],
  };
}

function progressBar({ width, height }: Size = { width: 300, height: 15 }): NodeRecipe {
  return {
    name: 'ProgressBar',
    components: [
      transform(width, height),
      panel('default_progressbar_bg'),
      {
        type: 'cc.ProgressBar',
        values: { _barSprite: link('bar'), _totalLength: width, _progress: 0.5 },
      },
    ],
    children: [
      {
        name: 'Bar',
        position: [-width / 2, 0],
        components: [
          transform(width / 2, height, { anchor: [0, 0.5] }),
          { ...panel('default_progressbar'), key: 'bar' },
        ],
      },
    ],
  };
}

function slider({ width, height }: Size = { width: 300, height: 20 }): NodeRecipe {
  const progress = 0.1;
  return {
    name: 'Slider',
    components: [
      transform(width, height),
      panel('default_scrollbar_bg'),
      { type: 'cc.Slider', values: { _handle: link('handle'), _progress: progress } },
    ],
    children: [
      {
        name: 'Handle',
        key: 'handleNode',
        position: [width * (progress - 0.5), 0],
        components: [
          transform(32, 32),
          { ...panel('default_radio_button_off', { _type: 0 }), key: 'handle' },
          {
            type: 'cc.Button',
            values: {
              _normalColor: lightGray,
              _normalSprite: builtInSprite('default_radio_button_off'),
              _target: link('handleNode'),
            },
          },
        ],
      },
    ],
  };
}

interface ToggleLook {
  readonly name: string;
  readonly images: readonly [box: string, mark: string];
  readonly size: Size;
  readonly isChecked: boolean;
  readonly x?: number | undefined;
}

function toggle({ name, images: [box, mark], size, isChecked, x = 0 }: ToggleLook): NodeRecipe {
  const values = {
    _normalColor: lightGray,
    _normalSprite: builtInSprite(box),
    _target: link(name),
    _isChecked: isChecked,
    _checkMark: link(`${name} mark`),
  };
  return {
    name,
    key: name,
    position: [x, 0],
    components: [
      transform(size.width, size.height),
      panel(box, { _type: 0, _sizeMode: 1 }),
      { type: 'cc.Toggle', values },
    ],
    children: [
      {
        name: 'Checkmark',
        active: isChecked,
        components: [
          transform(size.width, size.height),
          { ...panel(mark, { _type: 0 }), key: `${name} mark` },
        ],
      },
    ],
  };
}

const boxImages = ['default_toggle_normal', 'default_toggle_checkmark'] as const;
const radioImages = ['default_radio_button_off', 'default_radio_button_on'] as const;

const square = (length: number): Size => ({ width: length, height: length });

function toggleContainer(size: Size = { width: 156, height: 32 }): NodeRecipe {
  return {
    ...plain('ToggleContainer', size, { type: 'cc.ToggleContainer' }),
    children: [-62, 0, 62].map((x, index) =>
      toggle({
        name: `Toggle${index + 1}`,
        images: radioImages,
        size: square(32),
        isChecked: index === 0,
        x,
      }),
    ),
  };
}

function plain(
  name: string,
  { width, height }: Size,
  ...components: readonly ComponentRecipe[]
): NodeRecipe {
  return { name, components: [transform(width, height), ...components] };
}

/** An element of one node. */
const single =
  (name: string, usual: Size, ...components: readonly ComponentRecipe[]) =>
  (size: Size = usual): NodeRecipe =>
    plain(name, size, ...components);

const sprite = { type: 'cc.Sprite', values: { _spriteFrame: builtInSprite('default_sprite') } };

/** The name of a ready-made element. */
export type UiElement =
  | 'Node'
  | 'Sprite'
  | 'Label'
  | 'Button'
  | 'EditBox'
  | 'Graphics'
  | 'Layout'
  | 'Mask'
  | 'PageView'
  | 'ProgressBar'
  | 'RichText'
  | 'ScrollView'
  | 'Slider'
  | 'Toggle'
  | 'ToggleContainer'
  | 'Widget';

/** The ready-made elements that can be put under a Canvas, by the name that tools take; all parts fit the size that is given. */
export const uiRecipes: Readonly<Record<UiElement, (size?: Size) => NodeRecipe>> = {
  Node: single('Node', square(100)),
  Sprite: single('Sprite', { width: 40, height: 36 }, sprite),
  Label: single('Label', { width: 42.26, height: 50.4 }, text('label')),
  Button: button,
  EditBox: editBox,
  Graphics: single('Graphics', square(100), { type: 'cc.Graphics' }),
  Layout: single('Layout', square(100), { type: 'cc.Layout' }),
  Mask: single('Mask', square(100), ...maskParts),
  PageView: pageView,
  ProgressBar: progressBar,
  RichText: single('RichText', { width: 153.38, height: 50.4 }, { type: 'cc.RichText' }),
  ScrollView: scrollView,
  Slider: slider,
  Toggle: (size = square(28)) =>
    toggle({ name: 'Toggle', images: boxImages, size, isChecked: true }),
  ToggleContainer: toggleContainer,
  Widget: single('Widget', square(100), { type: 'cc.Widget' }),
};
