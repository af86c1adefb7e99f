import { builtInSprite } from './built-in-assets.ts';
import { makeValue } from './field.ts';
import { link, type NodeRecipe } from './recipe.ts';
import { maskParts, panel, transform } from './recipe-parts.ts';

/** A window on a content that may be larger. */
export const scrollView: NodeRecipe = {
  name: 'ScrollView',
  components: [
    transform(240, 250),
    panel('default_panel'),
    {
      type: 'cc.ScrollView',
      key: 'view',
      values: {
        bounceDuration: 0.23,
        brake: 0.75,
        horizontal: false,
        _content: link('content'),
        _verticalScrollBar: link('scrollBar'),
      },
    },
  ],
  children: [
    {
      name: 'scrollBar',
      position: [120, 0],
      components: [
        transform(12, 250, { anchor: [1, 0.5] }),
        panel('default_scrollbar_vertical_bg'),
        {
          type: 'cc.Widget',
          values: { _alignFlags: 37, _originalHeight: 250, _alignMode: 1 },
        },
        {
          type: 'cc.ScrollBar',
          key: 'scrollBar',
          values: { _scrollView: link('view'), _handle: link('handle'), _direction: 1 },
        },
      ],
      children: [
        {
          name: 'bar',
          position: [-11, -31.25],
          components: [
            transform(10, 156.25, { anchor: [0, 0] }),
            { ...panel('default_scrollbar_vertical'), key: 'handle' },
          ],
        },
      ],
    },
    {
      name: 'view',
      components: [transform(240, 250), ...maskParts],
      children: [
        {
          name: 'content',
          key: 'content',
          position: [0, 125],
          components: [transform(220, 400, { anchor: [0.5, 1] })],
        },
      ],
    },
  ],
};

function page(index: number): NodeRecipe {
  const components = [transform(500, 300), panel('default_panel')];
  return { name: `page${index + 1}`, position: [250 + 500 * index, 0], components };
}

/** A window on pages, one at a time. */
export const pageView: NodeRecipe = {
  name: 'PageView',
  components: [
    transform(500, 400),
    panel('default_panel'),
    {
      type: 'cc.PageView',
      values: { vertical: false, _content: link('content'), _indicator: link('indicator') },
    },
  ],
  children: [
    {
      name: 'view',
      components: [transform(500, 300), ...maskParts],
      children: [
        {
          name: 'content',
          key: 'content',
          position: [-250, 0],
          components: [
            transform(1500, 300, { anchor: [0, 0.5] }),
            { type: 'cc.Layout', values: { _resizeMode: 1, _layoutType: 1, _isAlign: true } },
          ],
          children: [0, 1, 2].map((index) => page(index)),
        },
      ],
    },
    {
      name: 'indicator',
      position: [0, -179],
      components: [
        transform(500, 60),
        {
          type: 'cc.PageViewIndicator',
          key: 'indicator',
          values: {
            spacing: 10,
            _spriteFrame: builtInSprite('default_scrollbar_vertical'),
            _cellSize: makeValue('cc.Size', 10, 10),
          },
        },
      ],
    },
  ],
};
