import { builtInSprite } from './built-in-assets.ts';
import { type ComponentRecipe, link, type NodeRecipe } from './recipe.ts';
import { black, gray, lightGray, maskParts, panel, text, transform } from './recipe-parts.ts';
import { pageView, scrollView } from './scroll-recipes.ts';

const boxed = { _overflow: 1, _enableWrapText: false };

const button: NodeRecipe = {
  name: 'Button',
  key: 'root',
  components: [
    transform(100, 40),
    panel('default_btn_normal'),
    {
      type: 'cc.Button',
      values: {
        _transition: 2,
        _normalColor: lightGray,
        _normalSprite: builtInSprite('default_btn_normal'),
        _hoverSprite: builtInSprite('default_btn_normal'),
        _pressedSprite: builtInSprite('default_btn_pressed'),
        _disabledSprite: builtInSprite('default_btn_disabled'),
        _target: link('root'),
      },
    },
  ],
  children: [
    {
      name: 'Label',
      components: [transform(100, 40), text('button', { _color: black, ...boxed })],
    },
  ],
};

function editBoxLabel(name: string, label: ComponentRecipe): NodeRecipe {
  const components = [transform(158, 40, { anchor: [0, 1] }), label];
  return { name, position: [-78, 20], components };
}

const editBox: NodeRecipe = {
  name: 'EditBox',
  components: [
    transform(160, 40),
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
    {
      ...editBoxLabel('TEXT_LABEL', {
        ...text('', { _horizontalAlign: 0, ...boxed }),
        key: 'text',
      }),
      active: false,
    },
    editBoxLabel('PLACEHOLDER_LABEL', {
      ...text('Enter text here...', { _color: gray, _horizontalAlign: 0, ...boxed }),
      key: 'placeholder',
    }),
  ],
};

const progressBar: NodeRecipe = {
  name: 'ProgressBar',
  components: [
    transform(300, 15),
    panel('default_progressbar_bg'),
    {
      type: 'cc.ProgressBar',
      values: { _barSprite: link('bar'), _totalLength: 300, _progress: 0.5 },
    },
  ],
  children: [
    {
      name: 'Bar',
      position: [-150, 0],
      components: [
        transform(150, 15, { anchor: [0, 0.5] }),
        { ...panel('default_progressbar'), key: 'bar' },
      ],
    },
  ],
};

const slider: NodeRecipe = {
  name: 'Slider',
  components: [
    transform(300, 20),
    panel('default_scrollbar_bg'),
    { type: 'cc.Slider', values: { _handle: link('handle'), _progress: 0.1 } },
  ],
  children: [
    {
      name: 'Handle',
      key: 'handleNode',
      position: [-120, 0],
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

interface ToggleLook {
  readonly name: string;
  readonly images: readonly [box: string, mark: string];
  readonly size: number;
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
      transform(size, size),
      panel(box, { _type: 0, _sizeMode: 1 }),
      { type: 'cc.Toggle', values },
    ],
    children: [
      {
        name: 'Checkmark',
        active: isChecked,
        components: [transform(size, size), { ...panel(mark, { _type: 0 }), key: `${name} mark` }],
      },
    ],
  };
}

const boxImages = ['default_toggle_normal', 'default_toggle_checkmark'] as const;
const radioImages = ['default_radio_button_off', 'default_radio_button_on'] as const;

const toggleContainer: NodeRecipe = {
  name: 'ToggleContainer',
  components: [transform(156, 32), { type: 'cc.ToggleContainer' }],
  children: [-62, 0, 62].map((x, index) =>
    toggle({
      name: `Toggle${index + 1}`,
      images: radioImages,
      size: 32,
      isChecked: index === 0,
      x,
    }),
  ),
};

function single(name: string, ...components: readonly ComponentRecipe[]): NodeRecipe {
  return { name, components };
}

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

/** The ready-made elements that can be put under a Canvas, by the name that tools take. */
export const uiRecipes: Readonly<Record<UiElement, NodeRecipe>> = {
  Node: single('Node', transform(100, 100)),
  Sprite: single('Sprite', transform(40, 36), sprite),
  Label: single('Label', transform(42.26, 50.4), text('label')),
  Button: button,
  EditBox: editBox,
  Graphics: single('Graphics', transform(100, 100), { type: 'cc.Graphics' }),
  Layout: single('Layout', transform(100, 100), { type: 'cc.Layout' }),
  Mask: single('Mask', transform(100, 100), ...maskParts),
  PageView: pageView,
  ProgressBar: progressBar,
  RichText: single('RichText', transform(153.38, 50.4), { type: 'cc.RichText' }),
  ScrollView: scrollView,
  Slider: slider,
  Toggle: toggle({ name: 'Toggle', images: boxImages, size: 28, isChecked: true }),
  ToggleContainer: toggleContainer,
  Widget: single('Widget', transform(100, 100), { type: 'cc.Widget' }),
};
