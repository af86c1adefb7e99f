import { alignFlags, enums } from './enums.ts';
import {
  asset,
  boolean,
  choice,
  color,
  component,
  type ComponentSpec,
  defineComponent,
  events,
  type Field,
  flags,
  integer,
  named,
  node,
  number,
  size,
  string,
} from './field.ts';

const onTransform = { requires: ['cc.UITransform'] };

const buttonFields: readonly Field[] = [
  events('clickEvents'),
  boolean('_interactable', true),
  choice('_transition', enums.transition, 0),
  color('_normalColor'),
  color('_hoverColor', 211, 211, 211),
  color('_pressedColor'),
  color('_disabledColor', 124, 124, 124),
  asset('_normalSprite', 'cc.SpriteFrame'),
  asset('_hoverSprite', 'cc.SpriteFrame'),
  asset('_pressedSprite', 'cc.SpriteFrame'),
  asset('_disabledSprite', 'cc.SpriteFrame'),
  number('_duration', 0.1),
  number('_zoomScale', 1.2),
  node('_target'),
];

const scrollViewFields: readonly Field[] = [
  number('bounceDuration', 1),
  number('brake', 0.5),
  boolean('elastic', true),
  boolean('inertia', true),
  boolean('horizontal', true),
  boolean('vertical', true),
  boolean('cancelInnerEvents', true),
  events('scrollEvents'),
  node('_content'),
  component('_horizontalScrollBar', 'cc.ScrollBar'),
  component('_verticalScrollBar', 'cc.ScrollBar'),
];

const canvas = defineComponent('cc.Canvas', { ...onTransform, single: true }, [
  component('_cameraComponent', 'cc.Camera'),
  boolean('_alignCanvasWithScreen', true),
]);

const widget = defineComponent('cc.Widget', { ...onTransform, single: true }, [
  flags('_alignFlags', alignFlags, 0),
  node('_target'),
  number('_left', 0),
  number('_right', 0),
  number('_top', 0),
  number('_bottom', 0),
  number('_horizontalCenter', 0),
  number('_verticalCenter', 0),
  named('isAbsoluteLeft', boolean('_isAbsLeft', true)),
  named('isAbsoluteRight', boolean('_isAbsRight', true)),
  named('isAbsoluteTop', boolean('_isAbsTop', true)),
  named('isAbsoluteBottom', boolean('_isAbsBottom', true)),
  named('isAbsoluteHorizontalCenter', boolean('_isAbsHorizontalCenter', true)),
  named('isAbsoluteVerticalCenter', boolean('_isAbsVerticalCenter', true)),
  number('_originalWidth', 0),
  number('_originalHeight', 0),
  choice('_alignMode', enums.alignMode, 2),
  flags('_lockFlags', alignFlags, 0),
]);

const layout = defineComponent('cc.Layout', onTransform, [
  choice('_resizeMode', enums.resizeMode, 0),
  named('type', choice('_layoutType', enums.layoutType, 0)),
  size('_cellSize', 40, 40),
  choice('_startAxis', enums.axis, 0),
  number('_paddingLeft', 0),
  number('_paddingRight', 0),
  number('_paddingTop', 0),
  number('_paddingBottom', 0),
  number('_spacingX', 0),
  number('_spacingY', 0),
  choice('_verticalDirection', enums.verticalDirection, 1),
  choice('_horizontalDirection', enums.horizontalDirection, 0),
  choice('_constraint', enums.constraint, 0),
  integer('_constraintNum', 2),
  boolean('_affectedByScale', false),
  named('alignHorizontal', boolean('_isAlign', false)),
]);

const editBox = defineComponent('cc.EditBox', onTransform, [
  events('editingDidBegan'),
  events('textChanged'),
  events('editingDidEnded'),
  events('editingReturn'),
  component('_textLabel', 'cc.Label'),
  component('_placeholderLabel', 'cc.Label'),
  choice('_returnType', enums.returnType, 0),
  string('_string', ''),
  integer('_tabIndex', 0),
  asset('_backgroundImage', 'cc.SpriteFrame'),
  choice('_inputFlag', enums.inputFlag, 5),
  choice('_inputMode', enums.inputMode, 0),
  integer('_maxLength', 20),
]);

const pageView = defineComponent('cc.PageView', onTransform, [
  ...scrollViewFields,
  number('autoPageTurningThreshold', 100),
  number('pageTurningSpeed', 0.3),
  events('pageEvents'),
  choice('_sizeMode', enums.pageSizeMode, 0),
  choice('_direction', enums.axis, 0),
  number('_scrollThreshold', 0.5),
  number('_pageTurningEventTiming', 0.1),
  component('_indicator', 'cc.PageViewIndicator'),
]);

/** Components that arrange nodes on the screen and answer to touches. */
export const uiComponents: readonly ComponentSpec[] = [
  canvas,
  widget,
  layout,
  editBox,
  pageView,
  defineComponent('cc.Button', onTransform, buttonFields),
  defineComponent('cc.Toggle', onTransform, [
    ...buttonFields,
    events('checkEvents'),
    boolean('_isChecked', true),
    component('_checkMark', 'cc.Sprite'),
  ]),
  defineComponent('cc.ToggleContainer', {}, [
    boolean('_allowSwitchOff', false),
    events('checkEvents'),
  ]),
  defineComponent('cc.ProgressBar', onTransform, [
    component('_barSprite', 'cc.Sprite'),
    choice('_mode', enums.progressMode, 0),
    number('_totalLength', 1),
    number('_progress', 0.1),
    boolean('_reverse', false),
  ]),
  defineComponent('cc.Slider', onTransform, [
    events('slideEvents'),
    component('_handle', 'cc.Sprite'),
    choice('_direction', enums.axis, 0),
    number('_progress', 0.1),
  ]),
  defineComponent('cc.ScrollView', onTransform, scrollViewFields),
  defineComponent('cc.ScrollBar', onTransform, [
    component('_scrollView', 'cc.ScrollView'),
    component('_handle', 'cc.Sprite'),
    choice('_direction', enums.axis, 0),
    boolean('_enableAutoHide', false),
    number('_autoHideTime', 1),
  ]),
  defineComponent('cc.PageViewIndicator', onTransform, [
    number('spacing', 0),
    asset('_spriteFrame', 'cc.SpriteFrame'),
    choice('_direction', enums.axis, 0),
    size('_cellSize', 20, 20),
  ]),
  defineComponent('cc.BlockInputEvents', onTransform, []),
  defineComponent('cc.SafeArea', { requires: ['cc.Widget'] }, [boolean('_symmetric', true)]),
];
