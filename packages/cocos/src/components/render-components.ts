import { enums, layers } from './enums.ts';
import {
  asset,
  boolean,
  choice,
  color,
  component,
  type ComponentSpec,
  defineComponent,
  type Field,
  flags,
  integer,
  named,
  number,
  rect,
  size,
  string,
  vec2,
} from './field.ts';

const onTransform = { requires: ['cc.UITransform'] };

/** The fields that every 2D renderer begins with. */
const rendererFields: readonly Field[] = [
  asset('_customMaterial', 'cc.Material'),
  choice('_srcBlendFactor', enums.blendFactor, 2),
  choice('_dstBlendFactor', enums.blendFactor, 4),
  color('_color'),
];

const sprite = defineComponent('cc.Sprite', { ...onTransform, renderer: true }, [
  ...rendererFields,
  asset('_spriteFrame', 'cc.SpriteFrame'),
  choice('_type', enums.spriteType, 0),
  choice('_fillType', enums.fillType, 0),
  choice('_sizeMode', enums.sizeMode, 1),
  vec2('_fillCenter', 0, 0),
  number('_fillStart', 0),
  number('_fillRange', 0),
  named('trim', boolean('_isTrimmedMode', true)),
  named('grayscale', boolean('_useGrayscale', false)),
  named('spriteAtlas', asset('_atlas', 'cc.SpriteAtlas')),
]);

const label = defineComponent('cc.Label', { ...onTransform, renderer: true }, [
  ...rendererFields,
  string('_string', 'label'),
  choice('_horizontalAlign', enums.horizontalAlign, 1),
  choice('_verticalAlign', enums.verticalAlign, 1),
  number('_actualFontSize', 0),
  number('_fontSize', 40),
  string('_fontFamily', 'Arial'),
  number('_lineHeight', 40),
  choice('_overflow', enums.overflow, 0),
  boolean('_enableWrapText', true),
  asset('_font', 'cc.Font'),
  named('useSystemFont', boolean('_isSystemFontUsed', true)),
  number('_spacingX', 0),
  boolean('_isItalic', false),
  boolean('_isBold', false),
  boolean('_isUnderline', false),
  number('_underlineHeight', 2),
  choice('_cacheMode', enums.cacheMode, 0),
  boolean('_enableOutline', false),
  color('_outlineColor', 0, 0, 0),
  number('_outlineWidth', 2),
  boolean('_enableShadow', false),
  color('_shadowColor', 0, 0, 0),
  vec2('_shadowOffset', 2, 2),
  number('_shadowBlur', 2),
]);

const richText = defineComponent('cc.RichText', onTransform, [
  number('_lineHeight', 40),
  string('_string', '<color=#00ff00>Rich</color><color=#0fffff>Text</color>'),
  choice('_horizontalAlign', enums.horizontalAlign, 0),
  choice('_verticalAlign', enums.verticalAlign, 0),
  number('_fontSize', 40),
  color('_fontColor'),
  number('_maxWidth', 0),
  string('_fontFamily', 'Arial'),
  asset('_font', 'cc.TTFFont'),
  named('useSystemFont', boolean('_isSystemFontUsed', true)),
  asset('_userDefinedFont', 'cc.TTFFont'),
  choice('_cacheMode', enums.cacheMode, 0),
  asset('_imageAtlas', 'cc.SpriteAtlas'),
  boolean('_handleTouchEvent', true),
]);

const graphics = defineComponent('cc.Graphics', { ...onTransform, renderer: true }, [
  ...rendererFields,
  number('_lineWidth', 1),
  color('_strokeColor', 0, 0, 0),
  choice('_lineJoin', enums.lineJoin, 2),
  choice('_lineCap', enums.lineCap, 0),
  color('_fillColor'),
  number('_miterLimit', 10),
]);

const mask = defineComponent('cc.Mask', { ...onTransform, brings: ['cc.Graphics'] }, [
  choice('_type', enums.maskType, 0),
  boolean('_inverted', false),
  integer('_segments', 64),
  number('_alphaThreshold', 0.1),
]);

const camera = defineComponent('cc.Camera', {}, [
  choice('_projection', enums.projection, 1),
  integer('_priority', 0),
  number('_fov', 45),
  choice('_fovAxis', enums.fovAxis, 0),
  number('_orthoHeight', 10),
  number('_near', 1),
  number('_far', 1000),
  named('clearColor', color('_color', 51, 51, 51)),
  named('clearDepth', number('_depth', 1)),
  named('clearStencil', integer('_stencil', 0)),
  choice('_clearFlags', enums.clearFlags, 7),
  rect('_rect', 0, 0, 1, 1),
  integer('_aperture', 19),
  integer('_shutter', 7),
  integer('_iso', 0),
  number('_screenScale', 1),
  flags('_visibility', layers, 1_822_425_087),
  asset('_targetTexture', 'cc.RenderTexture'),
  component('_postProcess', 'cc.PostProcess'),
  boolean('_usePostProcess', false),
  choice('_cameraType', enums.cameraType, -1),
  choice('_trackingType', enums.trackingType, 0),
]);

/** Components that draw, or that decide how others are drawn. */
export const renderComponents: readonly ComponentSpec[] = [
  sprite,
  label,
  richText,
  graphics,
  mask,
  camera,
  defineComponent('cc.LabelOutline', { requires: ['cc.Label'], deprecated: true }, []),
  defineComponent('cc.LabelShadow', { requires: ['cc.Label'], deprecated: true }, []),
  defineComponent('cc.UIOpacity', { single: true }, [integer('_opacity', 255)]),
  defineComponent('cc.UITransform', { single: true }, [
    size('_contentSize', 100, 100),
    vec2('_anchorPoint', 0.5, 0.5),
  ]),
];
